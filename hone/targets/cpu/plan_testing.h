// What the tests of chains, followers and joins share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hone/targets/cpu/plan.h"

namespace hone::cpu {

// Whatever it costs, in stripes far lower than the images of these tests.
inline constexpr ChainLimits kAnyChain = {.smallest_link = 0,
                                          .most_rows = 14 << 10,
                                          .most_weights = 1e9,
                                          .most_overlap = 1e9,
                                          .followers = true};

inline std::shared_ptr<const Plan> plan_of(const std::string& text, const CompileOptions& options,
                                           const ChainLimits& limits = usual_chain_limits()) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message << "\n" << text;
  auto plan = make_plan(*std::move(graph), options, limits);
  EXPECT_TRUE(plan.ok()) << plan.error().message << "\n" << text;
  return *std::move(plan);
}

// For the only input, of bytes or floats.
inline Item random_input(const Plan& plan, std::mt19937& random) {
  Tensor tensor(plan.graph.inputs()[0]->type.tensor);
  if (tensor.dtype() == DType::I8) {
    for (int8_t& x : tensor.mutable_data<int8_t>()) x = static_cast<int8_t>(random());
  } else {
    for (float& x : tensor.mutable_data<float>()) {
      x = static_cast<float>(random() % 2001) / 1000 - 1;
    }
  }
  return tensor;
}

inline bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() &&
         std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0;
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
