#include "Sink.h"

static void local(std::vector<Value> &V, const Value &X) {
  V.push_back(X); //@ plugin_push yes
}
extern "C" void pluginEntry(std::vector<Value> *V, const Value *X) {
  local(*V, *X);
}
extern "C" void pluginNever(std::vector<Value> *V, const Value *X) {
  V->push_back(*X); //@ plugin_never no
}
