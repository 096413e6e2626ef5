// One of several programs that take turns on the same machine.
#pragma once

#include "hone/targets/target.h"

namespace hone {

struct Contestant {
  const Program& program;
  const std::vector<Item>& inputs;
  double batch = 1;  // Inputs of the other that a run computes: its time is told of one of them.
};

class TurnTaker {
 public:
  explicit TurnTaker(const Contestant& contestant)
      : inputs_(contestant.inputs), batch_(contestant.batch), session_(contestant.program.open()) {}

  // A run that brings its weights back into the caches, then one that counts, or for short runs the
  // median of as many as it takes to be as fast as by itself: of what a network needs, caches and
  // the processor's predictors learn more in every run.
  Status turn();
  void forget() { ms_.clear(); }
  const std::vector<double>& ms() const { return ms_; }  // Of every turn.

 private:
  Result<double> run();

  const std::vector<Item>& inputs_;
  double batch_;
  std::unique_ptr<Session> session_;
  std::vector<Item> outputs_ = {};
  std::vector<double> ms_ = {};
};

}  // namespace hone
