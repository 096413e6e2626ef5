#include "hone/targets/cuda/map_i8.h"

#include <algorithm>

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/ops/op_def.h"
#include "hone/targets/common/byte_table.h"
#include "hone/targets/cuda/quantized.h"
#include "hone/targets/cuda/strided.h"
#include "hone/targets/cuda/weighted_i8.h"

namespace hone::cuda {
namespace {

constexpr unsigned kMapI8Block = 256;

// One constant scale and zero point of ONNX's operators.
struct LinearParams {
  float scale;
  int32_t zero_point;
};
std::optional<LinearParams> linear_params(const Node& node) {
  const auto& scale = node.inputs[1]->constant;
  if (!scale || scale->dtype() != DType::F32 || scale->elements() != 1) return std::nullopt;
  LinearParams params{scale->data<float>()[0], 0};
  if (const Value* zero = input_of(node, 2)) {
    if (!zero->constant || zero->constant->elements() != 1) return std::nullopt;
    params.zero_point = static_cast<int32_t>(to_ints(*zero->constant)[0]);
  }
  if (!(params.scale > 0)) return std::nullopt;
  return params;
}

bool is_stored_integer(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8 || dtype == DType::I16;
}

bool is_countable(const Value* value, const StepBuilder& builder) {
  if (value == nullptr || !builder.planned(value)) return false;
  const int64_t elements = value->type.tensor.elements();
  return elements > 0 && elements <= kMostElements;
}

std::string quantized_text(const std::string& x, std::string_view round, float scale, int32_t zero,
                           IntRange range) {
  return str("placed(whole_steps(", round, "(__fdiv_rn(", x, ", ", literal(scale), "))), ",
             place_text(zero, range), ")");
}

std::string dequantized_text(const std::string& x, float scale, int32_t zero) {
  return str("(", literal(scale), " * (float)(", x, " - ", zero, "))");
}

// A function of one byte is the table of its results, `table` by name.
std::string table_text(const Node& node, const std::string& table, const std::string& x) {
  const std::string_view type = integer_name(node.outputs[0]->type.tensor.dtype);
  return str("(int)(", type, ")", table, "[(u8)", x, "]");
}

std::string sum_text(const Node& node, const SumFactors& factors, IntRange range,
                     const std::vector<std::string>& x) {
  const TensorType& y = node.outputs[0]->type.tensor;
  const int64_t more = int64_t{1} << sum_headroom(y.dtype);
  const auto less_zero = [&](size_t i) {
    return str("(", x[i], " - ", node.inputs[i]->type.tensor.quant->zero_point(), ") * ", more);
  };
  return str("placed(", node.op == "sub" ? "difference_of(" : "sum_of(", less_zero(0), ", ",
             factor_text(factors.a), ", ", less_zero(1), ", ", factor_text(factors.b), ", ",
             factor_text(factors.y), "), ", place_text(y.quant->zero_point(), range), ")");
}

std::string product_text(const Node& node, IntRange range, const std::vector<std::string>& x) {
  const TensorType& a = node.inputs[0]->type.tensor;
  const TensorType& b = node.inputs[1]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  return str("placed(scaled_by(product_of(", x[0], " - ", a.quant->zero_point(), ", ", x[1], " - ",
             b.quant->zero_point(), "), ", factor_text(product_factor(a, b, y)), "), ",
             place_text(y.quant->zero_point(), range), ")");
}

std::string rescaled_text(const TensorType& from, const TensorType& to, bool activated,
                          IntRange range, const std::string& x) {
  const float a = from.quant->scale();
  const float b = to.quant->scale();
  // As hone/ops/quant/requantize.cc divides the scales.
  const FixedPoint factor = fixed_point(activated ? double{a / b} : double{a} / double{b});
  return str("placed(scaled_by(", x, " - ", from.quant->zero_point(), ", ", factor_text(factor),
             "), ", place_text(to.quant->zero_point(), range), ")");
}

// x above zero, slope * x below, as hone/ops/elementwise/activation_quantized.cc divides the scales.
std::string slope_text(const Node& node, const std::vector<std::string>& x) {
  const TensorType& y = node.outputs[0]->type.tensor;
  const float from = node.inputs[0]->type.tensor.quant->scale();
  const float slope = node.inputs[1]->type.tensor.quant->scale();
  const float to = y.quant->scale();
  const bool single = y.dtype == DType::U8;
  const FixedPoint above = fixed_point(single ? double{from / to} : double{from} / double{to});
  const FixedPoint below =
      fixed_point(single ? double{from * slope / to} : double{from} * double{slope} / double{to});
  const std::string value =
      str("(", x[0], " - ", node.inputs[0]->type.tensor.quant->zero_point(), ")");
  return str("placed(", value, " >= 0 ? scaled_by(", value, ", ", factor_text(above),
             ") : scaled_by(product_of(", value, ", ", x[1], " - ",
             node.inputs[1]->type.tensor.quant->zero_point(), "), ", factor_text(below), "), ",
             place_text(y.quant->zero_point(), range_of(y.dtype)), ")");
}

std::string extreme_text(const Node& node, const std::vector<std::string>& x) {
  return str("(", x[0], node.op == "max" ? " > " : " < ", x[1], " ? ", x[0], " : ", x[1], ")");
}

std::optional<std::string> pair_text_i8(const Node& node, const std::vector<std::string>& x,
                                        const StepBuilder& builder) {
  const Value* y = node.outputs[0];
  if (!is_integer_tensor(y, builder) || node.inputs.size() != 2) return std::nullopt;
  for (const Value* input : node.inputs) {
    if (!is_integer_tensor(input, builder) || input->type.tensor.dtype != y->type.tensor.dtype) {
      return std::nullopt;
    }
  }
  if (node.op == "max" || node.op == "min") return extreme_text(node, x);
  if (node.op == "prelu") return slope_text(node, x);
  const auto range = range_of_output(node);
  if (!range) return std::nullopt;
  if (node.op == "mul") return product_text(node, *range, x);
  const auto factors = sum_factors(node.inputs[0]->type.tensor, node.inputs[1]->type.tensor,
                                   y->type.tensor, node.op == "sub");
  if (!factors.ok()) return std::nullopt;
  return sum_text(node, *factors, *range, x);
}

std::optional<std::string> requantize_text(const Node& node, const std::string& x,
                                           const StepBuilder& builder) {
  const TensorType& from = node.inputs[0]->type.tensor;
  const TensorType& to = node.outputs[0]->type.tensor;
  const bool activated = !NodeContext(*find_op(node.op), node).text("activation").empty();
  if (to.dtype == DType::F32) {
    if (!is_integer_tensor(node.inputs[0], builder) || activated) return std::nullopt;
    return dequantized_text(x, from.quant->scale(), from.quant->zero_point());
  }
  const auto range = range_of_output(node);
  if (!is_integer_tensor(node.outputs[0], builder) || !range) return std::nullopt;
  if (from.dtype == DType::F32) {
    return quantized_text(x, "roundf", to.quant->scale(), to.quant->zero_point(), *range);
  }
  if (!is_integer_tensor(node.inputs[0], builder)) return std::nullopt;
  return rescaled_text(from, to, activated, *range, x);
}

std::optional<std::string> linear_text(const Node& node, const std::string& x) {
  const DType from = node.inputs[0]->type.tensor.dtype;
  const DType to = node.outputs[0]->type.tensor.dtype;
  const auto params = linear_params(node);
  if (!params) return std::nullopt;
  if (node.op == "quantize_linear" && from == DType::F32 && is_stored_integer(to)) {
    return quantized_text(x, "rintf", params->scale, params->zero_point, range_of(to));
  }
  if (node.op == "dequantize_linear" && to == DType::F32 && is_stored_integer(from)) {
    return dequantized_text(x, params->scale, params->zero_point);
  }
  return std::nullopt;
}

bool is_table_function(std::string_view op) {
  constexpr std::string_view kOps[] = {"lookup", "sigmoid",    "tanh",      "elu",
                                       "gelu",   "hard_swish", "leaky_relu"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

size_t operands_i8(const Node& node) {
  constexpr std::string_view kPairs[] = {"add", "sub", "mul", "max", "min", "prelu"};
  return std::ranges::find(kPairs, node.op) != std::end(kPairs) ? 2 : 1;
}

// The text of a node that is no table.
std::optional<std::string> text_i8(const Node& node, const std::vector<std::string>& x,
                                   const StepBuilder& builder) {
  if (operands_i8(node) == 2) return pair_text_i8(node, x, builder);
  if (node.op == "requantize") return requantize_text(node, x[0], builder);
  if (node.op == "quantize_linear" || node.op == "dequantize_linear")
    return linear_text(node, x[0]);
  return std::nullopt;
}

std::string_view element_name(DType dtype) {
  return dtype == DType::F32 ? "float" : integer_name(dtype);
}

// The text of a tree while it is put together.
class TreeI8 {
 public:
  TreeI8(const Node& root, StepBuilder& builder)
      : builder_(builder), y_(root.outputs[0]), shape_(y_->type.tensor.shape) {
    view_.extents = shape_;
    text_ = text_of(root);
    view_.strides.push_back(dense_strides(shape_));
    view_ = merged(view_);
  }

  const std::optional<WeightedI8>& product() const { return product_; }

  Variant variant() {
    const bool floats =
        y_->type.tensor.dtype == DType::F32 || std::ranges::any_of(leaves_, [](const Value* leaf) {
          return leaf->type.tensor.dtype == DType::F32;
        });
    const int64_t pack = pack_of_view(view_, {}, floats ? 4 : 16);
    SourceMaker source;
    define_rounding(source, builder_);
    const TailI8 tail = as_tail();
    source.define("PIECE", pack).define("Y", tail.type);
    std::vector<Slot> slots = {builder_.write(y_)};
    slots.insert(slots.end(), tail.slots.begin(), tail.slots.end());
    const std::string text =
        str(source_text("integers"), "extern \"C\" __global__ void __launch_bounds__(", kMapI8Block,
            ") map_i8(Y* y", tail.params, ", u64* began) {\n  wait_for_earlier(began);\n",
            "  const int at = (int)(blockIdx.x * ", kMapI8Block, " + threadIdx.x) * PIECE;\n",
            "  if (at >= ", elements(view_.extents), ") return;\n  ", tail.loads,
            "\n  Pack<Y, PIECE> results;\n#pragma unroll\n  for (int j = 0; j < PIECE; ++j) {\n",
            "    results.at[j] = (Y)(", tail.text, ");\n  }\n",
            "  *(Pack<Y, PIECE>*)(y + at) = results;\n}\n");
    return simple_variant(source.make_of(text, "map_i8", "map_i8"), elements(view_.extents) / pack,
                          kMapI8Block, std::move(slots));
  }

  TailI8 as_tail() {
    TailI8 tail;
    tail.y = y_;
    tail.type = element_name(y_->type.tensor.dtype);
    tail.text = text_;
    tail.piece = pack_of_view(view_, {}, 16);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      tail.params += str(", const ", element_name(leaves_[i]->type.tensor.dtype), "* x", i);
      tail.slots.push_back(builder_.read(leaves_[i]));
    }
    for (size_t i = 0; i < tables_.size(); ++i) {
      tail.params += str(", const u8* t", i);
      tail.slots.push_back(builder_.packed(tables_[i]));
    }
    tail.ahead = fetches();
    tail.loads = loads();
    return tail;
  }

 private:
  std::string text_of(const Node& node) {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < operands_i8(node); ++i) arguments.push_back(text_of(node.inputs[i]));
    if (!is_table_function(node.op)) return *text_i8(node, arguments, builder_);
    const auto table = byte_table(node, builder_.options().eval);
    const std::string name = str("t", tables_.size());
    tables_.push_back(Tensor::of<uint8_t>({256}, {table->begin(), table->end()}));
    return table_text(node, name, arguments[0]);
  }

  std::string text_of(const Value* value) {
    if (const Node* node = builder_.inlined(value)) {
      if (is_map_i8(*node, builder_)) return text_of(*node);
      product_ = weighted_i8(*node, builder_);
      return "(v)";
    }
    const auto found = std::ranges::find(leaves_, value);
    const auto leaf = static_cast<size_t>(found - leaves_.begin());
    if (found == leaves_.end()) {
      leaves_.push_back(value);
      view_.strides.push_back(broadcast_strides(value->type.tensor.shape, shape_));
    }
    return str(value->type.tensor.dtype == DType::F32 ? "" : "(int)", "e", leaf, ".at[j]");
  }

  // PIECE elements of all leaves at `at`, on one line.
  std::string loads() const {
    if (leaves_.empty()) return "";
    std::string text = str("const int i = (int)(at);\n", coordinates_text(view_.extents));
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const std::string_view type = element_name(leaves_[i]->type.tensor.dtype);
      const std::string pack =
          view_.strides[i].back() == 0 ? str("Same<", type, ">") : str("Pack<", type, ", PIECE>");
      text += str("const ", pack, " e", i, " = *(const ", pack, "*)(x", i, " + ",
                  address_text(view_.strides[i], 0), ");\n");
    }
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  // Fetches those that are not repeated.
  std::string fetches() const {
    std::string text;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (view_.strides[i].back() == 0) continue;
      text += str("fetch(x", i, " + ", address_text(view_.strides[i], 0), "); ");
    }
    if (text.empty()) return text;
    text = str("const int i = (int)(at);\n", coordinates_text(view_.extents), text);
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  StepBuilder& builder_;
  const Value* y_;
  Shape shape_;
  std::vector<const Value*> leaves_;
  std::vector<Tensor> tables_;
  std::optional<WeightedI8> product_;
  StridedView view_;  // Strides of the leaves, and at last of y.
  std::string text_;
};

}  // namespace

bool is_map_i8(const Node& node, const StepBuilder& builder) {
  if (node.outputs.size() != 1 || !is_countable(node.outputs[0], builder)) return false;
  if (node.inputs.size() < operands_i8(node)) return false;
  for (size_t i = 0; i < operands_i8(node); ++i) {
    if (!is_countable(node.inputs[i], builder)) return false;
  }
  if (is_table_function(node.op)) return byte_table(node, builder.options().eval).has_value();
  return text_i8(node, {"x", "x"}, builder).has_value();
}

std::string quantize_text(const Node& node, const std::string& x, const StepBuilder& builder) {
  return *text_i8(node, {x}, builder);
}

void define_tail(const TailI8& tail, int64_t piece, SourceMaker& source) {
  source.define("Y", tail.type).define("PIECE", piece).define("TAIL_PARAMS", tail.params);
  source.define("TAIL_AHEAD(at)", tail.ahead);
  source.define("TAIL_LOADS(at)", tail.loads).define("TAIL(v, j)", tail.text);
}

TailI8 no_tail(const Value* y) {
  return {.y = y, .type = std::string(integer_name(y->type.tensor.dtype)), .piece = 16};
}

Step map_i8_step(const Node& node, StepBuilder& builder) {
  TreeI8 tree(node, builder);
  if (tree.product()) return weighted_i8_step(*tree.product(), tree.as_tail(), builder);
  const StepFamily family =
      kind_of(node) == OpKind::Conversion ? StepFamily::Conversion : StepFamily::Elementwise;
  Step step{.kind = kind_of_step(family, "map_i8", node)};
  step.variants.push_back(tree.variant());
  step.variants[0].name.clear();
  return step;
}

}  // namespace hone::cuda
