#include "hone/kernels/transpose/transpose.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hone/kernels/hwy_targets.h"

namespace hone {
namespace {

// Columns of a matrix that make a unit: enough that its threads do not share lines of the output.
constexpr size_t kColumnBlock = 64;

template <class T>
void transpose_ref(size_t rows, size_t cols, const void* x, size_t x_stride, void* y,
                   size_t y_stride) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  for (size_t c = 0; c < cols; ++c) {
    for (size_t r = 0; r < rows; ++r) to[c * y_stride + r] = from[r * x_stride + c];
  }
}

}  // namespace

extern const Transpose2d kTransposeHwy;  // transpose_hwy.cc

std::span<const KernelVariant<Transpose2d>> transpose_2d_variants() {
  static const KernelVariant<Transpose2d> kVariants[] = {
      {"hwy", kHwy, kTransposeHwy},
      {"ref",
       kNoFeature,
       {transpose_ref<uint8_t>, transpose_ref<uint16_t>, transpose_ref<uint32_t>,
        transpose_ref<uint64_t>}},
  };
  return kVariants;
}

TransposePlan::TransposePlan(std::span<const size_t> shape, std::span<const size_t> perm,
                             size_t element_size)
    : element_size_(element_size) {
  // The output's axes in its order, with both strides; neighbours that are neighbours in the input
  // too become one.
  size_t x_strides[kMostAxes];
  size_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    x_strides[i] = stride;
    stride *= shape[i];
  }
  const size_t elements = stride;
  for (const size_t from : perm) {
    const Axis axis{shape[from], x_strides[from], 0};
    if (axis.size == 1) continue;
    if (rank_ > 0 && axes_[rank_ - 1].x_stride == axis.size * axis.x_stride) {
      axes_[rank_ - 1].size *= axis.size;
      axes_[rank_ - 1].x_stride = axis.x_stride;
    } else {
      axes_[rank_++] = axis;
    }
  }
  if (elements == 0) {
    rank_ = 0;
    return;
  }
  stride = 1;
  for (size_t i = rank_; i-- > 0;) {
    axes_[i].y_stride = stride;
    stride *= axes_[i].size;
  }
  // Short runs that both sides have in common are larger elements.
  if (rank_ > 0 && axes_[rank_ - 1].x_stride == 1) {
    const Axis run = take(rank_ - 1);
    const size_t bytes = run.size * element_size_;
    copies_ = rank_ == 0 || (bytes != 2 && bytes != 4 && bytes != 8);
    run_bytes_ = bytes;
    if (!copies_) {
      element_size_ = bytes;
      for (size_t i = 0; i < rank_; ++i) {
        axes_[i].x_stride /= run.size;
        axes_[i].y_stride /= run.size;
      }
    }
  } else if (rank_ == 0) {
    copies_ = true;
    run_bytes_ = element_size_;
  }
  if (!copies_) {
    row_ = take(rank_ - 1);
    for (size_t i = 0; i < rank_; ++i) {
      if (axes_[i].x_stride == 1) {
        column_ = take(i);
        break;
      }
    }
    column_blocks_ = (column_.size + kColumnBlock - 1) / kColumnBlock;
  }
  units_ = column_blocks_;
  for (size_t i = 0; i < rank_; ++i) units_ *= axes_[i].size;
}

TransposePlan::Axis TransposePlan::take(size_t i) {
  const Axis taken = axes_[i];
  std::copy(axes_ + i + 1, axes_ + rank_, axes_ + i);
  --rank_;
  return taken;
}

void TransposePlan::run(const Transpose2d& kernel, const void* x, void* y, size_t first,
                        size_t last) const {
  const Transpose2d::Run transpose = kernel.of(element_size_);
  for (size_t unit = first; unit < last; ++unit) {
    size_t x_offset = 0, y_offset = 0, rest = unit / column_blocks_;
    for (size_t i = rank_; i-- > 0; rest /= axes_[i].size) {
      x_offset += rest % axes_[i].size * axes_[i].x_stride;
      y_offset += rest % axes_[i].size * axes_[i].y_stride;
    }
    const auto* from = static_cast<const std::byte*>(x) + x_offset * element_size_;
    auto* to = static_cast<std::byte*>(y) + y_offset * element_size_;
    if (copies_) {
      std::memcpy(to, from, run_bytes_);
      continue;
    }
    const size_t column = unit % column_blocks_ * kColumnBlock;
    transpose(row_.size, std::min(kColumnBlock, column_.size - column),
              from + column * element_size_, row_.x_stride,
              to + column * column_.y_stride * element_size_, column_.y_stride);
  }
}

}  // namespace hone
