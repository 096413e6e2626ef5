// Attention without softmax: a state s [keys, values] per head that each step writes and reads.
//     s = exp(decay) * s                         gated, gated_delta
//     v = beta * (v - s^T (erase * k))           delta, gated_delta
//     s = s + k v^T
//     y = scale * q^T s
// query, key and value are [batch, steps, heads * size]; query heads share the fewer others evenly.
// decay is one number per head or per key, beta one per head or one for all, erase_gate one per
// key.

#include <cmath>
#include <optional>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum LinearAttentionInput { kQuery, kKey, kValue, kPast, kDecay, kBeta, kErase };

struct Rule {
  bool gated;
  bool delta;
};

Result<Rule> rule_of(const InferContext& in) {
  const std::string& name = in.text("update_rule");
  const Rule rule{name == "gated" || name == "gated_delta",
                  name == "delta" || name == "gated_delta"};
  if (!rule.gated && !rule.delta && name != "linear") {
    return unsupported("update_rule '", name, "' is not known");
  }
  if (in.has(kDecay) != rule.gated) {
    return bad_input("update_rule '", name, "' ", rule.gated ? "without" : "with", " decay");
  }
  if (in.has(kBeta) != rule.delta) {
    return bad_input("update_rule '", name, "' ", rule.delta ? "without" : "with", " beta");
  }
  if (in.has(kErase) && !rule.delta) {
    return bad_input("update_rule '", name, "' with erase_gate");
  }
  return rule;
}

// The last extent of an input of three axes; kUnknown when it is not known.
Result<int64_t> width_of(const InferContext& in, size_t input) {
  if (!in.has(input) || !in.type(input).ranked) return kUnknown;
  const TensorType& type = in.type(input);
  if (type.rank() != 3) {
    return bad_input(in.op().inputs[input].name, " is ", type, ", expected three axes");
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t here = type.shape[axis];
    const int64_t query = in.type(kQuery).ranked ? in.type(kQuery).shape[axis] : kUnknown;
    if (here != kUnknown && query != kUnknown && here != query) {
      return bad_input(in.op().inputs[input].name, " is ", type, " beside a query of ",
                       in.type(kQuery));
    }
  }
  return type.shape[2];
}

Result<int64_t> size_per_head(const InferContext& in, size_t input, int64_t heads) {
  HONE_TRY(const int64_t width, width_of(in, input));
  if (width == kUnknown) return kUnknown;
  if (width % heads != 0) {
    return bad_input(in.op().inputs[input].name, " is ", in.type(input), " for ", heads, " heads");
  }
  return width / heads;
}

struct Sizes {
  int64_t query_heads, heads, key, value;
};

Result<Sizes> sizes_of(const InferContext& in) {
  Sizes sizes{in.integer("q_num_heads"), in.integer("kv_num_heads"), kUnknown, kUnknown};
  if (sizes.heads < 1 || sizes.query_heads < 1 || sizes.query_heads % sizes.heads != 0) {
    return bad_input(sizes.query_heads, " heads of queries for ", sizes.heads, " of keys");
  }
  HONE_TRY(const int64_t query, size_per_head(in, kQuery, sizes.query_heads));
  HONE_TRY(sizes.key, size_per_head(in, kKey, sizes.heads));
  HONE_TRY(sizes.value, size_per_head(in, kValue, sizes.heads));
  if (query != kUnknown && sizes.key != kUnknown && query != sizes.key) {
    return bad_input("queries of ", query, " numbers for keys of ", sizes.key);
  }
  if (sizes.key == kUnknown) sizes.key = query;
  return sizes;
}

Status expect_width(const InferContext& in, size_t input, std::initializer_list<int64_t> widths) {
  HONE_TRY(const int64_t width, width_of(in, input));
  if (width == kUnknown) return Done{};
  for (const int64_t expected : widths) {
    if (expected == width || expected == kUnknown) return Done{};
  }
  return bad_input(in.op().inputs[input].name, " is ", in.type(input), " for ",
                   in.integer("kv_num_heads"), " heads");
}

Status check_past(const InferContext& in, const Shape& state) {
  if (!in.has(kPast) || !in.type(kPast).ranked) return Done{};
  const Shape& past = in.type(kPast).shape;
  bool fits = past.size() == state.size();
  for (size_t i = 0; fits && i < past.size(); ++i) {
    fits = past[i] == state[i] || past[i] == kUnknown || state[i] == kUnknown;
  }
  if (fits) return Done{};
  return bad_input("past_state is of shape ", text_of(past), ", expected ", text_of(state));
}

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a == kUnknown || b == kUnknown || __builtin_mul_overflow(a, b, &product)) return kUnknown;
  return product;
}

Result<std::vector<ValueType>> infer_linear_attention(const InferContext& in) {
  HONE_RETURN_IF_ERROR(rule_of(in));
  HONE_TRY(const Sizes sizes, sizes_of(in));
  const int64_t keys = times(sizes.heads, sizes.key);
  HONE_RETURN_IF_ERROR(expect_width(in, kDecay, {sizes.heads, keys}));
  HONE_RETURN_IF_ERROR(expect_width(in, kBeta, {sizes.heads, 1}));
  HONE_RETURN_IF_ERROR(expect_width(in, kErase, {keys}));
  const TensorType& query = in.type(kQuery);
  const int64_t batch = query.ranked ? query.shape[0] : kUnknown;
  const int64_t steps = query.ranked ? query.shape[1] : kUnknown;
  const Shape state{batch, sizes.heads, sizes.key, sizes.value};
  HONE_RETURN_IF_ERROR(check_past(in, state));
  return std::vector<ValueType>{
      {query.dtype, {batch, steps, times(sizes.query_heads, sizes.value)}},
      {in.has(kPast) ? in.dtype(kPast) : query.dtype, state}};
}

// An input by step and head: `per_head` numbers each, or one where it has only that.
class Rows {
 public:
  Rows(const Tensor& tensor, int64_t heads)
      : values_(to_doubles(tensor)),
        width_(tensor.shape()[2]),
        heads_(width_ < heads ? 1 : heads),
        size_(width_ / heads_) {}
  const double* at(int64_t row, int64_t head) const {
    return values_.data() + row * width_ + head % heads_ * size_;
  }
  // Of number i of a head that may have one for all.
  double of(int64_t row, int64_t head, int64_t i) const {
    return at(row, head)[size_ == 1 ? 0 : i];
  }

 private:
  std::vector<double> values_;
  int64_t width_, heads_, size_;
};

class LinearAttention {
 public:
  explicit LinearAttention(const EvalContext& in)
      : query_heads_(in.integer("q_num_heads")),
        heads_(in.integer("kv_num_heads")),
        batch_(in.in(kQuery).shape()[0]),
        steps_(in.in(kQuery).shape()[1]),
        keys_(in.in(kQuery).shape()[2] / query_heads_),
        values_(in.in(kValue).shape()[2] / heads_),
        query_(in.in(kQuery), query_heads_),
        key_(in.in(kKey), heads_),
        value_(in.in(kValue), heads_) {
    if (in.has(kDecay)) decay_.emplace(in.in(kDecay), heads_);
    if (in.has(kBeta)) beta_.emplace(in.in(kBeta), heads_);
    if (in.has(kErase)) erase_.emplace(in.in(kErase), heads_);
    const double scale = in.real("scale");
    scale_ = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(keys_));
    state.resize(static_cast<size_t>(batch_ * heads_ * keys_ * values_));
    if (in.has(kPast)) state = to_doubles(in.in(kPast));
    y.resize(static_cast<size_t>(batch_ * steps_ * query_heads_ * values_));
  }

  void run() {
    for (int64_t b = 0; b < batch_; ++b) {
      for (int64_t head = 0; head < heads_; ++head) {
        double* s = state.data() + (b * heads_ + head) * keys_ * values_;
        for (int64_t step = 0; step < steps_; ++step) {
          write(b * steps_ + step, head, s);
          read(b * steps_ + step, head, s);
        }
      }
    }
  }

  std::vector<double> y;
  std::vector<double> state;

 private:
  void write(int64_t row, int64_t head, double* s) const {
    for (int64_t i = 0; decay_ && i < keys_ * values_; ++i) {
      s[i] *= std::exp(decay_->of(row, head, i / values_));
    }
    const double* key = key_.at(row, head);
    for (int64_t j = 0; j < values_; ++j) {
      double value = value_.at(row, head)[j];
      if (beta_) {
        double known = 0;
        for (int64_t i = 0; i < keys_; ++i) {
          known += s[i * values_ + j] * key[i] * (erase_ ? erase_->of(row, head, i) : 1);
        }
        value = beta_->of(row, head, 0) * (value - known);
      }
      for (int64_t i = 0; i < keys_; ++i) s[i * values_ + j] += key[i] * value;
    }
  }

  void read(int64_t row, int64_t head, const double* s) {
    const int64_t group = query_heads_ / heads_;
    for (int64_t q = head * group; q < (head + 1) * group; ++q) {
      const double* query = query_.at(row, q);
      double* to = y.data() + (row * query_heads_ + q) * values_;
      for (int64_t j = 0; j < values_; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < keys_; ++i) sum += query[i] * s[i * values_ + j];
        to[j] = scale_ * sum;
      }
    }
  }

  int64_t query_heads_, heads_, batch_, steps_, keys_, values_;
  Rows query_, key_, value_;
  std::optional<Rows> decay_, beta_, erase_;
  double scale_;
};

void store_linear_attention(Tensor& out, const std::vector<double>& values) {
  dispatch_float(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = out.mutable_data<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = T(values[i]);
  });
}

Status eval_linear_attention(EvalContext& in) {
  LinearAttention attention(in);
  attention.run();
  store_linear_attention(in.out(0), attention.y);
  if (in.outputs() > 1) store_linear_attention(in.out(1), attention.state);
  return Done{};
}

}  // namespace

extern const OpDef op_linear_attention = {
    .name = "linear_attention",
    .summary = "Attention by a state that every step writes and reads.",
    .inputs = {{"query", kFloat, 'T'},
               {"key", kFloat, 'T'},
               {"value", kFloat, 'T'},
               {"past_state", kFloat, 0, kOptional},
               {"decay", kFloat, 0, kOptional},
               {"beta", kFloat, 0, kOptional},
               {"erase_gate", kFloat, 0, kOptional}},
    .attrs = {{"chunk_size", int64_t{64}},  // A hint for speed.
              {"kv_num_heads", int64_t{0}, kRequired},
              {"q_num_heads", int64_t{0}, kRequired},
              {"scale", 0.0},
              {"update_rule", std::string("gated_delta")}},
    .max_outputs = 2,
    .infer = infer_linear_attention,
    .cost = cost_per_element<8>,
    .eval = eval_linear_attention,
    .onnx = {{"LinearAttention", nullptr, "", 27}},
    .cases = {"?, ? = (f32[1,3,4], f32[1,3,4], f32[1,3,4]) q_num_heads=2 kv_num_heads=2 "
              "update_rule=\"linear\""},
};

}  // namespace hone
