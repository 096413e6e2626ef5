// Scaled dot-product attention, one query head at a time:
//   y = softmax(scale q k^T + mask) v
// q, k, v are [batch, heads, sequence, size] or [batch, sequence, heads * size]; query heads share
// the fewer key and value heads evenly. past_key and past_value come before k and v in the
// sequence. Scores are capped before the mask is added, so that what is masked stays so; a row
// whose keys are all masked gives zeros.

#include <algorithm>
#include <cmath>
#include <optional>

#include "hone/ops/attention/attention_onnx.h"
#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum AttentionInput { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonPad };
enum Output { kY, kPresentKey, kPresentValue, kScores };

struct Heads {
  int64_t batch = kUnknown, heads = kUnknown, sequence = kUnknown, size = kUnknown;
};

Result<Heads> heads_of(const NodeContext& in, const TensorType& type, std::string_view attr) {
  if (!type.ranked) return Heads{};
  if (type.rank() == 4) return Heads{type.shape[0], type.shape[1], type.shape[2], type.shape[3]};
  if (type.rank() != 3) return bad_input("input is ", type, ", expected rank 3 or 4");
  const int64_t heads = in.integer(attr);
  const int64_t width = type.shape[2];
  if (heads < 1 || (width != kUnknown && width % heads != 0)) {
    return bad_input(attr, " is ", heads, " for ", type);
  }
  return Heads{type.shape[0], heads, type.shape[1], width == kUnknown ? kUnknown : width / heads};
}

int64_t sum_of(int64_t a, int64_t b) {
  int64_t sum = 0;
  const bool overflow = __builtin_add_overflow(a, b, &sum);
  return a == kUnknown || b == kUnknown || overflow ? kUnknown : sum;
}

bool agree(int64_t a, int64_t b) {
  return a == b || a == kUnknown || b == kUnknown;
}

struct Shapes {
  Heads q, k, v;
  int64_t past = 0;
  int64_t total() const { return sum_of(past, k.sequence); }
};

Result<Shapes> shapes_of(const NodeContext& in, const std::vector<const TensorType*>& types) {
  Shapes shapes;
  HONE_TRY(shapes.q, heads_of(in, *types[kQ], "q_num_heads"));
  HONE_TRY(shapes.k, heads_of(in, *types[kK], "kv_num_heads"));
  HONE_TRY(shapes.v, heads_of(in, *types[kV], "kv_num_heads"));
  const auto& [q, k, v, past] = shapes;
  const bool shared =
      q.heads == kUnknown || k.heads == kUnknown || (k.heads > 0 && q.heads % k.heads == 0);
  if (!agree(q.batch, k.batch) || !agree(q.batch, v.batch) || !agree(q.size, k.size) ||
      !agree(k.heads, v.heads) || !agree(k.sequence, v.sequence) || !shared) {
    return bad_input("query ", *types[kQ], ", key ", *types[kK], " and value ", *types[kV],
                     " do not fit together");
  }
  if ((types[kPastKey] == nullptr) != (types[kPastValue] == nullptr)) {
    return bad_input("has only one of past_key and past_value");
  }
  if (types[kPastKey] == nullptr) return shapes;
  const TensorType& key = *types[kPastKey];
  const TensorType& value = *types[kPastValue];
  shapes.past = kUnknown;
  if (!key.ranked || !value.ranked) return shapes;
  const bool fits = key.rank() == 4 && value.rank() == 4 && agree(key.shape[0], k.batch) &&
                    agree(key.shape[1], k.heads) && agree(key.shape[3], k.size) &&
                    agree(value.shape[0], v.batch) && agree(value.shape[1], v.heads) &&
                    agree(value.shape[3], v.size) && agree(key.shape[2], value.shape[2]);
  if (!fits)
    return bad_input("past_key ", key, " and past_value ", value, " do not fit key and value");
  shapes.past = key.shape[2];
  return shapes;
}

Status check_modes(const InferContext& in) {
  if (in.real("softcap") < 0) return bad_input("softcap is ", in.real("softcap"));
  if (in.has(kNonPad) && in.has(kPastKey)) {
    return unsupported("nonpad_kv_seqlen together with a past");
  }
  const int64_t mode = in.integer("qk_matmul_output_mode");
  if (mode < 0 || mode > 3)
    return bad_input("qk_matmul_output_mode is ", mode, ", expected 0 to 3");
  return Done{};
}

Result<std::vector<ValueType>> infer_attention(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_modes(in));
  std::vector<const TensorType*> types(kNonPad + 1);
  for (size_t i = 0; i < types.size(); ++i) types[i] = in.has(i) ? &in.type(i) : nullptr;
  HONE_TRY(const Shapes shapes, shapes_of(in, types));
  const auto& [q, k, v, past] = shapes;
  TensorType y = TensorType::unranked(in.dtype(kQ));
  if (in.type(kQ).ranked) {
    int64_t width = kUnknown;
    if (q.heads != kUnknown && v.size != kUnknown &&
        __builtin_mul_overflow(q.heads, v.size, &width)) {
      return bad_input("the result's width overflows");
    }
    y = {in.dtype(kQ), in.type(kQ).rank() == 4 ? Shape{q.batch, q.heads, q.sequence, v.size}
                                               : Shape{q.batch, q.sequence, width}};
  }
  return std::vector<ValueType>{
      y, ValueType(in.dtype(kQ), {k.batch, k.heads, shapes.total(), k.size}),
      ValueType(in.dtype(kV), {v.batch, v.heads, shapes.total(), v.size}),
      ValueType(in.dtype(kQ), {q.batch, q.heads, q.sequence, shapes.total()})};
}

// [batch, heads, sequence, size], dense, the past in front.
std::vector<double> gathered(const Tensor& x, const Heads& heads, const Tensor* past) {
  const std::vector<double> now = to_doubles(x);
  const std::vector<double> before = past == nullptr ? std::vector<double>() : to_doubles(*past);
  const int64_t earlier = past == nullptr ? 0 : past->shape()[2];
  const bool heads_first = x.rank() == 4;
  std::vector<double> all;
  all.reserve(now.size() + before.size());
  for (int64_t b = 0; b < heads.batch; ++b) {
    for (int64_t h = 0; h < heads.heads; ++h) {
      const auto first = before.begin() + (b * heads.heads + h) * earlier * heads.size;
      all.insert(all.end(), first, first + earlier * heads.size);
      for (int64_t s = 0; s < heads.sequence; ++s) {
        const int64_t row = heads_first ? (b * heads.heads + h) * heads.sequence + s
                                        : (b * heads.sequence + s) * heads.heads + h;
        all.insert(all.end(), now.begin() + row * heads.size, now.begin() + (row + 1) * heads.size);
      }
    }
  }
  return all;
}

// What is added to the score of each key.
class Bias {
 public:
  static Result<Bias> make(const EvalContext& in, const Shapes& shapes) {
    Bias bias;
    const bool causal = in.integer("is_causal") != 0;
    bias.offset_ = causal ? shapes.past : shapes.total();
    if (in.has(kNonPad)) {
      bias.lengths_ = to_ints(in.in(kNonPad));
      if (static_cast<int64_t>(bias.lengths_.size()) != shapes.q.batch) {
        return bad_input("nonpad_kv_seqlen is ", in.in(kNonPad).type(),
                         ", expected one length per batch");
      }
      // The keys are a cache, and the queries stand at the end of what is filled of it.
      if (causal) bias.queries_at_end_ = shapes.q.sequence;
    }
    if (!in.has(kMask)) return bias;
    const Tensor& mask = in.in(kMask);
    Shape shape = mask.shape();
    while (shape.size() < 4) shape.insert(shape.begin(), 1);
    const bool fits = shape.size() == 4 && (shape[0] == 1 || shape[0] == shapes.q.batch) &&
                      (shape[1] == 1 || shape[1] == shapes.q.heads) &&
                      (shape[2] == 1 || shape[2] == shapes.q.sequence) &&
                      shape[3] <= shapes.total();
    if (!fits || mask.rank() < 2) {
      return bad_input("attn_mask is ", mask.type(),
                       ", expected to broadcast to [batch,heads,query,key]");
    }
    bias.mask_ = to_doubles(mask);
    if (mask.dtype() == DType::Bool) {
      for (double& value : bias.mask_) value = value != 0 ? 0 : -INFINITY;
    }
    bias.keys_ = shape[3];
    bias.strides_ = broadcast_strides(
        shape, Shape{shapes.q.batch, shapes.q.heads, shapes.q.sequence, shape[3]});
    bias.strides_[3] = 1;
    bias.masked_ = true;
    return bias;
  }

  double at(int64_t b, int64_t h, int64_t q, int64_t key) const {
    int64_t offset = offset_;
    if (!lengths_.empty()) {
      const int64_t length = lengths_[static_cast<size_t>(b)];
      if (key >= length) return -INFINITY;
      if (queries_at_end_) offset = length - *queries_at_end_;
    }
    if (key > q + offset) return -INFINITY;
    if (!masked_) return 0;
    if (key >= keys_) return -INFINITY;
    return mask_[static_cast<size_t>(b * strides_[0] + h * strides_[1] + q * strides_[2] + key)];
  }

 private:
  int64_t offset_ = 0;  // The last key that query 0 may see.
  Ints lengths_;        // Per batch how many keys there are.
  std::optional<int64_t> queries_at_end_;
  bool masked_ = false;
  std::vector<double> mask_;
  std::vector<int64_t> strides_;
  int64_t keys_ = 0;
};

// Of nothing but -infinity, which is a row that sees no key, zeros.
void softmax(std::vector<double>& line) {
  const double max = line.empty() ? 0 : std::ranges::max(line);
  if (max == -INFINITY) {
    std::ranges::fill(line, 0.0);
    return;
  }
  double sum = 0;
  for (double& value : line) sum += value = std::exp(value - max);
  for (double& value : line) value /= sum;
}

void store_attention(Tensor& out, const std::vector<double>& values) {
  dispatch_float(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = out.mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) y[i] = T(values[i]);
  });
}

// One query row: its scores before the softmax, in `line`.
void score(const NodeContext& in, const double* q, const double* keys, int64_t size, double scale,
           std::vector<double>& line) {
  const double cap = in.real("softcap");
  for (size_t key = 0; key < line.size(); ++key) {
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += q[i] * keys[static_cast<int64_t>(key) * size + i];
    line[key] = sum * scale;
    if (cap > 0) line[key] = cap * std::tanh(line[key] / cap);
  }
}

Status eval_attention(EvalContext& in) {
  std::vector<const TensorType*> types(kNonPad + 1);
  for (size_t i = 0; i < types.size(); ++i) types[i] = in.has(i) ? &in.in(i).type() : nullptr;
  HONE_TRY(const Shapes shapes, shapes_of(in, types));
  HONE_TRY(const Bias bias, Bias::make(in, shapes));
  const auto& [q, k, v, past] = shapes;
  const std::vector<double> queries = gathered(in.in(kQ), q, nullptr);
  const std::vector<double> keys =
      gathered(in.in(kK), k, in.has(kPastKey) ? &in.in(kPastKey) : nullptr);
  const std::vector<double> values =
      gathered(in.in(kV), v, in.has(kPastValue) ? &in.in(kPastValue) : nullptr);
  const int64_t total = shapes.total();
  const double scale =
      in.has_attr("scale") ? in.real("scale") : 1 / std::sqrt(static_cast<double>(q.size));
  const bool heads_first = in.in(kQ).rank() == 4;
  const int64_t mode = in.outputs() > kScores ? in.integer("qk_matmul_output_mode") : -1;
  std::vector<double> y(static_cast<size_t>(q.batch * q.heads * q.sequence * v.size)), all_scores;
  std::vector<double> line(static_cast<size_t>(total));
  const auto keep_scores = [&](bool wanted) {
    if (wanted) all_scores.insert(all_scores.end(), line.begin(), line.end());
  };
  for (int64_t row = 0; row < q.batch * q.heads * q.sequence; ++row) {
    const int64_t s = row % q.sequence, h = row / q.sequence % q.heads,
                  b = row / q.sequence / q.heads;
    const int64_t shared = b * k.heads + h / (q.heads / k.heads);
    score(in, queries.data() + row * q.size, keys.data() + shared * total * k.size, q.size, scale,
          line);
    keep_scores(mode == 0 || mode == 1);
    for (int64_t key = 0; key < total; ++key)
      line[static_cast<size_t>(key)] += bias.at(b, h, s, key);
    keep_scores(mode == 2);
    softmax(line);
    keep_scores(mode == 3);
    double* to = y.data() + (heads_first ? row : (b * q.sequence + s) * q.heads + h) * v.size;
    for (int64_t key = 0; key < total; ++key) {
      const double* from = values.data() + (shared * total + key) * v.size;
      for (int64_t i = 0; i < v.size; ++i) to[i] += line[static_cast<size_t>(key)] * from[i];
    }
  }
  store_attention(in.out(kY), y);
  if (in.outputs() > kPresentKey) store_attention(in.out(kPresentKey), keys);
  if (in.outputs() > kPresentValue) store_attention(in.out(kPresentValue), values);
  if (mode >= 0) store_attention(in.out(kScores), all_scores);
  return Done{};
}

Cost cost_attention(const InferContext& in) {
  std::vector<const TensorType*> types(kNonPad + 1);
  for (size_t i = 0; i < types.size(); ++i) types[i] = in.has(i) ? &in.type(i) : nullptr;
  const auto shapes = shapes_of(in, types);
  if (!shapes.ok() || !in.type(kQ).known() || !in.type(kK).known() || !in.type(kV).known() ||
      shapes->total() == kUnknown) {
    return {};
  }
  const auto& [q, k, v, past] = *shapes;
  int64_t macs = 1;
  for (const int64_t factor : {q.batch, q.heads, q.sequence, shapes->total(), k.size + v.size}) {
    if (__builtin_mul_overflow(macs, factor, &macs) || macs > INT64_MAX / 2) return {};
  }
  return {.macs = macs};
}

}  // namespace

extern const OpDef op_attention = {
    .name = "attention",
    .summary = "Scaled dot-product attention.",
    .inputs = {{"q", kFloat, 'T'},
               {"k", kFloat, 'T'},
               {"v", kFloat, 'U'},
               {"attn_mask", kFloat | kBoolean, 0, kOptional},
               {"past_key", kFloat, 'T', kOptional},
               {"past_value", kFloat, 'U', kOptional},
               {"nonpad_kv_seqlen", DTypeSet{DType::I64}, 0, kOptional}},
    .attrs = {{"is_causal", int64_t{0}},
              {"kv_num_heads", int64_t{0}},
              {"q_num_heads", int64_t{0}},
              {"qk_matmul_output_mode", int64_t{0}},
              {"scale", 0.0, kAbsent},
              {"softcap", 0.0},
              {"softmax_precision", DType::F32, kAbsent}},
    .max_outputs = 4,
    .infer = infer_attention,
    .cost = cost_attention,
    .eval = eval_attention,
    .onnx = {{"Attention"},
             {"MultiHeadAttention", import_multi_head_attention, kOnnxRuntime},
             {"Attention", import_packed_attention, kOnnxRuntime}},
    .cases = {"(f32[1,2,3,4], f32[1,2,3,4], f32[1,2,3,4])",
              "(f32[1,2,3,4], f32[1,2,3,4], f32[1,2,3,4]) is_causal=1"},
};

}  // namespace hone
