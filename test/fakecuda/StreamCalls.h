//===- StreamCalls.h - What both libraries do with streams ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bodies of the calls about streams and events, the same in the driver and the
/// runtime.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_STREAMCALLS_H
#define FAKECUDA_STREAMCALLS_H

#include "Call.h"

namespace fakecuda {

int createStream(Call &C, void **Made, unsigned Flags);
int destroyStream(Call &C, void *Handle);
int queryStream(Call &C, void *Handle);
int synchronizeStream(Call &C, void *Handle);
int waitEvent(Call &C, void *Handle, void *EventHandle);
int captureInfo(Call &C, void *Handle, int *Status, uint64_t *Id);
int exchangeCaptureMode(Call &C, int *Mode);
int createEvent(Call &C, void **Made, unsigned Flags);
int destroyEvent(Call &C, void *Handle);
int recordEvent(Call &C, void *Handle, void *StreamHandle);
int queryEvent(Call &C, void *Handle);
int synchronizeEvent(Call &C, void *Handle);
int elapsedTime(Call &C, float *Milliseconds, void *Begin, void *End);
/// Graphs are not modelled: captures have no nodes.
void noGraph(void **Graph, void *const **Dependencies, const void **Edges,
             size_t *Count);

} // namespace fakecuda

#endif // FAKECUDA_STREAMCALLS_H
