// det(x): the determinant of the matrices in the last two axes, by elimination with partial
// pivoting.

#include <cmath>
#include <utility>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_det(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{std::move(type)};
  const size_t rank = type.shape.size();
  if (rank < 2) return bad_input("x has rank ", rank, ", expected 2 or more");
  const int64_t rows = type.shape[rank - 2];
  const int64_t columns = type.shape[rank - 1];
  if (rows != columns && rows != kUnknown && columns != kUnknown) {
    return bad_input("a determinant of ", rows, "x", columns, ", expected a square matrix");
  }
  type.shape.resize(rank - 2);
  return std::vector<ValueType>{std::move(type)};
}

double determinant(std::vector<double> a, size_t n) {
  double result = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      for (size_t j = 0; j < n; ++j) std::swap(a[pivot * n + j], a[k * n + j]);
      result = -result;
    }
    result *= a[k * n + k];
    for (size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return result;
}

Status eval_det(EvalContext& in) {
  const auto n = static_cast<size_t>(in.in(0).shape().back());
  const std::vector<double> x = to_doubles(in.in(0));
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) {
      const auto first = x.begin() + static_cast<ptrdiff_t>(i * n * n);
      y[i] = T(determinant({first, first + static_cast<ptrdiff_t>(n * n)}, n));
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_det = {
    .name = "det",
    .summary = "Determinants of square matrices.",
    .inputs = {{"x", kFloat}},
    .infer = infer_det,
    .eval = eval_det,
    .onnx = {{"Det"}},
    .cases = {"(f32[3,3])", "(f32[2,2,2])"},
};

}  // namespace hone
