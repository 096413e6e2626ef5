// Counts n-grams of a pool in each row of tokens.
//
// The pool lists all 1-grams, then all 2-grams, ...; ngram_counts[n - 1] is where the n-grams
// begin, and ngram_indexes[k] the column that counts the k-th n-gram. Tokens of an n-gram may lie
// up to max_skip_count + 1 apart, all gaps being equal; single tokens are counted once.
//   TF: the count. IDF: the weight where the count is not 0. TFIDF: count times weight.

#include <algorithm>
#include <map>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// n-gram -> its column.
template <class Token>
using Pool = std::map<std::vector<Token>, int64_t>;

Status check_attrs(const NodeContext& in) {
  const std::string& mode = in.text("mode");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") {
    return bad_input("mode is '", mode, "', expected TF, IDF or TFIDF");
  }
  const Ints& indexes = in.ints("ngram_indexes");
  if (indexes.empty()) return bad_input("ngram_indexes is empty");
  if (std::ranges::min(indexes) < 0)
    return bad_input("ngram_indexes has ", std::ranges::min(indexes));
  if (in.integer("min_gram_length") < 1 ||
      in.integer("max_gram_length") < in.integer("min_gram_length")) {
    return bad_input("gram lengths are ", in.integer("min_gram_length"), " to ",
                     in.integer("max_gram_length"));
  }
  if (in.integer("max_skip_count") < 0)
    return bad_input("max_skip_count is ", in.integer("max_skip_count"));
  if (!in.has_attr("weights")) return Done{};
  const Floats& weights = in.attr<Floats>("weights");
  if (weights.size() != indexes.size()) {
    return bad_input("has ", weights.size(), " weights, expected ", indexes.size());
  }
  for (size_t i = 0; i < indexes.size(); ++i) {
    const auto column = static_cast<size_t>(indexes[i]);
    if (column < weights.size() && weights[column] == weights[i]) continue;
    return unsupported(
        "weights with columns in another order than the pool, which runtimes read "
        "differently");
  }
  return Done{};
}

Result<std::vector<ValueType>> infer_tf_idf_vectorizer(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_attrs(in));
  const int64_t last = std::ranges::max(in.ints("ngram_indexes"));
  if (last >= int64_t{1} << 40) return bad_input("ngram_indexes has ", last);
  TensorType type = in.type(0);
  type.dtype = DType::F32;
  if (!type.ranked) return std::vector<ValueType>{type};
  if (type.rank() > 2) return bad_input("input is ", in.type(0), ", expected rank 1 or 2");
  if (type.rank() == 2) {
    type.shape.back() = last + 1;
  } else {
    type.shape = {last + 1};
  }
  return std::vector<ValueType>{type};
}

template <class Token>
Result<Pool<Token>> read_pool(const NodeContext& in, const std::vector<Token>& tokens) {
  const Ints& starts = in.ints("ngram_counts");
  const Ints& indexes = in.ints("ngram_indexes");
  const auto total = static_cast<int64_t>(tokens.size());
  Pool<Token> pool;
  size_t gram = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t end = i + 1 < starts.size() ? starts[i + 1] : total;
    const auto n = static_cast<int64_t>(i + 1);
    if (starts[i] < 0 || end < starts[i] || end > total || (end - starts[i]) % n != 0) {
      return bad_input("the ", n, "-grams from ", starts[i], " to ", end, " do not fit a pool of ",
                       total);
    }
    for (int64_t at = starts[i]; at < end; at += n, ++gram) {
      if (gram >= indexes.size()) return bad_input("ngram_indexes has fewer entries than the pool");
      if (n < in.integer("min_gram_length") || n > in.integer("max_gram_length")) continue;
      pool[{tokens.begin() + at, tokens.begin() + at + n}] = indexes[gram];
    }
  }
  return pool;
}

template <class Token>
void count_row(const NodeContext& in, const Pool<Token>& pool, std::span<const Token> row,
               float* counts) {
  const auto size = static_cast<int64_t>(row.size());
  const auto longest =
      std::min(in.integer("max_gram_length"), static_cast<int64_t>(in.ints("ngram_counts").size()));
  std::vector<Token> gram;
  for (int64_t n = in.integer("min_gram_length"); n <= longest; ++n) {
    const int64_t furthest = n == 1 ? 1 : std::min(in.integer("max_skip_count"), size) + 1;
    for (int64_t step = 1; step <= furthest; ++step) {
      for (int64_t first = 0; first + step * (n - 1) < size; ++first) {
        gram.clear();
        for (int64_t k = 0; k < n; ++k) gram.push_back(row[static_cast<size_t>(first + k * step)]);
        const auto found = pool.find(gram);
        if (found != pool.end()) counts[found->second] += 1;
      }
    }
  }
}

// Counts -> what the mode asks for.
void weigh(const NodeContext& in, std::span<float> y, size_t columns) {
  const std::string& mode = in.text("mode");
  const Floats& weights = in.attr<Floats>("weights");
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t column = i % columns;
    const float weight = column < weights.size() ? static_cast<float>(weights[column]) : 1.0f;
    if (mode == "IDF") y[i] = y[i] > 0 ? weight : 0.0f;
    if (mode == "TFIDF") y[i] *= weight;
  }
}

template <class Token>
Status vectorize(EvalContext& in, const std::vector<Token>& tokens, std::span<const Token> x) {
  HONE_TRY(const Pool<Token> pool, read_pool(in, tokens));
  Tensor& out = in.out();
  const auto y = out.mutable_data<float>();
  const auto columns = static_cast<size_t>(out.shape().back());
  const size_t rows = y.size() / columns;
  const size_t length = rows == 0 ? 0 : x.size() / rows;
  for (size_t r = 0; r < rows; ++r)
    count_row(in, pool, x.subspan(r * length, length), &y[r * columns]);
  weigh(in, y, columns);
  return Done{};
}

Status eval_tf_idf_vectorizer(EvalContext& in) {
  if (in.in(0).dtype() == DType::String) {
    return vectorize(in, in.attr<Strings>("pool_strings"), in.in(0).data<std::string>());
  }
  const Ints x = to_ints(in.in(0));
  return vectorize(in, in.ints("pool_int64s"), std::span<const int64_t>(x));
}

}  // namespace

extern const OpDef op_tf_idf_vectorizer = {
    .name = "tf_idf_vectorizer",
    .summary = "Counts of n-grams, weighted.",
    .inputs = {{"x", kText | kIndex}},
    .attrs = {{"max_gram_length", int64_t{0}, kRequired},
              {"max_skip_count", int64_t{0}, kRequired},
              {"min_gram_length", int64_t{0}, kRequired},
              {"mode", std::string(), kRequired},
              {"ngram_counts", Ints(), kRequired},
              {"ngram_indexes", Ints(), kRequired},
              {"pool_int64s", Ints()},
              {"pool_strings", Strings()},
              {"weights", Floats()}},
    .infer = infer_tf_idf_vectorizer,
    .eval = eval_tf_idf_vectorizer,
    .onnx = {{"TfIdfVectorizer"}},
    .cases = {"(i64[4]{1 2 1 3}) max_gram_length=1 max_skip_count=0 min_gram_length=1 mode=\"TF\" "
              "ngram_counts=[0] ngram_indexes=[0,1] pool_int64s=[1,3]"},
};

}  // namespace hone
