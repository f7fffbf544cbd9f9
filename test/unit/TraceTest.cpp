//===- TraceTest.cpp - Reading of run logs --------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace/Reader.h"
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

using namespace torchtidy::trace;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const void *at(uintptr_t P) { return reinterpret_cast<const void *>(P); }

/// Builds a log as the recorder would.
class Log {
public:
  Log() {
    FileHeader H = {};
    std::memcpy(H.Magic, FileMagic, sizeof(H.Magic));
    H.Version = FormatVersion;
    Bytes.assign(reinterpret_cast<const char *>(&H), sizeof(H));
  }

  Log &chunk(const std::function<void(Encoder &)> &Fill) {
    std::string Raw(MaxChunk, '\0');
    Encoder E;
    auto *Begin = reinterpret_cast<unsigned char *>(Raw.data());
    E.start(Begin);
    Fill(E);
    Raw.resize(static_cast<size_t>(E.position() - Begin));
    std::string Packed(ZSTD_compressBound(Raw.size()), '\0');
    Packed.resize(
        ZSTD_compress(Packed.data(), Packed.size(), Raw.data(), Raw.size(), 1));
    ChunkHeader C = {ChunkMagic, static_cast<uint32_t>(Raw.size()),
                     static_cast<uint32_t>(Packed.size()), 0,
                     checksum(Packed.data(), Packed.size())};
    Bytes.append(reinterpret_cast<const char *>(&C), sizeof(C));
    Bytes += Packed;
    Ends.push_back(Bytes.size());
    return *this;
  }

  std::string Bytes;
  std::vector<size_t> Ends;
};

void text(Encoder &E, const std::string &S) { E.text(S.data(), S.size()); }

Log &sample(Log &L) {
  return L
      .chunk([](Encoder &E) {
        E.rare(RareKind::Process);
        E.number(42);
        E.number(41);
        E.number(1000);
        text(E, "0.1");
        text(E, "/bin/train");
        text(E, "/home");
        E.number(2);
        text(E, "train");
        text(E, "");
        E.rare(RareKind::Torch);
        text(E, "2.11.0");
        E.rare(RareKind::Module);
        E.number(0x1000);
        E.number(0x1000);
        E.number(0x9000);
        text(E, "/bin/train");
        text(E, std::string("\xab\x01", 2));
        E.rare(RareKind::Type);
        text(E, "N5torch3MulE");
        E.rare(RareKind::ThreadStart);
        E.number(0);
        E.number(77);
        E.tag(Kind::Frame);
        E.number(0);
        E.address(0x2000);
        E.tag(Kind::Frame);
        E.number(1);
        E.address(0x1800);
        E.tag(Kind::Alloc, GradOn);
        E.block(at(0x7f0000000040));
        E.number(1024);
        E.stack(2);
      })
      .chunk([](Encoder &E) {
        E.tag(Kind::Saved); // input of the node to come
        E.block(at(0x7f0000000040));
        E.tag(Kind::NodeMade, GradOn);
        E.node(at(0x6010));
        E.number(1);
        E.stack(1);
        E.tag(Kind::Saved, IsOutput);
        E.block(at(0x7f0000000040));
        E.tag(Kind::BackwardBegin, KeepGraph);
        E.node(at(0x6010));
        E.number(1);
        E.stack(2);
        E.tag(Kind::NodeEvaluated, KeepGraph);
        E.node(at(0x6010));
        E.tag(Kind::BackwardEnd);
        E.tag(Kind::Clock);
        E.number(5000);
      })
      .chunk([](Encoder &E) {
        E.tag(Kind::NodeDied);
        E.node(at(0x6010));
        E.tag(Kind::Free);
        E.block(at(0x7f0000000040));
        E.tag(Kind::Exit, StatusKnown);
        E.number(3);
      });
}

std::optional<Trace> read(const std::string &Bytes, std::string *Error) {
  std::string E;
  auto T = readTrace(Bytes.data(), Bytes.size(), E);
  if (Error)
    *Error = E;
  return T;
}

TEST(Trace, RoundTrip) {
  Log L;
  std::string Error;
  auto T = read(sample(L).Bytes, &Error);
  ASSERT_TRUE(T) << Error;
  EXPECT_EQ(T->Pid, 42u);
  EXPECT_EQ(T->ParentPid, 41u);
  EXPECT_EQ(T->Program, "/bin/train");
  EXPECT_THAT(T->Arguments, ElementsAre("train", ""));
  EXPECT_EQ(T->TorchVersion, "2.11.0");
  ASSERT_EQ(T->Modules.size(), 1u);
  EXPECT_EQ(T->Modules[0].BuildId, "ab01");
  EXPECT_EQ(T->moduleAt(0x1800, 0), T->Modules.data());
  EXPECT_EQ(T->moduleAt(0x9000, 0), nullptr);
  EXPECT_THAT(T->stack(2), ElementsAre(0x1800, 0x2000));
  EXPECT_TRUE(T->stack(0).empty());
  EXPECT_TRUE(T->stack(99).empty());
  EXPECT_TRUE(T->Complete);
  EXPECT_EQ(T->ExitStatus, 3);
  EXPECT_EQ(T->Threads[0].KernelId, 77u);

  ASSERT_EQ(T->Events.size(), 10u);
  const auto &E = T->Events;
  EXPECT_EQ(E[0].Kind, Kind::Alloc);
  EXPECT_EQ(E[0].Pointer, 0x7f0000000040u);
  EXPECT_EQ(E[0].Value, 1024u);
  EXPECT_EQ(E[0].Stack, 2u);
  EXPECT_TRUE(E[0].has(GradOn));
  EXPECT_EQ(E[0].Link, 8u);
  EXPECT_EQ(E[8].Link, 0u);
  EXPECT_EQ(E[8].Value, 1024u);
  // Both saves belong to the node, the input's before it was known.
  EXPECT_EQ(E[1].Link, 2u);
  EXPECT_EQ(E[3].Link, 2u);
  EXPECT_EQ(E[3].Value, 1024u);
  EXPECT_EQ(T->Types[E[2].Value], "N5torch3MulE");
  EXPECT_EQ(E[2].Link, 7u);
  EXPECT_TRUE(E[2].has(Evaluated));
  EXPECT_FALSE(E[2].has(Released)); // the graph was kept
  EXPECT_EQ(E[5].Value, 4u);        // evaluated by that backward
  EXPECT_EQ(E[6].Link, 4u);
  EXPECT_TRUE(E[7].has(Evaluated));
  ASSERT_EQ(T->Clock.size(), 1u);
  EXPECT_EQ(T->Clock[0].Event, 7u);
  EXPECT_EQ(T->Clock[0].Nanoseconds, 5000u);

  Summary S = summarize(*T);
  EXPECT_EQ(S.PeakBytes, 1024u);
  EXPECT_EQ(S.LiveBytes, 0u);
  EXPECT_EQ(S.Nodes, 1u);
  EXPECT_EQ(S.LiveNodes, 0u);
  EXPECT_EQ(S.UnusedNodes, 0u);
}

TEST(Trace, CutAtEveryByte) {
  Log L;
  sample(L);
  const size_t Expected[] = {1, 7, 10};
  for (size_t Size = 0; Size < L.Bytes.size(); ++Size) {
    size_t Whole = 0;
    while (Whole < L.Ends.size() && L.Ends[Whole] <= Size)
      ++Whole;
    std::string Error;
    auto T = read(L.Bytes.substr(0, Size), &Error);
    EXPECT_EQ(T.has_value(), Whole > 0) << Size;
    if (!T) {
      EXPECT_FALSE(Error.empty());
      continue;
    }
    EXPECT_EQ(T->Events.size(), Expected[Whole - 1]) << Size;
    EXPECT_FALSE(T->Complete) << Size;
  }
}

TEST(Trace, DamageStopsAtTheLastWholeChunk) {
  Log L;
  sample(L);
  for (size_t I = L.Ends[0]; I < L.Bytes.size(); ++I) {
    std::string Bytes = L.Bytes;
    Bytes[I] ^= 0x55;
    auto T = read(Bytes, nullptr);
    ASSERT_TRUE(T) << I;
    // The event count of a chunk's header is the one thing not checked.
    size_t InHeader = I < L.Ends[1] ? I - L.Ends[0] : I - L.Ends[1];
    if (InHeader < 12 || InHeader >= 16) {
      EXPECT_LE(T->Events.size(), I < L.Ends[1] ? 1u : 7u) << I;
    }
  }
}

TEST(Trace, ForeignFiles) {
  std::string Error;
  EXPECT_FALSE(read("", &Error));
  EXPECT_THAT(Error, HasSubstr("empty"));
  EXPECT_FALSE(read("#!/bin/sh\necho not a log at all\n", &Error));
  EXPECT_THAT(Error, HasSubstr("not a torchtidy run log"));
  Log L;
  EXPECT_FALSE(read(L.Bytes, &Error));
  EXPECT_THAT(Error, HasSubstr("cut off"));
  sample(L).Bytes[8] = 9;
  EXPECT_FALSE(read(L.Bytes, &Error));
  EXPECT_THAT(Error, HasSubstr("log format 9"));
  EXPECT_FALSE(readTrace("/no/such/file", Error));
  EXPECT_THAT(Error, HasSubstr("/no/such/file: No such file"));
}

TEST(Trace, ReusedAddresses) {
  Log L;
  L.chunk([](Encoder &E) {
    for (int I = 0; I < 2; ++I) { // the first free was not seen
      E.tag(Kind::Alloc);
      E.block(at(0x40));
      E.number(10 + I);
      E.stack(0);
    }
    E.tag(Kind::Free);
    E.block(at(0x40));
    E.tag(Kind::Free); // from before the recording
    E.block(at(0x80));
    for (int I = 0; I < 2; ++I) { // two outputs of one operator
      E.tag(Kind::NodeMade);
      E.node(at(0x100));
      E.number(0);
      E.stack(0);
    }
    E.tag(Kind::NodeDied);
    E.node(at(0x100));
    E.tag(Kind::NodeDied); // its destructor too
    E.node(at(0x100));
  });
  auto T = read(L.Bytes, nullptr);
  ASSERT_TRUE(T);
  ASSERT_EQ(T->Events.size(), 7u);
  EXPECT_EQ(T->Events[0].Link, 1u);
  EXPECT_EQ(T->Events[1].Link, 2u);
  EXPECT_EQ(T->Events[2].Value, 11u);
  EXPECT_EQ(T->Events[3].Link, NoLink);
  EXPECT_EQ(T->Events[4].Link, 5u);
  EXPECT_EQ(T->Events[6].Link, NoLink);
  EXPECT_EQ(summarize(*T).UnusedNodes, 1u);
  EXPECT_EQ(summarize(*T).LiveBytes, 0u);
  EXPECT_EQ(summarize(*T).PeakBytes, 11u);
}

TEST(Trace, NumbersOfEverySize) {
  Log L;
  std::vector<uint64_t> Values = {0, 1, 127, 128, UINT32_MAX, UINT64_MAX};
  L.chunk([&](Encoder &E) {
    for (uint64_t V : Values) {
      unsigned char *Before = E.position();
      E.tag(Kind::Alloc, OnDevice);
      E.block(at(V));
      E.number(V);
      E.stack(static_cast<uint32_t>(V));
      E.number(7);
      EXPECT_LE(static_cast<size_t>(E.position() - Before), MaxRecord);
    }
  });
  auto T = read(L.Bytes, nullptr);
  ASSERT_TRUE(T);
  ASSERT_EQ(T->Events.size(), Values.size());
  for (size_t I = 0; I < Values.size(); ++I) {
    EXPECT_EQ(T->Events[I].Pointer, Values[I]);
    EXPECT_EQ(T->Events[I].Value, Values[I]);
    EXPECT_EQ(T->Events[I].Stack, static_cast<uint32_t>(Values[I]));
    EXPECT_EQ(T->Events[I].Device, 7);
  }
}

} // namespace
