// Sums, differences, products and extremes of two tensors, and slopes below zero.

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

// Operands in the order of the kernels, which take one that is repeated or constant second: where their
// order does not matter, that of the node is left.
struct Pair {
  const Value* first;
  const Value* second;

  static Pair of(const Node& node) {
    const Value* a = node.inputs[0];
    const Value* b = node.inputs[1];
    const bool commutes = node.op != "sub" && node.op != "prelu";
    return commutes && !is_whole(node, a) && is_whole(node, b) ? Pair{b, a} : Pair{a, b};
  }
  static bool is_whole(const Node& node, const Value* operand) {
    return !operand->constant && operand->type.tensor.shape == node.outputs[0]->type.tensor.shape;
  }
};

// Of an operand that has some neighbouring axes of the result, but not the last, how many elements lie before,
// along and behind them: a value for each of the channels where those are not last.
struct Middle {
  int64_t outer = 1, rows = 1, columns = 1;
};
std::optional<Middle> middle_of(Shape b, const Shape& y) {
  if (b.size() > y.size()) return std::nullopt;
  b.insert(b.begin(), y.size() - b.size(), 1);
  size_t first = 0, end = b.size();
  while (first < end && b[first] == 1) ++first;
  while (end > first && b[end - 1] == 1) --end;
  if (first == end || end == b.size()) return std::nullopt;
  Middle middle;
  for (size_t i = 0; i < y.size(); ++i) {
    if (i >= first && i < end && b[i] != y[i]) return std::nullopt;
    (i < first ? middle.outer : i < end ? middle.rows : middle.columns) *= y[i];
  }
  return middle;
}

// "(hone_pairs){outer, rows, columns, ..}": the second operand is as large as the result, or has its
// first and last axes, or its last, or some before, or one element.
Result<std::string> pairs_text(const Node& node) {
  const Pair pair = Pair::of(node);
  const Shape& y = node.outputs[0]->type.tensor.shape;
  Shape b = pair.second->type.tensor.shape;
  if (!Pair::is_whole(node, pair.first)) {
    return unsupported("a first operand that is repeated, or constant");
  }
  const int64_t all = elements(y);
  if (elements(b) == all) {
    const std::string count = Pair::is_whole(node, pair.second) ? count_text(y, all) : str(all);
    return str("(hone_pairs){1, 1, ", count, ", 0, 0, 1}");
  }
  if (elements(b) == 1) return str("(hone_pairs){1, 1, ", count_text(y, all), ", 0, 0, 0}");
  if (const auto middle = middle_of(b, y)) {
    return str("(hone_pairs){", middle->outer, ", ", middle->rows, ", ", middle->columns,
               ", 0, 1, 0}");
  }
  b.insert(b.begin(), y.size() - std::min(y.size(), b.size()), 1);
  const int64_t columns = y.back();
  const bool middle_is_one =
      std::all_of(b.begin() + 1, b.end() - 1, [](int64_t extent) { return extent == 1; });
  if (b.size() != y.size() || !middle_is_one || b.back() != columns ||
      (b[0] != 1 && b[0] != y[0])) {
    return unsupported(
        "a second operand of ", text_of(pair.second->type.tensor),
        ", expected as many elements, one, or one for each of some axes side by side");
  }
  const int64_t step = b[0] == 1 ? 0 : columns;
  return str("(hone_pairs){", y[0], ", ", count_text(y, all / y[0] / columns), ", ", columns, ", ",
             step, ", 0, 1}");
}

Step pair_step(const Node& node) {
  const Pair pair = Pair::of(node);
  Step step{.reads = {pair.first}, .write = node.outputs[0], .in_place = true};
  if (const auto& constant = pair.second->constant) {
    const auto values = constant->data<int8_t>();
    step.arrays.push_back(std::vector<int8_t>(values.begin(), values.end()));
  } else {
    step.reads.push_back(pair.second);
  }
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const Shape& b = pair.second->type.tensor.shape;
  const bool repeated = elements(b) != elements(y) && !middle_of(b, y);
  if (repeated || Pair::is_whole(node, pair.second)) step.rows = plain_rows(y);
  return step;
}

std::string second_of(const Node& node) {
  return Pair::of(node).second->constant ? "c0" : "x1";
}

Result<Step> emit_sum_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 2));
  HONE_TRY(std::string pairs, pairs_text(node));
  const Pair pair = Pair::of(node);
  const TensorType& y = node.outputs[0]->type.tensor;
  HONE_TRY(const SumFactors factors,
           sum_factors(pair.first->type.tensor, pair.second->type.tensor, y, node.op == "sub"));
  HONE_TRY(const IntRange range, output_range(node));
  Step step = pair_step(node);
  step.calls = {
      {options.core.hvx ? "hone_hvx_sum" : "hone_sum",
       {std::move(pairs), node.op == "sub" ? "-1" : "1", str(sum_headroom(DType::I8)),
        operand_text(zero_of(pair.first), factors.a), operand_text(zero_of(pair.second), factors.b),
        operand_text(y.quant->zero_point(), factors.y), str(range.low), str(range.high), "x0",
        second_of(node), "y"}}};
  return step;
}

Result<Step> emit_product_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 2));
  HONE_TRY(std::string pairs, pairs_text(node));
  const TensorType& y = node.outputs[0]->type.tensor;
  HONE_TRY(const IntRange range, output_range(node));
  const Pair pair = Pair::of(node);
  const FixedPoint factor = product_factor(pair.first->type.tensor, pair.second->type.tensor, y);
  Step step = pair_step(node);
  const bool hvx = options.core.hvx && scales_as_words(factor);
  step.calls = {{hvx ? "hone_hvx_multiply_pairs" : "hone_multiply",
                 {std::move(pairs), str(zero_of(pair.first)), str(zero_of(pair.second)),
                  operand_text(y.quant->zero_point(), factor), str(range.low), str(range.high),
                  "x0", second_of(node), "y"}}};
  return step;
}

// Values of one scale compare as what they stand for.
Result<Step> emit_extreme_node(const Node& node, const EmitOptions&) {
  if (node.inputs.size() != 2) {
    return unsupported(node.op, " of ", node.inputs.size(), " tensors, expected 2");
  }
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 2));
  HONE_TRY(std::string pairs, pairs_text(node));
  Step step = pair_step(node);
  step.calls = {{"hone_extreme",
                 {std::move(pairs), node.op == "max" ? "1" : "-1", "x0", second_of(node), "y"}}};
  return step;
}

Result<Step> emit_prelu_node(const Node& node, const EmitOptions&) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 2));
  HONE_TRY(std::string pairs, pairs_text(node));
  const double x = node.inputs[0]->type.tensor.quant->scale();
  const double slope = node.inputs[1]->type.tensor.quant->scale();
  const double y = node.outputs[0]->type.tensor.quant->scale();
  Step step = pair_step(node);
  step.calls = {{"hone_prelu",
                 {std::move(pairs), operand_text(zero_of(node.inputs[0]), fixed_point(x / y)),
                  operand_text(zero_of(node.inputs[1]), fixed_point(x * slope / y)),
                  str(zero_of(node.outputs[0])), "x0", second_of(node), "y"}}};
  return step;
}

}  // namespace

extern const EmitterDef emit_add = {.op = "add", .emit = emit_sum_node};
extern const EmitterDef emit_sub = {.op = "sub", .emit = emit_sum_node};
extern const EmitterDef emit_mul = {.op = "mul", .emit = emit_product_node};
extern const EmitterDef emit_max = {.op = "max", .emit = emit_extreme_node};
extern const EmitterDef emit_min = {.op = "min", .emit = emit_extreme_node};
extern const EmitterDef emit_prelu = {.op = "prelu", .emit = emit_prelu_node};

}  // namespace hone::c_code
