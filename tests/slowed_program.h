// A program with a step that takes longer: what comparisons of speed must find.
#pragma once

#include <chrono>

#include "hone/targets/target.h"

namespace hone {

// Another session that spins for a while after one step.
class SlowedSession final : public Session {
 public:
  SlowedSession(std::unique_ptr<Session> inner, size_t step, double seconds)
      : inner_(std::move(inner)), step_(step), seconds_(seconds) {}

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    Spinner spinner(*this, nullptr);
    return inner_->run_observed(inputs, outputs, spinner);
  }
  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    Spinner spinner(*this, &observer);
    return inner_->run_observed(inputs, outputs, spinner);
  }

 private:
  struct Spinner final : StepObserver {
    Spinner(const SlowedSession& of, StepObserver* then) : slowed(of), next(then) {}
    void begin() override {
      if (next != nullptr) next->begin();
    }
    void step_done(size_t step, std::span<const double> busy) override {
      const auto end = std::chrono::steady_clock::now() +
                       std::chrono::duration<double>(step == slowed.step_ ? slowed.seconds_ : 0);
      while (std::chrono::steady_clock::now() < end) continue;
      if (next != nullptr) next->step_done(step, busy);
    }
    const SlowedSession& slowed;
    StepObserver* next;
  };

  std::unique_ptr<Session> inner_;
  size_t step_;
  double seconds_;
};

class SlowedProgram final : public Program {
 public:
  SlowedProgram(const Program& inner, size_t step, double seconds)
      : inner_(inner), step_(step), seconds_(seconds) {}
  std::unique_ptr<Session> open() const override {
    return std::make_unique<SlowedSession>(inner_.open(), step_, seconds_);
  }
  const Graph& graph() const override { return inner_.graph(); }
  std::vector<StepInfo> steps() const override { return inner_.steps(); }

 private:
  const Program& inner_;
  size_t step_;
  double seconds_;
};

}  // namespace hone
