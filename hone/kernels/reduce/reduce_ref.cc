#include <cmath>

#include "hone/kernels/reduce/reduce.h"

namespace hone {
namespace {

double step(ReduceOp op, double fold, double x) {
  switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Mean:
      return fold + x;
    case ReduceOp::Max:
      return x > fold || std::isnan(x) ? x : fold;
    case ReduceOp::Min:
      return x < fold || std::isnan(x) ? x : fold;
  }
  return fold;
}

}  // namespace

template <class T>
void reduce_ref(const ReduceArgs<T>& p) {
  for (size_t o = 0; o < p.outer; ++o) {
    for (size_t i = 0; i < p.inner; ++i) {
      const T* x = p.x + o * p.outer_stride + i;
      double fold = double{float{x[0]}};
      for (size_t k = 1; k < p.n; ++k) fold = step(p.op, fold, double{float{x[k * p.stride]}});
      if (p.op == ReduceOp::Mean) fold /= static_cast<double>(p.n);
      p.y[o * p.y_stride + i] = T(static_cast<float>(fold));
    }
  }
}

template void reduce_ref(const ReduceArgs<float>& args);
template void reduce_ref(const ReduceArgs<Half>& args);

}  // namespace hone
