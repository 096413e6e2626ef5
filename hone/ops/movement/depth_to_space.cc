// depth_to_space moves blocks of b x b channels into the image, space_to_depth moves them back.
// Where channels are ordered depth, column, row (mode DCR) channel (i * b + j) * depth + d lands at
// row i and column j of its block; in mode CRD that is channel d * b * b + i * b + j.

#include "hone/ops/conv/geometry.h"
#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"

namespace hone {
namespace {

struct Image {
  int64_t n, c, h, w;
};

Image image_of(const Shape& shape, bool nhwc) {
  return nhwc ? Image{shape[0], shape[3], shape[1], shape[2]}
              : Image{shape[0], shape[1], shape[2], shape[3]};
}

Shape shape_of(const Image& image, bool nhwc) {
  return nhwc ? Shape{image.n, image.h, image.w, image.c}
              : Shape{image.n, image.c, image.h, image.w};
}

// The extent times the factor, or divided by it where it is negative.
Result<int64_t> times(int64_t extent, int64_t factor) {
  if (extent == kUnknown) return kUnknown;
  if (factor > 0) return extent * factor;
  if (extent % factor != 0) return bad_input("extent ", extent, " is no multiple of ", -factor);
  return extent / -factor;
}

// Sign 1: height and width grow by the block and channels shrink; sign -1: the other way round.
Result<std::vector<ValueType>> infer_blocks(const InferContext& in, int64_t sign) {
  HONE_TRY(const bool nhwc, is_nhwc(in));
  const int64_t block = in.integer("blocksize");
  if (block < 1 || block > (1 << 20)) return bad_input("blocksize is ", block);
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  if (type.rank() != 4) return bad_input("the image is ", type, ", expected rank 4");
  HONE_RETURN_IF_ERROR(type.check());
  Image image = image_of(type.shape, nhwc);
  for (const int64_t extent : type.shape) {
    if (extent > kLargestExtent >> 20) return bad_input(type, " is too large");
  }
  HONE_TRY(image.c, times(image.c, -sign * block * block));
  HONE_TRY(image.h, times(image.h, sign * block));
  HONE_TRY(image.w, times(image.w, sign * block));
  type.shape = shape_of(image, nhwc);
  return std::vector<ValueType>{type};
}

Result<std::vector<ValueType>> infer_depth_to_space(const InferContext& in) {
  const std::string& mode = in.text("mode");
  if (mode != "DCR" && mode != "CRD") return unsupported("mode '", mode, "'");
  return infer_blocks(in, 1);
}

Result<std::vector<ValueType>> infer_space_to_depth(const InferContext& in) {
  return infer_blocks(in, -1);
}

// y's axes [n, d, h, i, w, j] (or [n, h, i, w, j, d]) as strides into x.
Status eval_depth_to_space(EvalContext& in) {
  HONE_TRY(const bool nhwc, is_nhwc(in));
  const bool crd = in.text("mode") == "CRD";
  const Tensor& x = in.in(0);
  const int64_t b = in.integer("blocksize");
  const Image from = image_of(x.shape(), nhwc);
  const Image step = image_of(strides_of(x.shape()), nhwc);
  const int64_t depth = from.c / (b * b);
  const int64_t d = crd ? step.c * b * b : step.c;
  const int64_t j = crd ? step.c : step.c * depth;
  const int64_t i = j * b;
  if (nhwc) {
    copy_strided(x, 0, Shape{from.n, from.h, b, from.w, b, depth},
                 {step.n, step.h, i, step.w, j, d}, in.out());
  } else {
    copy_strided(x, 0, Shape{from.n, depth, from.h, b, from.w, b},
                 {step.n, d, step.h, i, step.w, j}, in.out());
  }
  return Done{};
}

// y's axes [n, i, j, c, h, w] (or [n, h, w, i, j, c]) as strides into x.
Status eval_space_to_depth(EvalContext& in) {
  HONE_TRY(const bool nhwc, is_nhwc(in));
  const Tensor& x = in.in(0);
  const int64_t b = in.integer("blocksize");
  const Image from = image_of(x.shape(), nhwc);
  const Image step = image_of(strides_of(x.shape()), nhwc);
  const int64_t h = from.h / b;
  const int64_t w = from.w / b;
  if (nhwc) {
    copy_strided(x, 0, Shape{from.n, h, w, b, b, from.c},
                 {step.n, step.h * b, step.w * b, step.h, step.w, step.c}, in.out());
  } else {
    copy_strided(x, 0, Shape{from.n, b, b, from.c, h, w},
                 {step.n, step.h, step.w, step.c, step.h * b, step.w * b}, in.out());
  }
  return Done{};
}

}  // namespace

extern const OpDef op_depth_to_space = {
    .name = "depth_to_space",
    .summary = "Blocks of channels moved into the image.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny}},
    .attrs = {{"blocksize", int64_t{0}, kRequired}, {"mode", std::string("DCR")}, layout_attr()},
    .quantized = true,
    .infer = infer_depth_to_space,
    .eval = eval_depth_to_space,
    .onnx = {{"DepthToSpace"}},
    .tflite = {{"DEPTH_TO_SPACE", import_depth_to_space},
               {"BATCH_TO_SPACE_ND", import_batch_to_space}},
    .cases = {"(f32[1,8,3,2]) blocksize=2", "(f32[1,8,3,2]) blocksize=2 mode=\"CRD\"",
              "(f32[1,3,2,8]) blocksize=2 layout=\"nhwc\""},
};

extern const OpDef op_space_to_depth = {
    .name = "space_to_depth",
    .summary = "Blocks of the image moved into channels.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny}},
    .attrs = {{"blocksize", int64_t{0}, kRequired}, layout_attr()},
    .quantized = true,
    .infer = infer_space_to_depth,
    .eval = eval_space_to_depth,
    .onnx = {{"SpaceToDepth"}},
    .tflite = {{"SPACE_TO_DEPTH", import_space_to_depth},
               {"SPACE_TO_BATCH_ND", import_space_to_batch}},
    .cases = {"(f32[1,3,4,6]) blocksize=2", "(f32[1,4,6,3]) blocksize=2 layout=\"nhwc\""},
};

}  // namespace hone
