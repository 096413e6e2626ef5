// Single operators on the cpu target against their references.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"

namespace hone {

class Rng {
 public:
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  bool coin() { return between(0, 1) == 1; }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  // A constant in the text form.
  std::string floats(const Shape& shape) {
    std::string text = str("f32[", join(shape), "]{");
    for (int64_t i = 0; i < elements(shape); ++i) {
      text += str(static_cast<double>(between(-1000, 1000)) / 1000, " ");
    }
    return text + "}";
  }
  static std::string join(const Shape& numbers) {
    std::string text;
    for (const int64_t number : numbers) text += str(text.empty() ? "" : ",", number);
    return text;
  }

 private:
  std::mt19937 engine_{1};
};

inline constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single,
                                          Rounding::DoubleUpward};

inline std::vector<Item> run_on(const std::string& target, const Graph& graph,
                                const CompileOptions& options, const std::vector<Item>& inputs,
                                const std::string& lowered = "") {
  auto program = (*find_target(target))->open()->compile(std::move(*graph.clone()), options);
  EXPECT_TRUE(program.ok()) << program.error().message;
  for (const StepInfo& step : (*program)->steps()) {
    EXPECT_FALSE(step.node->op == lowered && step.kind.reference) << step.node->op;
  }
  auto outputs = (*program)->run(inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return outputs.ok() ? *std::move(outputs) : std::vector<Item>();
}

// The graph's `op` does not run through its reference, and the outputs differ from the reference's
// by at most `tolerance` of the largest magnitude; 0 means equal bits.
inline void expect_lowered(const std::string& op, const std::string& text, double tolerance,
                           const EvalOptions& eval = {}) {
  SCOPED_TRACE(text.substr(0, 2000));
  const auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto inputs = make_inputs(*graph, {}, 7);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  CompileOptions options{.threads = 1};
  options.eval = eval;
  const auto expected = run_on("ref", *graph, options, *inputs);
  for (const int threads : {1, 3}) {
    options.threads = threads;
    const auto actual = run_on("cpu", *graph, options, *inputs, op);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Difference difference = compare(actual[i].tensor, expected[i].tensor);
      EXPECT_TRUE(difference.comparable) << difference.what;
      EXPECT_LE(difference.max_abs, tolerance * difference.max_magnitude) << "output " << i;
    }
  }
}

}  // namespace hone
