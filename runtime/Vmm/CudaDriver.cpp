//===- CudaDriver.cpp - A CUDA device -------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include <dlfcn.h>

using namespace torchtidy::vmm;
using namespace torchtidy::vmm::cuda;

struct CudaDriver::Functions {
#define TORCHTIDY_ROW(Name, Parameters) Result(*Name) Parameters = nullptr;
  TORCHTIDY_CUDA_FUNCTIONS(TORCHTIDY_ROW)
#undef TORCHTIDY_ROW
  std::string Missing;
};

/// The context of the device on top, for the calls that need one; the program's
/// own is back afterwards.
class CudaDriver::Current {
public:
  explicit Current(const CudaDriver &D) : Call(D.Call) {
    void *Now = nullptr;
    if (!Call.cuCtxGetCurrent(&Now) && Now == D.Context)
      return;
    Failure = Call.cuCtxPushCurrent_v2(D.Context);
    Pushed = !Failure;
  }
  ~Current() {
    void *Old;
    if (Pushed)
      (void)Call.cuCtxPopCurrent_v2(&Old);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  Result failure() const { return Failure; }

private:
  const Functions &Call;
  Result Failure = Success;
  bool Pushed = false;
};

namespace {

Status said(Result R, const char *Call) {
  switch (R) {
  case Success:
    return {};
  case ErrorOutOfMemory:
    return {Outcome::OutOfMemory, R, Call};
  case ErrorNotReady:
    return {Outcome::NotReady, R, Call};
  default:
    return {Outcome::Failed, R, Call};
  }
}

} // namespace

std::unique_ptr<CudaDriver> CudaDriver::open(int Device, std::string &Error,
                                             int HandleTypes) {
  static const Functions Loaded = [] {
    Functions F;
    void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!Library) {
      const char *Why = dlerror();
      F.Missing = Why ? Why : "libcuda.so.1 cannot be opened";
      return F;
    }
#define TORCHTIDY_ROW(Name, Parameters)                                        \
  F.Name = reinterpret_cast<Result(*) Parameters>(dlsym(Library, #Name));      \
  if (!F.Name && F.Missing.empty())                                            \
    F.Missing = "libcuda.so.1 has no " #Name;
    TORCHTIDY_CUDA_FUNCTIONS(TORCHTIDY_ROW)
#undef TORCHTIDY_ROW
    return F;
  }();
  if (!Loaded.Missing.empty()) {
    Error = Loaded.Missing;
    return nullptr;
  }
  std::unique_ptr<CudaDriver> D(new CudaDriver(Loaded, Device));
  auto Check = [&](Result R, const char *Call) {
    if (R != Success)
      Error = D->describe(said(R, Call));
    return R == Success;
  };
  int Id = 0, Supported = 0;
  if (!Check(Loaded.cuInit(0), "cuInit") ||
      !Check(Loaded.cuDeviceGet(&Id, Device), "cuDeviceGet") ||
      !Check(Loaded.cuDeviceGetAttribute(&Supported, AttributeVmmSupported, Id),
             "cuDeviceGetAttribute"))
    return nullptr;
  if (!Supported) {
    Error = "the device has no virtual memory management";
    return nullptr;
  }
  D->Properties.Type = AllocationPinned;
  D->Properties.RequestedHandleTypes = HandleTypes;
  D->Properties.Where = {LocationDevice, Device};
  if (!Check(Loaded.cuMemGetAllocationGranularity(
                 &D->Granularity, &D->Properties, GranularityMinimum),
             "cuMemGetAllocationGranularity") ||
      !Check(Loaded.cuDevicePrimaryCtxRetain(&D->Context, Id),
             "cuDevicePrimaryCtxRetain"))
    return nullptr;
  return D;
}

CudaDriver::~CudaDriver() {
  if (Context)
    (void)Call.cuDevicePrimaryCtxRelease_v2(Device);
}

Status CudaDriver::memoryInfo(MemoryInfo &To) {
  Current C(*this);
  if (C.failure())
    return said(C.failure(), "cuCtxPushCurrent");
  return said(Call.cuMemGetInfo_v2(&To.Free, &To.Total), "cuMemGetInfo");
}

Status CudaDriver::reserve(Address &At, size_t Bytes) {
  DevicePointer P = 0;
  const Result R = Call.cuMemAddressReserve(&P, Bytes, 0, 0, 0);
  At = P;
  return said(R, "cuMemAddressReserve");
}

Status CudaDriver::unreserve(Address At, size_t Bytes) {
  return said(Call.cuMemAddressFree(At, Bytes), "cuMemAddressFree");
}

Status CudaDriver::create(MemoryId &Id, size_t Bytes) {
  AllocationHandle H = 0;
  const Result R = Call.cuMemCreate(&H, Bytes, &Properties, 0);
  Id = H;
  return said(R, "cuMemCreate");
}

Status CudaDriver::release(MemoryId Id) {
  return said(Call.cuMemRelease(Id), "cuMemRelease");
}

Status CudaDriver::map(Address At, size_t Bytes, MemoryId Id) {
  return said(Call.cuMemMap(At, Bytes, 0, Id, 0), "cuMemMap");
}

Status CudaDriver::unmap(Address At, size_t Bytes) {
  return said(Call.cuMemUnmap(At, Bytes), "cuMemUnmap");
}

Status CudaDriver::setAccess(Address At, size_t Bytes, const int *Peers,
                             size_t PeerCount) {
  std::vector<AccessDescription> All(
      1, {{LocationDevice, Device}, AccessReadWrite});
  for (size_t I = 0; I < PeerCount; ++I)
    All.push_back({{LocationDevice, Peers[I]}, AccessReadWrite});
  return said(Call.cuMemSetAccess(At, Bytes, All.data(), All.size()),
              "cuMemSetAccess");
}

Status CudaDriver::record(Event &To, Stream S) {
  Current C(*this);
  if (C.failure())
    return said(C.failure(), "cuCtxPushCurrent");
  if (Result R = Call.cuEventCreate(&To, EventDisableTiming))
    return said(R, "cuEventCreate");
  Result R = Call.cuEventRecord(To, S);
  if (R)
    (void)Call.cuEventDestroy_v2(To);
  return said(R, "cuEventRecord");
}

Status CudaDriver::query(Event E) {
  Current C(*this);
  return said(Call.cuEventQuery(E), "cuEventQuery");
}

Status CudaDriver::wait(Event E) {
  Current C(*this);
  return said(Call.cuEventSynchronize(E), "cuEventSynchronize");
}

Status CudaDriver::destroy(Event E) {
  Current C(*this);
  return said(Call.cuEventDestroy_v2(E), "cuEventDestroy");
}

bool CudaDriver::capturing(Stream S) {
  // The default stream is one of the current context.
  Current C(*this);
  int State = 0;
  // A capture that the legacy stream would break counts as one.
  return Call.cuStreamIsCapturing(S, &State) != Success || State != 0;
}

std::string CudaDriver::describe(const Status &S) {
  const char *Name = nullptr, *Text = nullptr;
  std::string All = std::string(S.Call) + ": ";
  if (Call.cuGetErrorName(S.Code, &Name) == Success && Name &&
      Call.cuGetErrorString(S.Code, &Text) == Success && Text)
    return All + Text + " (" + Name + ")";
  return All + "error " + std::to_string(S.Code);
}
