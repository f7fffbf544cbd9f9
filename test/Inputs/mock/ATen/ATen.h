//===- ATen.h - Mock of LibTorch's ATen/ATen.h ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <ATen/Functions.h>
#include <ATen/Tensor.h>
#include <ATen/core/ivalue.h>
