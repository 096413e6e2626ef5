#pragma once

#include <limits>

namespace hone {

// A function applied to every output of a kernel. Every kernel with a fused activation clamps to
// [low, high] on its own; the other kinds are applied by activate_f32 and its relatives to rows
// that have just been written and still lie in the cache.
struct Activation {
  enum class Kind {
    Clamp,        // max(low, min(high, x)); with the default range the identity.
    LeakyRelu,    // x < 0 ? alpha * x : x
    Sigmoid,      // 1 / (1 + exp(-x))
    Silu,         // x * sigmoid(x)
    HardSigmoid,  // max(0, min(1, alpha * x + beta))
    HardSwish,    // x * max(0, min(1, x / 6 + 0.5))
    Tanh,
    Gelu,      // x / 2 * (1 + erf(x / sqrt(2)))
    GeluTanh,  // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  };
  Kind kind = Kind::Clamp;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  float alpha = 0;
  float beta = 0;
};

}  // namespace hone
