// What the tests of chains and followers share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hone/targets/cpu/plan.h"

namespace hone::cpu {

inline std::shared_ptr<const Plan> plan_of(const std::string& text, const CompileOptions& options,
                                           const ChainLimits& limits) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message << "\n" << text;
  auto plan = make_plan(*std::move(graph), options, limits);
  EXPECT_TRUE(plan.ok()) << plan.error().message << "\n" << text;
  return *std::move(plan);
}

// Hears of steps; each must take some time.
class Listener final : public StepObserver {
 public:
  void begin() override {}
  void step_done(size_t step, std::span<const double>) override { steps.push_back(step); }
  void steps_done(size_t first, std::span<const double> seconds,
                  std::span<const double> busy) override {
    for (const double part : seconds) EXPECT_GT(part, 0);
    StepObserver::steps_done(first, seconds, busy);
  }
  std::vector<size_t> steps;
};

}  // namespace hone::cpu
