// RUN: %tidy --quiet --checks=-*,torch-retained-graph --header-filter= %s \
// RUN:   -- -std=c++17 -isystem %mock | count 0
// RUN: %tidy --quiet --checks=-*,torch-retained-graph --header-filter=defect \
// RUN:   %s -- -std=c++17 -isystem %mock | %filecheck %s
//
// CHECK: defect.h:10:{{.*}} [torch-retained-graph]

#include "../Inputs/defect.h"
