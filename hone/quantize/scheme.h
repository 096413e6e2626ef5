// How the numbers of a layer are stored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/ops/text/regex.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct Scheme {
  DType activations = DType::I8;  // I8, U8 or I16; F32 leaves them as they are.
  DType weights = DType::I8;      // I8, U8 or I4.
  bool per_channel = true;        // A weight scale for every output channel.
  bool symmetric = false;         // Activations have their zero point in the middle.
  bool reduce_range = false;      // Weights of 7 bits: sums of two products fit 16 bits.
  bool power_of_two = false;      // Every scale is 2^n.
  int block_size = 0;             // Of 4-bit weights: a scale for every so many along the input.

  bool quantizes_activations() const { return activations != DType::F32; }
  bool operator==(const Scheme&) const = default;
};

// "int8", "uint8", "int16" (activations; weights int8), "int4" (weights; activations int8),
// "int8-weights", "int4-weights" (float activations), "float" (nothing).
Result<std::optional<Scheme>> scheme_named(const std::string& name);
// The names of schemes, and "fp16" and "bf16", which change the type of floats instead.
const std::vector<std::string>& scheme_names();
// "int8 activations, int8 weights per channel".
std::string describe(const Scheme& scheme);

// Layers whose name the expression finds.
struct LayerRule {
  std::string scope;             // Regular expression, searched in the name of the layer.
  std::optional<Scheme> scheme;  // Nothing: float.
};

// Who gets what. The last rule that finds a layer decides; without one it gets `scheme`.
struct QuantizePlan {
  Scheme scheme = {};
  std::vector<std::string> op_types = {};  // Only these operators; empty: all that make sense.
  bool functions = false;                  // And functions of one value, whatever they are made of.
  std::vector<LayerRule> rules = {};
};

// Looks layers up in a plan.
class PlanReader {
 public:
  // BadInput names an expression that is none.
  static Result<PlanReader> make(const QuantizePlan& plan);
  // Nothing: the layer stays float.
  std::optional<Scheme> scheme_of(const Node& node) const;

 private:
  struct Rule {
    Regex scope;
    std::optional<Scheme> scheme;
  };
  bool is_meant(const Node& node) const;

  std::vector<std::string> op_types_;
  bool functions_ = false;
  Scheme scheme_;
  std::vector<Rule> rules_;
};

// The expression that finds this name alone.
std::string exactly(const std::string& name);

struct Range {
  float low = 0;
  float high = 0;
};

// The scale and zero point under which an integer type covers the range. Zero is always a value of
// its own: padding must be exact.
Quantization activation_params(Range range, const Scheme& scheme);
// For scales that are shifts.
float power_of_two_above(float scale);
// The largest magnitude of quantized weights: 127, 63 with a reduced range, 7 for 4 bits.
int weight_limit(const Scheme& scheme);

}  // namespace hone
