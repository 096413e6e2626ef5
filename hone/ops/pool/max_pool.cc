// max_pool(x)[n, c, p] = the largest of x under the window at p; padding never wins. The second
// output tells where it was: its offset in x, or with storage_order 1 the offset if every image
// were stored column by column.

#include <limits>

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/op_def.h"
#include "hone/ops/pool/pool_quantized.h"
#include "hone/ops/pool/pool_tflite.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kPoolTypes = kFloat | DTypeSet{DType::I8, DType::U8};

Result<std::vector<ValueType>> infer_max_pool(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_activation(in));
  HONE_RETURN_IF_ERROR(check_pool_quantized(in, kPoolTypes));
  if (!in.text("activation").empty() && kInteger.contains(in.dtype(0)) && !in.type(0).quantized()) {
    return unsupported("max_pool of integers with an activation");
  }
  if (in.outputs() > 1 && in.text("layout") != "nchw") {
    return unsupported("indices of a max_pool in layout ", in.text("layout"));
  }
  HONE_TRY(const TensorType type, pool_type(in));
  TensorType indices = type;
  indices.dtype = DType::I64;
  return std::vector<ValueType>{type, indices};
}

template <class T>
T lowest() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::lowest();
  } else {
    return T(-std::numeric_limits<Compute<T>>::infinity());
  }
}

// The index ONNX gives for pixel (z, y, x) of a plane.
int64_t index_of(const PoolWindow& at, bool column_major, int64_t z, int64_t y, int64_t x) {
  const auto& [depth, height, width] = at.window.axes;
  const int64_t pixel =
      column_major ? (x * height.in + y) * depth.in + z : (z * height.in + y) * width.in + x;
  return at.plane * at.window.in_pixels() + pixel;
}

Status eval_max_pool(EvalContext& in) {
  HONE_TRY(const PoolGeometry pool, pool_geometry(in, in.in(0).shape()));
  const bool column_major = in.integer("storage_order") != 0;
  int64_t* indices = in.outputs() > 1 ? in.out(1).mutable_data<int64_t>().data() : nullptr;
  dispatch<float, double, Half, BFloat16, int8_t, uint8_t, int16_t>(
      in.in(0).dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* x = in.in(0).data<T>().data();
        T* y = in.out().template mutable_data<T>().data();
        for_each_window(pool, [&](const PoolWindow& at) {
          Compute<T> best = lowest<T>();
          int64_t where = at.plane * pool.window.in_pixels();
          bool found = false;
          at.each([&](int64_t offset, int64_t z, int64_t row, int64_t column) {
            const Compute<T> value = x[offset];
            const bool better = value > best || (is_nan(value) && !is_nan(best));
            if (found && !better) return;
            found = true;
            best = value;
            if (indices != nullptr) where = index_of(at, column_major, z, row, column);
          });
          y[at.out] = T(best);
          if (indices != nullptr) indices[at.out] = where;
        });
      });
  if (in.in(0).type().quantized()) return clamp_quantized(in.out(), in.text("activation"));
  if (!kInteger.contains(in.in(0).dtype())) activate_all(in.out(), in);
  return Done{};
}

}  // namespace

extern const OpDef op_max_pool = {
    .name = "max_pool",
    .summary = "Largest element under a sliding window.",
    .kind = OpKind::Pool,
    .integers = IntegerForm::SameScale,
    .half = true,
    .inputs = {{"x", kPoolTypes | kQuantized}},
    .attrs = {{"auto_pad", std::string("NOTSET")},
              {"ceil_mode", int64_t{0}},
              {"dilations", Ints{}},
              {"kernel_shape", Ints{}, kRequired},
              {"pads", Ints{}},
              {"storage_order", int64_t{0}},
              {"strides", Ints{}},
              activation_attr(),
              activation_params_attr(),
              layout_attr()},
    .max_outputs = 2,
    .quantized = true,
    .infer = infer_max_pool,
    .cost = pool_cost,
    .eval = eval_max_pool,
    .onnx = {{"MaxPool"}},
    .tflite = {{"MAX_POOL_2D", import_max_pool_2d}},
    .cases = {"(f32[1,3,6,6]) kernel_shape=[2,2] strides=[2,2]",
              "(f32[1,3,5,5]) kernel_shape=[3,3] pads=[1,1,1,1]",
              "?, ? = (f32[1,2,4,4]) kernel_shape=[2,2]",
              "i8[1,2,2,3]<0.5:1> = (i8[1,4,4,3]<0.5:1>) kernel_shape=[2,2] strides=[2,2] "
              "layout=\"nhwc\""},
};

}  // namespace hone
