#include "hone/quantize/scheme.h"

#include <algorithm>
#include <cmath>

#include "hone/base/printable.h"
#include "hone/base/text.h"
#include "hone/ops/quant/integer.h"

namespace hone {

const std::vector<std::string>& scheme_names() {
  static const std::vector<std::string> kNames = {
      "int8", "uint8", "int16", "int4", "int8-weights", "int4-weights", "float", "fp16", "bf16"};
  return kNames;
}

Result<std::optional<Scheme>> scheme_named(const std::string& name) {
  Scheme scheme;
  if (name == "int8") return std::optional(scheme);
  if (name == "float") return std::optional<Scheme>();
  if (name == "uint8") {
    scheme.activations = scheme.weights = DType::U8;
  } else if (name == "int16") {
    scheme.activations = DType::I16;
    scheme.symmetric = true;
  } else if (name == "int4") {
    scheme.weights = DType::I4;
  } else if (name == "int8-weights") {
    scheme.activations = DType::F32;
  } else if (name == "int4-weights") {
    scheme.activations = DType::F32;
    scheme.weights = DType::I4;
  } else {
    return bad_input("no quantization '", name, "'", did_you_mean(name, scheme_names()),
                     "; there are: ", join(scheme_names()));
  }
  return std::optional(scheme);
}

std::string describe(const Scheme& scheme) {
  std::string text = scheme.quantizes_activations()
                         ? str(name_of(scheme.activations), " activations",
                               scheme.symmetric ? " without zero point" : "")
                         : std::string("float activations");
  text += str(", ", name_of(scheme.weights), " weights ");
  text += scheme.block_size > 0 ? str("in blocks of ", scheme.block_size)
          : scheme.per_channel  ? std::string("per channel")
                                : std::string("per tensor");
  if (scheme.reduce_range) text += ", 7 bits";
  if (scheme.power_of_two) text += ", scales of 2^n";
  return text;
}

Result<PlanReader> PlanReader::make(const QuantizePlan& plan) {
  PlanReader reader;
  reader.scheme_ = plan.scheme;
  reader.op_types_ = plan.op_types;
  reader.functions_ = plan.functions;
  for (const LayerRule& rule : plan.rules) {
    HONE_TRY(Regex scope, Regex::compile(rule.scope).in("layers"));
    reader.rules_.push_back({std::move(scope), rule.scheme});
  }
  return reader;
}

bool PlanReader::is_meant(const Node& node) const {
  return op_types_.empty() || (functions_ && is_elementwise(kind_of(node))) ||
         std::ranges::find(op_types_, node.op) != op_types_.end();
}

std::optional<Scheme> PlanReader::scheme_of(const Node& node) const {
  if (!is_meant(node)) return {};
  for (size_t i = rules_.size(); i-- > 0;) {
    if (rules_[i].scope.found_in(node.name)) return rules_[i].scheme;
  }
  return scheme_;
}

std::string exactly(const std::string& name) {
  std::string text = "^";
  std::string_view rest = name;
  while (!rest.empty()) {
    const std::optional<Utf8Character> character = first_character(rest);
    const std::string_view letter = rest.substr(0, character ? character->bytes : 1);
    if (std::string_view("\\^$.|?*+()[]{}").find(letter[0]) != std::string_view::npos) {
      text += '\\';
    }
    // A recipe is UTF-8: a byte that is none is any character.
    text += character ? letter : ".";
    rest.remove_prefix(letter.size());
  }
  return text + "$";
}

float power_of_two_above(float scale) {
  return std::exp2(std::ceil(std::log2(scale)));
}

Quantization activation_params(Range range, const Scheme& scheme) {
  const float low = std::min(range.low, 0.0f);
  const float high = std::max(range.high, 0.0f);
  const IntRange codes = range_of(scheme.activations);
  const auto first = static_cast<float>(codes.low);
  const auto last = static_cast<float>(codes.high);
  const bool centered = scheme.symmetric || scheme.activations == DType::I16;
  const float middle = scheme.activations == DType::U8 ? 128.0f : 0.0f;
  float scale = centered ? std::max(-low, high) / (last - middle) : (high - low) / (last - first);
  if (!(scale >= std::numeric_limits<float>::min())) scale = 1;
  if (scheme.power_of_two) scale = power_of_two_above(scale);
  const float zero = centered ? middle : std::clamp(std::round(first - low / scale), first, last);
  return {{scale}, {static_cast<int32_t>(zero)}};
}

int weight_limit(const Scheme& scheme) {
  if (scheme.weights == DType::I4) return 7;
  return scheme.reduce_range ? 63 : 127;
}

}  // namespace hone
