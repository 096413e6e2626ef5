#include "hone/targets/cpu/repeated_constant.h"

#include <algorithm>

#include "hone/targets/cpu/broadcast_view.h"

namespace hone::cpu {
namespace {

// A run of so many elements hides what it costs to start it.
constexpr int64_t kLongRun = 64;
constexpr int64_t kMostElements = 64 * 1024;

// With ones in front, so that it has the axes of y.
Shape with_axes_of(const Shape& y, const Shape& shape) {
  Shape padded(y.size() - shape.size(), 1);
  padded.insert(padded.end(), shape.begin(), shape.end());
  return padded;
}

}  // namespace

std::optional<Shape> repeated_shape(const Shape& shape, const Shape& other, const Shape& y) {
  const BroadcastView view = broadcast_view(shape, other, y);
  const auto enough = static_cast<size_t>(kLongRun);
  if (view.cols >= enough || view.cols * view.rows * view.outer < 2 * enough) return std::nullopt;
  Shape longer = with_axes_of(y, shape);
  const Shape beside = with_axes_of(y, other);
  int64_t run = 1;
  for (size_t i = y.size(); i-- > 0 && run < kLongRun;) {
    if (beside[i] != y[i]) return std::nullopt;
    longer[i] = y[i];
    run *= y[i];
  }
  return elements(longer) <= kMostElements ? std::optional(longer) : std::nullopt;
}

std::vector<size_t> repeated_elements(const Shape& shape, const Shape& to) {
  const Shape own = with_axes_of(to, shape);
  std::vector<size_t> from = {0};
  for (size_t i = 0; i < to.size(); ++i) {
    std::vector<size_t> inner;
    for (const size_t outer : from) {
      for (int64_t at = 0; at < to[i]; ++at) {
        const auto step = static_cast<size_t>(own[i] == 1 ? 0 : at);
        inner.push_back(outer * static_cast<size_t>(own[i]) + step);
      }
    }
    from = std::move(inner);
  }
  return from;
}

}  // namespace hone::cpu
