// MultiHeadAttention and Attention of ONNX Runtime, brought to the canonical attention: biases are
// added, packed operands taken apart, and masks of integers become numbers to add.

#include "hone/ops/attention/attention_onnx.h"

#include "hone/ops/infer_types.h"

namespace hone {
namespace {

struct Operands {
  Value* q = nullptr;
  Value* k = nullptr;
  Value* v = nullptr;
  Value* past_k = nullptr;
  Value* past_v = nullptr;
};

struct Mask {
  Value* added = nullptr;    // [batch or 1, heads or 1, queries or 1, keys].
  Value* lengths = nullptr;  // [batch], of the keys.
};

struct Settings {
  int64_t heads;
  bool causal;
  double scale;
  double filter;
};

Value* output_of(Node* node) {
  return node->outputs[0];
}

// Gives a value and those it is made of the types that follow, as far back as the budget reaches.
// What is contradictory is reported when the whole graph is inferred.
void settle_type(Value* value, int& budget) {
  Node* node = value->producer;
  if (value->type.tensor.ranked || node == nullptr || --budget < 0) return;
  std::vector<const ValueType*> types;
  for (Value* input : node->inputs) {
    if (input != nullptr) settle_type(input, budget);
    types.push_back(input != nullptr ? &input->type : nullptr);
  }
  const OpDef* op = find_op(node->op);
  if (op == nullptr || !check_node(*op, *node, types).ok()) return;
  const auto inferred = op->infer(static_context(*op, *node));
  if (!inferred.ok()) return;
  for (size_t i = 0; i < node->outputs.size(); ++i) node->outputs[i]->type = (*inferred)[i];
}

// kUnknown when neither the file nor the nodes before it tell.
int64_t rank_of(Value* value) {
  int budget = 200;
  settle_type(value, budget);
  return value->type.tensor.ranked ? value->type.tensor.rank() : kUnknown;
}

Value* unsqueezed(OnnxImport& in, Value* x, const Ints& axes) {
  return output_of(in.add("unsqueeze", {x, in.constant(Tensor::of_ints(axes))}));
}

// Slice `index` along an axis that goes away.
Value* taken(OnnxImport& in, Value* x, int64_t index, int64_t axis) {
  Value* at = in.constant(Tensor::scalar<int64_t>(index));
  return output_of(in.add("gather", {x, at}, {{"axis", axis}}));
}

// [batch, sequence, heads, parts, size] -> part as [batch, heads, sequence, size].
Value* unpacked(OnnxImport& in, Value* packed, int64_t part) {
  return output_of(in.add("transpose", {taken(in, packed, part, 3)}, {{"perm", Ints{0, 2, 1, 3}}}));
}

Value* sum(OnnxImport& in, Value* a, Value* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return output_of(in.add("add", {a, b}));
}

// Integers that let a key through where they are not 0, as `filter` to add where they are.
Value* from_flags(OnnxImport& in, Value* flags, double filter, Value* like) {
  Value* zero = output_of(in.add("cast_like", {in.constant(Tensor::scalar(0.0f)), flags}));
  Value* hidden = output_of(in.add("equal", {flags, zero}));
  const auto number = [&](double value) {
    Value* constant = in.constant(Tensor::scalar(static_cast<float>(value)));
    return output_of(in.add("cast_like", {constant, like}));
  };
  return output_of(in.add("where", {hidden, number(filter), number(0)}));
}

// The forms of a mask that its rank tells apart. BadInput and Unsupported come before any node.
Status check_mask(Value* mask, const Settings& settings) {
  if (mask == nullptr) return Done{};
  const int64_t rank = rank_of(mask);
  if (rank < 1 || rank > 3) return unsupported("a mask of ", mask->type.tensor);
  if (rank == 1 && settings.causal) return unsupported("lengths of keys with a causal mask");
  return Done{};
}

Mask mask_from(OnnxImport& in, Value* mask, Value* bias, double filter, Value* like) {
  if (mask == nullptr) return {bias, nullptr};
  const int64_t rank = mask->type.tensor.rank();
  if (rank == 1) return {bias, output_of(in.add("cast", {mask}, {{"to", DType::I64}}))};
  Value* flags = unsqueezed(in, mask, rank == 2 ? Ints{1, 2} : Ints{1});
  return {sum(in, from_flags(in, flags, filter, like), bias), nullptr};
}

Result<Settings> settings_of(OnnxImport& in) {
  const Settings settings{in.take<int64_t>("num_heads", 0),
                          in.take<int64_t>("unidirectional", 0) != 0, in.take<double>("scale", 0),
                          in.take<double>("mask_filter_value", -10000)};
  if (settings.heads < 1) return bad_input("num_heads is ", settings.heads);
  return settings;
}

// The attention's outputs: y, present key, present value.
std::vector<Value*> add_attention(OnnxImport& in, const Operands& with, const Mask& mask,
                                  const Settings& settings, size_t outputs) {
  Attrs attrs{{"q_num_heads", settings.heads},
              {"kv_num_heads", settings.heads},
              {"is_causal", int64_t{settings.causal ? 1 : 0}}};
  if (settings.scale != 0) attrs["scale"] = settings.scale;
  std::vector<Value*> inputs{with.q,      with.k,      with.v,      mask.added,
                             with.past_k, with.past_v, mask.lengths};
  while (inputs.back() == nullptr) inputs.pop_back();
  return in.add("attention", std::move(inputs), std::move(attrs), outputs)->outputs;
}

// query, key, value and a bias of all three, or the packed forms of them.
Result<Operands> operands_of(OnnxImport& in) {
  Value* query = in.input(0);
  Value* key = in.input(1);
  Value* value = in.input(2);
  Value* bias = in.input(3);
  if (query == nullptr) return bad_input("input 0 is left out, but required");
  const bool packed = key == nullptr || value == nullptr;
  if (packed && bias != nullptr) return unsupported("a bias of packed operands");
  if (key == nullptr) {
    return Operands{unpacked(in, query, 0), unpacked(in, query, 1), unpacked(in, query, 2)};
  }
  if (value == nullptr) return Operands{query, unpacked(in, key, 0), unpacked(in, key, 1)};
  if (bias == nullptr) return Operands{query, key, value};
  if (rank_of(key) == 4 || rank_of(value) == 4) {
    return unsupported("a bias of keys that are there already");
  }
  // As wide as the operands are, one after the other.
  std::vector<Value*> widths;
  for (Value* operand : {query, key, value}) {
    widths.push_back(output_of(in.add("shape", {operand}, {{"start", int64_t{-1}}})));
  }
  Value* sizes = output_of(in.add("concat", widths, {{"axis", int64_t{0}}}));
  Node* parts = in.add("split", {bias, sizes}, {{"axis", int64_t{0}}}, 3);
  return Operands{sum(in, query, parts->outputs[0]), sum(in, key, parts->outputs[1]),
                  sum(in, value, parts->outputs[2])};
}

// The query of a packed form has its heads first; the result has them in the last axis.
Value* heads_last(OnnxImport& in, Value* y) {
  Value* turned = output_of(in.add("transpose", {y}, {{"perm", Ints{0, 2, 1, 3}}}));
  return output_of(in.add("reshape", {turned, in.constant(Tensor::of_ints({0, 0, -1}))}));
}

}  // namespace

// query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value
Status import_multi_head_attention(OnnxImport& in) {
  HONE_TRY(const Settings settings, settings_of(in));
  if (in.inputs.size() > 8) return unsupported("a cache that is written in place");
  if (in.wants(3)) return unsupported("the scores as a result");
  HONE_RETURN_IF_ERROR(check_mask(in.input(4), settings));
  HONE_TRY(Operands with, operands_of(in));
  with.past_k = in.input(6);
  with.past_v = in.input(7);
  const Mask mask = mask_from(in, in.input(4), in.input(5), settings.filter, in.input(0));
  in.results = add_attention(in, with, mask, settings, in.outputs > 1 ? 3 : 1);
  if (in.input(1) == nullptr) in.results[0] = heads_last(in, in.results[0]);
  return Done{};
}

// input, weights, bias, mask_index, past, attention_bias: query, key and value are one product.
Status import_packed_attention(OnnxImport& in) {
  HONE_TRY(const Settings settings, settings_of(in));
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (in.input(i) == nullptr) return bad_input("input ", i, " is left out, but required");
  }
  if (in.inputs.size() > 6 || in.take<int64_t>("past_present_share_buffer", 0) != 0) {
    return unsupported("a cache that is written in place");
  }
  if (in.take<int64_t>("do_rotary", 0) != 0) return unsupported("rotary embedding of the operands");
  HONE_RETURN_IF_ERROR(check_mask(in.input(3), settings));
  const Ints sizes = in.take<Ints>("qkv_hidden_sizes", {});
  if (!sizes.empty() && sizes.size() != 3) {
    return bad_input("qkv_hidden_sizes has ", sizes.size(), " numbers, expected 3");
  }
  Value* product = output_of(in.add("matmul", {in.input(0), in.input(1)}));
  product = sum(in, product, in.input(2));
  std::vector<Value*> cut{product};
  Attrs how{{"axis", int64_t{-1}}};
  if (sizes.empty()) {
    how["num_outputs"] = int64_t{3};
  } else {
    cut.push_back(in.constant(Tensor::of_ints(sizes)));
  }
  const Node* parts = in.add("split", std::move(cut), std::move(how), 3);
  Operands with{parts->outputs[0], parts->outputs[1], parts->outputs[2]};
  if (in.input(4) != nullptr) {
    with.past_k = taken(in, in.input(4), 0, 0);
    with.past_v = taken(in, in.input(4), 1, 0);
  }
  const Mask mask = mask_from(in, in.input(3), in.input(5), settings.filter, in.input(0));
  const auto made = add_attention(in, with, mask, settings, in.wants(1) ? 3 : 1);
  in.results = {made[0]};
  if (!in.wants(1)) return Done{};
  Value* key = unsqueezed(in, made[1], {0});
  Value* value = unsqueezed(in, made[2], {0});
  in.results.push_back(output_of(in.add("concat", {key, value}, {{"axis", int64_t{0}}})));
  return Done{};
}

}  // namespace hone
