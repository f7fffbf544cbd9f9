//===- fakecuda.h - Control of the fake CUDA driver -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the fake libcuda.so.1 exports beside CUDA's own functions. None of it
/// exists in a real driver: link it, or look it up by dlsym(RTLD_DEFAULT, ...)
/// to run on both. Plain C.
///
/// Times are nanoseconds of the virtual clock, sizes are bytes, errors are
/// CUresult values (0: success). Every function may be called from any thread.
/// `device` counts from 0; a device that does not exist reads as zeros, and
/// setting something of it does nothing.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// State of one device.
typedef struct FakeCudaMemory {
  uint64_t Limit;           ///< memory of the device
  uint64_t Used;            ///< in use: handles, mallocs, context
  uint64_t Peak;            ///< highest Used since the last reset
  uint64_t AddressReserved; ///< cuMemAddressReserve; of the whole process
  uint64_t Mapped;          ///< cuMemMap of this device's memory; aliases count
  uint64_t Handles;  ///< allocations of cuMemCreate that still hold memory
  uint64_t Mallocs;  ///< live blocks of cudaMalloc and cuMemAlloc
  uint64_t Mappings; ///< live mappings of cuMemMap of this device's memory
  uint64_t Errors;   ///< calls that returned an error, of the whole process
} FakeCudaMemory;

/// Bytes that a kernel touches.
typedef struct FakeCudaRange {
  uint64_t Address, Bytes;
  int Write; ///< not 0: written (and perhaps read); 0: only read
} FakeCudaRange;

/// As in a new process: memory, streams, contexts, clock, counters, plans,
/// latencies and faults are forgotten, devices and limits are those of the
/// environment again. Handles and addresses from before are invalid.
void fakecuda_reset(void);

/// Number of devices, 0 to 16; resets like fakecuda_reset(). 0, or
/// CUDA_ERROR_INVALID_VALUE.
int fakecuda_set_devices(int n);
/// Whether \p a may access memory of \p b (one direction; at first all may).
/// 0, or CUDA_ERROR_INVALID_DEVICE.
int fakecuda_set_peers(int a, int b, int can);
/// Memory of a device. Below what is in use: the next allocation fails.
void fakecuda_set_limit(int device, uint64_t bytes);
/// Handles that may exist at once on a device; 0: any number.
void fakecuda_set_handle_limit(int device, uint64_t handles);
/// Device addresses of the process that reservations and mallocs may take
/// together; 0: all there are (16 TiB).
void fakecuda_set_address_limit(uint64_t bytes);
void fakecuda_memory(int device, FakeCudaMemory *out);
/// Peak becomes what is in use now.
void fakecuda_reset_peak(int device);

/// Calls of an entry point ("cuMemMap", "cudaMalloc"; a suffix _v2 is ignored)
/// since the last reset of the counts; 0 for unknown names.
uint64_t fakecuda_count(const char *name);
void fakecuda_reset_counts(void);
/// Calls \p cb for every entry point with a count that is not 0.
void fakecuda_each_count(void (*cb)(const char *name, uint64_t count, void *),
                         void *context);

/// Replaces the failure plan; null or "" clears it. Items, separated by `;`:
///   NAME@N=ERR    the N-th call from now (from 1) fails with ERR
///   NAME@N+M=ERR  calls N to N+M-1 fail
///   NAME%K=ERR    every K-th call fails
/// ERR is a number or a name like CUDA_ERROR_OUT_OF_MEMORY. A call that fails
/// changes nothing. Null, or what is wrong with the plan (valid until the next
/// call in this thread); a wrong plan leaves the old one in force.
const char *fakecuda_inject(const char *plan);

/// Puts a kernel of \p ns on a stream (null: the device's default stream). It
/// starts when the stream's earlier work is done. 0; CUDA_ERROR_INVALID_DEVICE;
/// CUDA_ERROR_INVALID_HANDLE: no stream of this device;
/// CUDA_ERROR_ILLEGAL_ADDRESS: a range is not mapped with access for the device
/// (a fault: nothing is launched) or there was a fault before. On a stream
/// under capture nothing happens.
int fakecuda_launch(int device, void *stream, uint64_t ns,
                    const FakeCudaRange *ranges, size_t n);

/// Virtual time of the host, from 0.
uint64_t fakecuda_now(void);
/// The host computes for \p ns.
void fakecuda_advance(uint64_t ns);
/// Sum of the latencies of all calls since the last reset of the times.
uint64_t fakecuda_driver_ns(void);
/// Time that the host waited for devices since then.
uint64_t fakecuda_stall_ns(void);
/// Sets both sums to 0; the clock goes on.
void fakecuda_reset_times(void);
/// Events recorded from now on complete that much later than their work.
void fakecuda_set_event_delay(uint64_t ns);
/// Latency of an entry point: \p ns per call plus \p ns_per_mib per MiB. Null,
/// or what is wrong.
const char *fakecuda_set_latency(const char *name, uint64_t ns,
                                 uint64_t ns_per_mib);

/// Accesses to memory that was not there, and memory taken away below kernels.
/// After one of them calls return CUDA_ERROR_ILLEGAL_ADDRESS.
uint64_t fakecuda_faults(void);
/// Pairs of kernels that touched the same bytes without an order, one of them
/// writing. A GPU would not notice: no call fails for it.
uint64_t fakecuda_races(void);
/// Text of the first fault or race; null if there was none. Valid until they
/// are cleared.
const char *fakecuda_first_fault(void);
/// Text of the \p index-th fault or race (32 are kept); null behind the last.
const char *fakecuda_fault_text(size_t index);
/// Forgets faults and races; calls work again.
void fakecuda_clear_faults(void);

/// Begins (1) or ends (0) the capture of a stream of the calling thread's
/// device, as if in mode "global" (null: the default stream).
void fakecuda_set_capturing(void *stream, int on);

#ifdef __cplusplus
}
#endif

#endif // FAKECUDA_H
