// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: blocks of the image as further images of the batch,
// which is a reshape, a transpose and a reshape.

#include <algorithm>

#include "hone/ops/movement/movement_tflite.h"
#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/movement/transpose_tflite.h"

namespace hone {
namespace {

struct Blocks {
  Ints block;   // Per spatial axis, which are those behind the first.
  Ints before;  // Padding or crop.
  Ints behind;
  Shape image;  // The spatial extents of the input.
  Shape rest;   // The extents behind them.
};

Result<Blocks> blocks_of(const TfliteImport& in) {
  HONE_TRY(const Ints block, in.constant_ints(1));
  HONE_TRY(const Ints pairs, in.constant_ints(2));
  const TensorType& x = in.in_type(0);
  const size_t spatial = block.size();
  if (pairs.size() != 2 * spatial || !x.ranked || x.shape.size() < spatial + 1) {
    return bad_input("blocks [", join(block), "] and ", pairs.size(), " paddings of ", x);
  }
  Blocks blocks{block, {}, {}, {}, {}};
  constexpr int64_t kLargest = 1 << 30;
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t extent = x.shape[i + 1];
    if (extent < 1 || extent > kLargest) return unsupported("blocks of ", x);
    for (const int64_t value : {pairs[2 * i], pairs[2 * i + 1], block[i] - 1}) {
      if (value < 0 || value > kLargest) return bad_input("blocks [", join(block), "] of ", x);
    }
    blocks.before.push_back(pairs[2 * i]);
    blocks.behind.push_back(pairs[2 * i + 1]);
    blocks.image.push_back(extent);
  }
  for (size_t i = spatial + 1; i < x.shape.size(); ++i) {
    if (x.shape[i] < 1) return unsupported("blocks of ", x);
    blocks.rest.push_back(x.shape[i]);
  }
  return blocks;
}

// Whether a shape has at most one unknown extent, as a reshape may.
TensorType like(const TfliteImport& in, Shape shape) {
  return {in.out_type(0).dtype, std::move(shape), in.out_type(0).quant};
}

void append(Shape& shape, const Shape& more) {
  shape.insert(shape.end(), more.begin(), more.end());
}

Value* add_padding(TfliteImport& in, const Blocks& blocks, Shape& image) {
  const size_t rank = blocks.image.size() + blocks.rest.size() + 1;
  Ints pads(2 * rank);
  for (size_t i = 0; i < blocks.image.size(); ++i) {
    pads[i + 1] = blocks.before[i];
    pads[rank + i + 1] = blocks.behind[i];
    image[i] += blocks.before[i] + blocks.behind[i];
  }
  Shape shape{in.in_type(0).shape[0]};
  append(shape, image);
  append(shape, blocks.rest);
  return in.add("pad", {in.in(0), in.add_constant(Tensor::of_ints(pads))}, like(in, shape));
}

}  // namespace

// Image (i, j) of the blocks comes before image (i, j + 1), and each holds the whole batch.
Status import_space_to_batch(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  HONE_TRY(const Blocks blocks, blocks_of(in));
  const size_t spatial = blocks.block.size();
  Shape image = blocks.image;
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t padded = image[i] + blocks.before[i] + blocks.behind[i];
    if (padded % blocks.block[i] != 0) {
      return bad_input("an extent of ", padded, " in blocks of ", blocks.block[i]);
    }
  }
  Value* x = add_padding(in, blocks, image);
  Shape split{in.in_type(0).shape[0]};
  Ints perm;
  for (size_t i = 0; i < spatial; ++i) {
    split.push_back(image[i] / blocks.block[i]);
    split.push_back(blocks.block[i]);
    perm.push_back(static_cast<int64_t>(2 * i + 2));
  }
  append(split, blocks.rest);
  perm.push_back(0);
  for (size_t i = 0; i < spatial; ++i) perm.push_back(static_cast<int64_t>(2 * i + 1));
  while (perm.size() < split.size()) perm.push_back(static_cast<int64_t>(perm.size()));
  x = add_transposed(in, add_reshape(in, x, like(in, split)), perm);
  Shape joined{kUnknown};
  for (size_t i = 0; i < spatial; ++i) joined.push_back(image[i] / blocks.block[i]);
  append(joined, blocks.rest);
  in.set_output(0, add_reshape(in, x, like(in, joined)));
  return Done{};
}

Status import_batch_to_space(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  HONE_TRY(const Blocks blocks, blocks_of(in));
  const size_t spatial = blocks.block.size();
  for (size_t i = 0; i < spatial; ++i) {
    if (blocks.image[i] * blocks.block[i] <= blocks.before[i] + blocks.behind[i]) {
      return bad_input("crops leave nothing of ", in.in_type(0));
    }
  }
  Shape split = blocks.block;
  split.push_back(kUnknown);
  append(split, blocks.image);
  append(split, blocks.rest);
  Ints perm{static_cast<int64_t>(spatial)};
  for (size_t i = 0; i < spatial; ++i) {
    perm.push_back(static_cast<int64_t>(spatial + 1 + i));
    perm.push_back(static_cast<int64_t>(i));
  }
  while (perm.size() < split.size()) perm.push_back(static_cast<int64_t>(perm.size()));
  Value* x = add_transposed(in, add_reshape(in, in.in(0), like(in, split)), perm);
  Shape joined{kUnknown};
  Ints starts;
  Ints ends;
  Ints axes;
  for (size_t i = 0; i < spatial; ++i) {
    joined.push_back(blocks.image[i] * blocks.block[i]);
    starts.push_back(blocks.before[i]);
    ends.push_back(joined.back() - blocks.behind[i]);
    axes.push_back(static_cast<int64_t>(i + 1));
  }
  append(joined, blocks.rest);
  x = add_reshape(in, x, like(in, joined));
  in.finish("slice",
            {x, in.add_constant(Tensor::of_ints(starts)), in.add_constant(Tensor::of_ints(ends)),
             in.add_constant(Tensor::of_ints(axes))});
  return Done{};
}

}  // namespace hone
