// The same integer network under other integer semantics: which answers change, and where that
// begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/ops/context.h"
#include "hone/validate/validate.h"

namespace hone {

// "tflite-reference", "tflite-single", "tflite-neon": how integer operators round. And two ways to
// compute products: "u8s8-saturating" (arithmetic/u8s8.h), "per-tensor" (arithmetic/per_tensor.h),
// both with the rounding that the network usually has.
const std::vector<std::string>& known_arithmetics();

// What targets compute a network with when nobody says otherwise: tflite-single where integers come
// from Q/DQ pairs, else tflite-reference.
std::string usual_arithmetic(const Graph& graph);

struct ArithmeticChange {
  std::string name;
  std::string against = "tflite-reference";
  std::string target = "cpu";  // The one that computed it.
  int64_t samples = 0;
  std::vector<int64_t> answers = {};  // Samples whose largest output is another.
  std::vector<int64_t> outputs = {};  // Samples of which any element of any output is another.
  // On the first sample of `answers`, or else of `outputs`: the layer that differs first.
  std::optional<int64_t> example = {};
  std::string layer = {};
  int64_t different = 0;  // Elements of that layer's output, of so many.
  int64_t elements = 0;
  std::optional<Metric> metric = {};  // With this arithmetic, where the data can tell.
};

struct ArithmeticComparison {
  ArithmeticChange change;
  Predictions predictions;  // With the other arithmetic.
};

// Computes every sample twice, on the cpu target or, for arithmetic that no target has, with the
// operators' references; Q/DQ pairs run as the integer operators they stand for. BadInput when
// there is no such arithmetic, or when the network has no operator that it could concern.
Result<ArithmeticComparison> compare_arithmetic(const Graph& graph, const DataSet& data,
                                                const std::string& name, int threads);

}  // namespace hone
