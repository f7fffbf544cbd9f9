// RUN: %check %s torch-retained-graph
//
// What other-files.cpp fills is emptied here.

#include "../Inputs/trainer.h"

void Trainer::reset() {
  ok_losses.clear();
  seen.clear();
  ok_all_losses.clear();
}
