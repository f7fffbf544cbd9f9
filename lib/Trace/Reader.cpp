//===- Reader.cpp - Reads a run log ---------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace/Reader.h"
#include "Trace/Link.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

using namespace torchtidy::trace;

namespace {

class ChunkReader {
public:
  ChunkReader(Trace &T, Linker &L) : T(T), L(L) {}
  /// False if the payload is malformed.
  bool read(const unsigned char *Data, size_t Size);

private:
  static std::string text(Decoder &D) {
    size_t Size = 0;
    const char *P = D.text(Size);
    return P ? std::string(P, Size) : std::string();
  }
  void readRare(Decoder &D);
  void readProcess(Decoder &D);
  void readModule(Decoder &D);
  bool readEvent(Decoder &D, Kind K, uint8_t Flags);
  int16_t readDevice(Decoder &D, uint8_t Flags) {
    return Flags & OnDevice ? static_cast<int16_t>(D.number()) : int16_t(-1);
  }

  Trace &T;
  Linker &L;
  unsigned Current = 0; ///< thread
  uint64_t Now = 0;     ///< last Clock
};

} // namespace

void ChunkReader::readProcess(Decoder &D) {
  T.Pid = static_cast<uint32_t>(D.number());
  T.ParentPid = static_cast<uint32_t>(D.number());
  T.StartNanoseconds = D.number();
  T.RecorderVersion = text(D);
  T.Program = text(D);
  T.Directory = text(D);
  T.Arguments.clear();
  for (uint64_t N = D.number(); N && !D.bad(); --N)
    T.Arguments.push_back(text(D));
}

void ChunkReader::readModule(Decoder &D) {
  Module M;
  M.Bias = D.number();
  M.Low = D.number();
  M.High = D.number();
  M.Path = text(D);
  for (unsigned char C : text(D)) {
    M.BuildId += "0123456789abcdef"[C >> 4];
    M.BuildId += "0123456789abcdef"[C & 15];
  }
  M.First = static_cast<uint32_t>(T.Events.size());
  if (!D.bad())
    T.Modules.push_back(std::move(M));
}

void ChunkReader::readRare(Decoder &D) {
  switch (static_cast<RareKind>(D.byte())) {
  case RareKind::Process:
    readProcess(D);
    return;
  case RareKind::Torch:
    T.TorchVersion = text(D);
    return;
  case RareKind::Module:
    readModule(D);
    return;
  case RareKind::ModuleGone: {
    uint64_t Low = D.number();
    for (Module &M : T.Modules)
      if (M.Low == Low && M.Last == NoLink)
        M.Last = static_cast<uint32_t>(T.Events.size());
    return;
  }
  case RareKind::Type:
    T.Types.push_back(text(D));
    return;
  case RareKind::Name:
    T.Names.push_back(text(D));
    return;
  case RareKind::ThreadStart: {
    uint64_t Index = D.number();
    uint64_t Id = D.number();
    if (Index > UINT16_MAX)
      return;
    if (T.Threads.size() <= Index)
      T.Threads.resize(Index + 1);
    T.Threads[Index] = {static_cast<uint32_t>(Id),
                        static_cast<uint32_t>(T.Events.size())};
    return;
  }
  case RareKind::Hook: {
    uint64_t Index = D.number();
    Hook H;
    H.State = static_cast<HookState>(D.byte());
    H.Fired = D.number();
    H.Name = text(D);
    size_t Space = H.Name.find(' ');
    if (Space != std::string::npos) {
      H.Symbol = H.Name.substr(Space + 1);
      H.Name.resize(Space);
    }
    if (Index > 4096)
      return;
    if (T.Hooks.size() <= Index)
      T.Hooks.resize(Index + 1);
    T.Hooks[Index] = std::move(H);
    return;
  }
  case RareKind::Lost:
    T.LostEvents += D.number();
    return;
  }
  // Another kind belongs to another version; its length is not known.
  while (!D.bad())
    D.byte();
}

bool ChunkReader::readEvent(Decoder &D, Kind K, uint8_t Flags) {
  Event E;
  E.Kind = K;
  E.Flags = Flags;
  E.Thread = static_cast<uint16_t>(Current);
  switch (K) {
  case Kind::Alloc:
    E.Pointer = D.block();
    E.Value = D.number();
    E.Stack = D.stack();
    E.Device = readDevice(D, Flags);
    break;
  case Kind::Free:
    E.Pointer = D.block();
    E.Device = readDevice(D, Flags);
    break;
  case Kind::SegmentAlloc:
    E.Pointer = D.block();
    E.Value = D.number();
    E.Stack = D.stack();
    break;
  case Kind::SegmentFree:
  case Kind::Saved:
    E.Pointer = D.block();
    break;
  case Kind::NodeMade:
    E.Pointer = D.node();
    E.Value = D.number();
    E.Stack = D.stack();
    break;
  case Kind::NodeEvaluated:
  case Kind::NodeDied:
    E.Pointer = D.node();
    break;
  case Kind::GradAccumulated:
  case Kind::StepEnd:
    E.Pointer = D.object();
    break;
  case Kind::StepBegin:
    E.Pointer = D.object();
    E.Value = D.number();
    E.Stack = D.stack();
    break;
  case Kind::ZeroGrad:
    E.Pointer = D.object();
    E.Stack = D.stack();
    break;
  case Kind::BackwardBegin:
    E.Pointer = D.node();
    E.Value = D.number();
    E.Stack = D.stack();
    break;
  case Kind::Iteration:
    E.Stack = D.stack();
    break;
  case Kind::ScopeBegin:
    E.Value = D.number();
    E.Stack = D.stack();
    break;
  case Kind::ScopeEnd:
  case Kind::Heap:
    E.Value = D.number();
    break;
  case Kind::Exit:
    E.Value = D.number();
    if (!D.bad()) {
      T.Complete = true;
      if (E.has(StatusKnown))
        T.ExitStatus = static_cast<int>(E.Value);
    }
    break;
  case Kind::GradMode:
  case Kind::BackwardEnd:
    break;
  default:
    return false;
  }
  if (D.bad())
    return false;
  L.add(E);
  return true;
}

bool ChunkReader::read(const unsigned char *Data, size_t Size) {
  Decoder D(Data, Size);
  Current = 0;
  Now = 0;
  while (!D.atEnd()) {
    uint8_t Tag = D.byte();
    auto K = static_cast<Kind>(Tag & 31);
    uint8_t Flags = Tag >> 5;
    switch (K) {
    case Kind::Rare:
      readRare(D);
      break;
    case Kind::Frame: {
      Frame F;
      F.Parent = static_cast<uint32_t>(D.number());
      F.Address = D.address();
      F.Inherited = (Flags & Inherited) != 0;
      T.Frames.push_back(F);
      break;
    }
    case Kind::Thread:
      Current = static_cast<uint16_t>(D.number());
      break;
    case Kind::Clock:
      Now += D.number();
      T.Clock.push_back({static_cast<uint32_t>(T.Events.size()), Now});
      break;
    default:
      if (!readEvent(D, K, Flags))
        return false;
    }
  }
  return !D.bad();
}

std::optional<Trace> torchtidy::trace::readTrace(const void *Data, size_t Size,
                                                 std::string &Error) {
  const auto *P = static_cast<const unsigned char *>(Data);
  FileHeader Header;
  if (Size < sizeof(Header)) {
    Error = Size ? "too short for a torchtidy run log" : "the log is empty";
    return std::nullopt;
  }
  std::memcpy(&Header, P, sizeof(Header));
  if (std::memcmp(Header.Magic, FileMagic, sizeof(FileMagic)) != 0) {
    Error = "not a torchtidy run log";
    return std::nullopt;
  }
  if (Header.Version != FormatVersion) {
    Error = "log format " + std::to_string(Header.Version) +
            ", this torchtidy reads " + std::to_string(FormatVersion);
    return std::nullopt;
  }

  Trace T;
  T.Frames.emplace_back();
  T.Types.emplace_back();
  T.Names.emplace_back();
  Linker L(T);
  ChunkReader Reader(T, L);
  std::string Raw;
  size_t At = sizeof(Header), Chunks = 0;
  // Whatever is wrong with a chunk, what follows it cannot be relied on: tables
  // would have gaps.
  while (Size - At >= sizeof(ChunkHeader)) {
    ChunkHeader C;
    std::memcpy(&C, P + At, sizeof(C));
    const unsigned char *Packed = P + At + sizeof(C);
    if (C.Magic != ChunkMagic || C.RawBytes > 2 * MaxChunk ||
        C.PackedBytes > Size - At - sizeof(C) ||
        checksum(Packed, C.PackedBytes) != C.Checksum)
      break;
    Raw.resize(C.RawBytes);
    if (ZSTD_decompress(Raw.data(), Raw.size(), Packed, C.PackedBytes) !=
        C.RawBytes)
      break;
    T.Complete = false;
    if (!Reader.read(reinterpret_cast<const unsigned char *>(Raw.data()),
                     Raw.size()))
      break;
    T.RawBytes += C.RawBytes;
    T.PackedBytes += sizeof(C) + C.PackedBytes;
    At += sizeof(C) + C.PackedBytes;
    ++Chunks;
  }
  if (At != Size)
    T.Complete = false;
  if (!Chunks) {
    Error = "the log was cut off before its first chunk";
    return std::nullopt;
  }
  return T;
}

std::optional<Trace> torchtidy::trace::readTrace(const std::string &Path,
                                                 std::string &Error) {
  int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat St;
  if (Fd < 0 || fstat(Fd, &St) != 0) {
    Error = Path + ": " + std::strerror(errno);
    if (Fd >= 0)
      close(Fd);
    return std::nullopt;
  }
  auto Size = static_cast<size_t>(St.st_size);
  void *Data = Size ? mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, Fd, 0)
                    : const_cast<char *>("");
  std::optional<Trace> T;
  if (Data == MAP_FAILED)
    Error = std::strerror(errno);
  else
    T = readTrace(Data, Size, Error);
  if (Size && Data != MAP_FAILED)
    munmap(Data, Size);
  close(Fd);
  if (T)
    T->Path = Path;
  else
    Error = Path + ": " + Error;
  return T;
}
