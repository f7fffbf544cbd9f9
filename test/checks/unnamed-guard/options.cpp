// RUN: %check %s torch-unnamed-guard --option GuardTypes=Hush
//
// A guard of the project whose kind only the option tells.

#include "../Inputs/net.h"

class Hush {
  int depth;

public:
  Hush();
  ~Hush();
  int level() const;
};

Tensor bad_own(Net &net, Tensor x) {
  Hush();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'Hush' without a name {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor ok_own(Net &net, Tensor x) {
  Hush hush;
  return net.forward(x);
}
