#include "Sink.h"

__attribute__((noinline)) Value make(int N) {
  return std::make_shared<std::vector<float>>(N, 1.0f);
}
__attribute__((noinline)) void consume(const Value &V) {
  if (V && V->size() == 123456)
    V->clear(); //@ consume_clear no
}
__attribute__((noinline)) float reduce(const Value &V) {
  float Sum = 0;
  for (float F : *V)
    Sum += F;
  return Sum;
}
