// Statements of known truth: `//@ NAME yes|no [COLUMN-COLUMN | lines=N]` ends
// the line (or the last of N lines) of a statement that did or did not run.
#pragma once
#include <memory>
#include <string>
#include <vector>

using Value = std::shared_ptr<std::vector<float>>;

Value make(int N);          // in Plugin.cpp's sibling, never inlined
void consume(const Value &V);
float reduce(const Value &V);

struct Store {
  std::vector<Value> Kept;
  Value Total;
  double Sum = 0;

  inline void keep(const Value &V, int Mode) {
    if (Mode == 0)
      Kept.push_back(V); //@ header_keep yes
    else if (Mode == 1)
      Kept.emplace_back(make(2)); //@ header_emplace no
    else
      Kept.clear(); //@ header_clear no
  }
};

template <class T> void addTo(std::vector<T> &Into, const T &What, int N) {
  if (N > 3)
    Into.push_back(What); //@ template_high yes
  if (N > 1000)
    Into.insert(Into.begin(), What); //@ template_low no
}
