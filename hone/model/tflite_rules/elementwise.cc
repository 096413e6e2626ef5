#include <algorithm>
#include <cmath>

#include "hone/model/tflite_export.h"

namespace hone {
namespace {

struct PlainWord {
  std::string_view op;
  std::string_view tflite;
};

// Operators that are one of TFLite's, with the same inputs and no options.
constexpr PlainWord kPlainWords[] = {
    {"abs", "ABS"},
    {"and", "LOGICAL_AND"},
    {"atan2", "ATAN2"},
    {"ceil", "CEIL"},
    {"cos", "COS"},
    {"equal", "EQUAL"},
    {"exp", "EXP"},
    {"floor", "FLOOR"},
    {"greater", "GREATER"},
    {"greater_or_equal", "GREATER_EQUAL"},
    {"hard_swish", "HARD_SWISH"},
    {"l2_normalize", "L2_NORMALIZATION"},
    {"less", "LESS"},
    {"less_or_equal", "LESS_EQUAL"},
    {"log", "LOG"},
    {"neg", "NEG"},
    {"not", "LOGICAL_NOT"},
    {"or", "LOGICAL_OR"},
    {"pow", "POW"},
    {"prelu", "PRELU"},
    {"relu", "RELU"},
    {"round", "ROUND"},
    {"rsqrt", "RSQRT"},
    {"sigmoid", "LOGISTIC"},
    {"sign", "SIGN"},
    {"sin", "SIN"},
    {"sqrt", "SQRT"},
    {"squared_difference", "SQUARED_DIFFERENCE"},
    {"tanh", "TANH"},
    {"where", "SELECT_V2"},
};

Status write_plain(TfliteExport& out, const Node& node) {
  const auto* word = std::ranges::find(kPlainWords, node.op, &PlainWord::op);
  out.add_as(word->tflite, node);
  return Done{};
}

std::string upper(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// ADD, SUB, MUL, DIV.
Status write_arithmetic(TfliteExport& out, const Node& node) {
  HONE_TRY(const std::string activation, tflite_activation(node));
  TfliteExport::Options options{{"fused_activation_function", activation}};
  const bool sums = node.op == "add" || node.op == "sub";
  if (sums && node.outputs[0]->type.tensor.dtype == DType::I16) options["pot_scale_int16"] = false;
  out.add_as(upper(node.op), node, std::move(options));
  return Done{};
}

// Of any number of inputs, where TFLite's have two.
Status write_extreme(TfliteExport& out, const Node& node) {
  const std::string_view op = node.op == "max" ? "MAXIMUM" : "MINIMUM";
  const Value* y = node.outputs[0];
  if (node.inputs.size() < 2) return unsupported("an extreme of one input");
  int so_far = out.tensor(node.inputs[0]);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const bool last = i + 1 == node.inputs.size();
    if (!last && node.inputs[i]->type.tensor.shape != y->type.tensor.shape) {
      return unsupported("an extreme of several inputs that are broadcast");
    }
    const int to = last ? out.tensor(y) : out.temporary(str(y->name, "/", i), y->type.tensor);
    out.add(op, {so_far, out.tensor(node.inputs[i])}, {to});
    so_far = to;
  }
  return Done{};
}

std::optional<float> bound_of(const Node& node, size_t input) {
  const Value* value = export_input(node, input);
  if (value == nullptr || !value->constant || value->constant->dtype() != DType::F32) return {};
  return value->constant->data<float>()[0];
}

// The one operator that a clip is, or "".
std::string_view clip_word(const Node& node) {
  const auto low = bound_of(node, 1);
  const auto high = bound_of(node, 2);
  if (!low || (export_input(node, 2) != nullptr && !high)) return "";
  if (*low == 0 && (!high || std::isinf(*high))) return "RELU";
  if (high && *low == 0 && *high == 6) return "RELU6";
  if (high && *low == -1 && *high == 1) return "RELU_N1_TO_1";
  return "";
}

Status write_clip(TfliteExport& out, const Node& node) {
  const int x = out.tensor(node.inputs[0]);
  const int y = out.tensor(node.outputs[0]);
  if (const std::string_view word = clip_word(node); !word.empty()) {
    out.add(word, {x}, {y});
    return Done{};
  }
  const Value* low = export_input(node, 1);
  const Value* high = export_input(node, 2);
  if (low == nullptr && high == nullptr) return unsupported("a clip without bounds");
  if (low == nullptr || high == nullptr) {
    out.add(low == nullptr ? "MINIMUM" : "MAXIMUM", {x, out.tensor(low == nullptr ? high : low)},
            {y});
    return Done{};
  }
  const int cut = out.temporary(node.outputs[0]->name + "/cut", node.outputs[0]->type.tensor);
  out.add("MAXIMUM", {x, out.tensor(low)}, {cut});
  out.add("MINIMUM", {cut, out.tensor(high)}, {y});
  return Done{};
}

// A number for all elements, and an operator with it.
int add_with(TfliteExport& out, const Node& node, std::string_view op, int x, float number,
             std::string_view what, int to, const std::string& activation = "NONE") {
  const int constant =
      out.constant(str(node.outputs[0]->name, "/", what, "_by"), Tensor::scalar(number));
  out.add(op, {x, constant}, {to}, {{"fused_activation_function", activation}});
  return to;
}

int elementwise_temporary(TfliteExport& out, const Node& node, std::string_view what) {
  return out.temporary(str(node.outputs[0]->name, "/", what), node.outputs[0]->type.tensor);
}

// alpha * x + beta limited to [0, 1] is a sixth of relu6(6 * alpha * x + 6 * beta).
Status write_hard_sigmoid(TfliteExport& out, const Node& node) {
  const double alpha = 6 * export_attr<double>(node, "alpha");
  const double beta = 6 * export_attr<double>(node, "beta");
  int x = out.tensor(node.inputs[0]);
  if (std::abs(alpha - 1) > 1e-6) {
    x = add_with(out, node, "MUL", x, static_cast<float>(alpha), "scaled",
                 elementwise_temporary(out, node, "scaled"));
  }
  x = add_with(out, node, "ADD", x, static_cast<float>(beta), "moved",
               elementwise_temporary(out, node, "moved"), "RELU6");
  add_with(out, node, "MUL", x, 1.0F / 6, "sixth", out.tensor(node.outputs[0]));
  return Done{};
}

// x * sigmoid(alpha * x).
Status write_swish(TfliteExport& out, const Node& node) {
  const double alpha = export_attr<double>(node, "alpha");
  const int x = out.tensor(node.inputs[0]);
  int scaled = x;
  if (alpha != 1) {
    scaled = add_with(out, node, "MUL", x, static_cast<float>(alpha), "scaled",
                      elementwise_temporary(out, node, "scaled"));
  }
  const int gate = elementwise_temporary(out, node, "gate");
  out.add("LOGISTIC", {scaled}, {gate});
  out.add("MUL", {x, gate}, {out.tensor(node.outputs[0])},
          {{"fused_activation_function", std::string("NONE")}});
  return Done{};
}

Status write_reciprocal(TfliteExport& out, const Node& node) {
  const int one = out.constant(node.outputs[0]->name + "/one", Tensor::scalar(1.0F));
  out.add("DIV", {one, out.tensor(node.inputs[0])}, {out.tensor(node.outputs[0])},
          {{"fused_activation_function", std::string("NONE")}});
  return Done{};
}

Status write_elu(TfliteExport& out, const Node& node) {
  if (export_attr<double>(node, "alpha") != 1) return unsupported("an alpha that is not 1");
  out.add_as("ELU", node);
  return Done{};
}

Status write_leaky_relu(TfliteExport& out, const Node& node) {
  out.add_as("LEAKY_RELU", node, {{"alpha", export_attr<double>(node, "alpha")}});
  return Done{};
}

Status write_gelu(TfliteExport& out, const Node& node) {
  const bool approximate = export_attr<std::string>(node, "approximate") == "tanh";
  out.add_as("GELU", node, {{"approximate", approximate}});
  return Done{};
}

std::vector<TfliteExportRule> all_elementwise() {
  std::vector<TfliteExportRule> rules = {
      {"add", write_arithmetic},
      {"clip", write_clip},
      {"div", write_arithmetic},
      {"elu", write_elu},
      {"gelu", write_gelu},
      {"hard_sigmoid", write_hard_sigmoid},
      {"leaky_relu", write_leaky_relu},
      {"max", write_extreme},
      {"min", write_extreme},
      {"mul", write_arithmetic},
      {"reciprocal", write_reciprocal},
      {"sub", write_arithmetic},
      {"swish", write_swish},
  };
  for (const PlainWord& word : kPlainWords) rules.push_back({word.op, write_plain});
  return rules;
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_elementwise_rules = all_elementwise();

}  // namespace hone
