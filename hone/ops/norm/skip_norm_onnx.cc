#include "hone/ops/norm/skip_norm_onnx.h"

namespace hone {
namespace {

Status require(const OnnxImport& in, std::initializer_list<size_t> inputs) {
  for (const size_t i : inputs) {
    if (in.input(i) == nullptr) return bad_input("input ", i, " is left out, but required");
  }
  return Done{};
}

Value* sum(OnnxImport& in, Value* a, Value* b) {
  return b == nullptr ? a : in.add("add", {a, b})->outputs[0];
}

double epsilon_of(OnnxImport& in) {
  return in.take<double>("epsilon", double{1e-12f});
}

bool wants_moments(const OnnxImport& in) {
  return in.wants(1) || in.wants(2);
}

// y, mean, 1 / deviation and the sum that was normalized.
void set_results(OnnxImport& in, Value* total, std::vector<Value*> norm_inputs, double epsilon,
                 std::string_view op) {
  Node* norm = in.add(op, std::move(norm_inputs), {{"axis", int64_t{-1}}, {"epsilon", epsilon}},
                      wants_moments(in) ? 3 : 1);
  in.results = norm->outputs;
  in.results.resize(3, nullptr);
  in.results.push_back(total);
}

Value* gathered(OnnxImport& in, Value* table, Value* indices) {
  return in.add("gather", {table, indices}, {{"axis", int64_t{0}}})->outputs[0];
}

// The first rows of the table, as many as ids has columns.
Value* first_positions(OnnxImport& in, Value* table, Value* ids) {
  Value* length = in.add("shape", {ids}, {{"start", int64_t{1}}, {"end", int64_t{2}}})->outputs[0];
  Value* zero = in.constant(Tensor::of_ints({0}));
  return in.add("slice", {table, zero, length, zero})->outputs[0];
}

// How many tokens of each sequence the mask lets through; none where there is no mask.
Value* mask_index(OnnxImport& in, Value* ids, Value* mask) {
  Value* axis = in.constant(Tensor::of_ints({1}));
  if (mask == nullptr) {
    Value* zero = in.constant(Tensor::scalar<int32_t>(0));
    Value* cast = in.add("cast", {ids}, {{"to", DType::I32}})->outputs[0];
    mask = in.add("mul", {cast, zero})->outputs[0];
  }
  return in.add("reduce_sum", {mask, axis}, {{"keepdims", int64_t{0}}})->outputs[0];
}

}  // namespace

// input, skip, gamma, beta, bias
Status import_skip_layer_norm(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require(in, {0, 1, 2}));
  const double epsilon = epsilon_of(in);
  Value* total = sum(in, sum(in, in.input(0), in.input(1)), in.input(4));
  std::vector<Value*> inputs{total, in.input(2)};
  if (in.input(3) != nullptr) inputs.push_back(in.input(3));
  set_results(in, total, std::move(inputs), epsilon, "layer_norm");
  return Done{};
}

// input, skip, gamma, bias
Status import_skip_rms_norm(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require(in, {0, 1, 2}));
  if (wants_moments(in)) return unsupported("the deviation as a result");
  const double epsilon = epsilon_of(in);
  Value* total = sum(in, sum(in, in.input(0), in.input(1)), in.input(3));
  set_results(in, total, {total, in.input(2)}, epsilon, "rms_norm");
  return Done{};
}

// input_ids, segment_ids, word, position and segment embeddings, gamma, beta, mask, position_ids
Status import_embed_layer_norm(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require(in, {0, 2, 3, 5, 6}));
  if ((in.input(1) == nullptr) != (in.input(4) == nullptr)) {
    return bad_input("has only one of segment_ids and segment_embedding");
  }
  const double epsilon = epsilon_of(in);
  Value* ids = in.input(0);
  Value* positions = in.input(8) != nullptr ? gathered(in, in.input(3), in.input(8))
                                            : first_positions(in, in.input(3), ids);
  Value* total = sum(in, gathered(in, in.input(2), ids), positions);
  if (in.input(4) != nullptr) total = sum(in, total, gathered(in, in.input(4), in.input(1)));
  Value* y = in.add("layer_norm", {total, in.input(5), in.input(6)},
                    {{"axis", int64_t{-1}}, {"epsilon", epsilon}})
                 ->outputs[0];
  in.results = {y};
  in.results.push_back(in.wants(1) ? mask_index(in, ids, in.input(7)) : nullptr);
  in.results.push_back(total);
  return Done{};
}

}  // namespace hone
