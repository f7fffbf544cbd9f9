//===- DriverLookup.cpp - Names of errors and functions -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaDriver.h"
#include "ErrorTexts.h"
#include "Lookup.h"
#include <cstring>

using namespace fakecuda;
using namespace fakecuda::abi;

CUresult cuGetErrorName(CUresult Error, const char **Name) {
  Call C(Entry::cuGetErrorName);
  const ErrorTexts *T = findError(Error);
  if (!Name || !T)
    return C.fail(InvalidValue, "null argument or no such error");
  *Name = T->Driver;
  return Success;
}

CUresult cuGetErrorString(CUresult Error, const char **Text) {
  Call C(Entry::cuGetErrorString);
  const ErrorTexts *T = findError(Error);
  if (!Text || !T)
    return C.fail(InvalidValue, "null argument or no such error");
  *Text = T->Text;
  return Success;
}

const ErrorTexts *fakecuda::findError(int Error) {
  static const ErrorTexts All[] = {
#define FAKECUDA_ERROR(Name, Value, Driver, Runtime, Text)                     \
  {Value, Driver, Runtime, Text},
#include "Errors.def"
  };
  for (const ErrorTexts &T : All)
    if (T.Value == Error)
      return &T;
  return nullptr;
}

void *fakecuda::findDriverFunction(const char *Name, int Version) {
  // The only function here whose arguments changed.
  if (!std::strcmp(Name, "cuStreamGetCaptureInfo") && Version < 12030)
    return reinterpret_cast<void *>(cuStreamGetCaptureInfo_v2);
  struct {
    const char *Name;
    void *Function;
  } static const All[] = {
#define FAKECUDA_DRIVER(Name, Symbol, Needs, Ns, NsPerMib)                     \
  {#Name, reinterpret_cast<void *>(Symbol)},
#include "EntryPoints.def"
  };
  for (const auto &F : All)
    if (!std::strcmp(F.Name, Name))
      return F.Function;
  return nullptr;
}

CUresult cuGetProcAddress_v2(const char *Symbol, void **Function, int Version,
                             uint64_t, int *Status) {
  Call C(Entry::cuGetProcAddress);
  if (int E = C.error())
    return E;
  if (!Symbol || !Function)
    return C.fail(InvalidValue, "null argument");
  *Function = findDriverFunction(Symbol, Version);
  if (Status)
    *Status = *Function ? SymbolFound : SymbolNotFound;
  if (!*Function)
    return C.fail(NotFound, "not modelled");
  return Success;
}
