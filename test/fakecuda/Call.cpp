//===- Call.cpp - One call of an entry point ------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include <cstdio>

using namespace fakecuda;
using namespace fakecuda::abi;

Call::Call(Entry E) : M(Machine::get()), Guard(M.Lock), Which(E) {
  M.Table.count(E);
  Outcome O = prepare();
  if (O.Error)
    Failed = done(O);
}

Call::~Call() {
  uint64_t Ns = M.Table.cost(Which, Times, Bytes);
  M.Time.advance(Ns);
  M.DriverNs += Ns;
}

Outcome Call::prepare() {
  if (int Planned = M.Table.injected(Which))
    return {Planned, "as planned"};
  const EntryPoint &P = Calls::entry(Which);
  if (P.Need == Needs::Nothing)
    return {};
  if (P.Runtime && !M.Initialized) {
    if (M.devices() == 0)
      return {NoDevice, "there is no device"};
    M.Initialized = true;
  }
  if (!M.Initialized)
    return {NotInitialized, "cuInit was not called"};
  if (M.Problems.poisoned())
    return {IllegalAddress, "after a fault"};
  if (P.Need == Needs::Init)
    return {};
  if (P.Runtime)
    return M.ensureContext();
  int D = M.thread().current();
  if (D < 0)
    return {InvalidContext, "no context is current"};
  if (!M.Devices[D].ContextReferences)
    return {ContextIsDestroyed, "the current context was released"};
  return {};
}

int Call::done(Outcome O) {
  if (O.Error == Success)
    return Success;
  const EntryPoint &P = Calls::entry(Which);
  if (P.Runtime)
    M.thread().LastError = O.Error;
  if (O.Error == NotReady)
    return O.Error;
  ++M.Errors;
  if (M.verbose())
    std::fprintf(stderr, "fakecuda: %s -> %d: %s\n", P.Name, O.Error, O.Why);
  return O.Error;
}

bool Call::findStream(void *Handle, Stream *&S) {
  S = M.Time.stream(Handle, device());
  return S;
}

bool Call::findEvent(void *Handle, Event *&E) {
  E = M.Time.event(Handle);
  return E;
}
