#include "hone/analyze/activation_cost.h"

#include <map>
#include <vector>

#include "hone/kernels/activate/activate.h"
#include "hone/kernels/roof/best_burst.h"

namespace hone {
namespace {

using Kind = Activation::Kind;

struct Known {
  const char* name;
  Kind kind;
  const char* cheaper;
};
constexpr Known kKnown[] = {
    {"swish", Kind::Silu, "hard_swish"},
    {"gelu", Kind::Gelu, "hard_swish"},
    {"gelu_tanh", Kind::GeluTanh, "hard_swish"},
    {"sigmoid", Kind::Sigmoid, "hard_sigmoid"},
    {"tanh", Kind::Tanh, "clip"},
    {"hard_swish", Kind::HardSwish, ""},
    {"hard_sigmoid", Kind::HardSigmoid, ""},
    {"clip", Kind::Clamp, ""},
};

const Known* find(const std::string& name) {
  for (const Known& known : kKnown) {
    if (name == known.name) return &known;
  }
  return nullptr;
}

double measure(Kind kind) {
  constexpr size_t kElements = 4096;
  const ActivateF32 activate = best_variant(activate_f32_variants()).run;
  const Activation activation{.kind = kind, .low = 0, .high = 6, .alpha = 0.2f, .beta = 0.5f};
  std::vector<float> x(kElements, 0.5f);
  std::vector<float> y(kElements);
  const BurstRate rate = best_burst(
      [&](size_t n) {
        for (size_t i = 0; i < n; ++i) {
          activate(activation, 1, kElements, x.data(), kElements, y.data(), kElements);
        }
      },
      0.02);
  return 1e9 / rate.per_second / kElements;
}

}  // namespace

std::string activation_of(const Node& node) {
  if (find(node.op) != nullptr) return node.op;
  const auto* fused = node.find_attr<std::string>("activation");
  if (fused == nullptr) return "";
  return *fused == "silu" ? "swish" : *fused;
}

std::string cheaper_activation(const std::string& name) {
  const Known* known = find(name);
  return known == nullptr ? "" : known->cheaper;
}

double activation_ns(const std::string& name) {
  static std::map<std::string, double> measured;
  const Known* known = find(name);
  if (known == nullptr) return 0;
  const auto [entry, added] = measured.try_emplace(name, 0);
  if (added) entry->second = measure(known->kind);
  return entry->second;
}

}  // namespace hone
