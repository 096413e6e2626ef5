// Batch norms with known statistics that no convolution took in: a product and a sum per channel.

#include "hone/kernels/scale_shift/scale_shift.h"
#include "hone/targets/common/channel_scale.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {
namespace {

template <class T>
const KernelVariant<ScaleShift<T>>& best_scale_shift() {
  if constexpr (sizeof(T) == 4) {
    return best_variant(scale_shift_f32_variants());
  } else {
    return best_variant(scale_shift_f16_variants());
  }
}

// x as a matrix, with a scale and a shift for each of its rows or columns.
struct ChannelMatrix {
  size_t rows;
  size_t cols;
  bool per_row;
  std::vector<float> scale;
  std::vector<float> shift;
  RowShape by_rows;  // Of images whose rows are whole rows of the matrix.
};

template <class T>
class BatchNormStep final : public RowStep {
 public:
  BatchNormStep(const Node& norm, ChannelMatrix matrix, const Activation& activation,
                StepBuilder& builder)
      : matrix_(std::move(matrix)),
        chunks_(matrix_.rows, matrix_.cols * sizeof(T)),
        activation_(activation),
        run_(best_scale_shift<T>().run),
        activate_(best_activate<T>()) {
    kind =
        step_kind(StepFamily::Elementwise, sizeof(T) == 4 ? "scale_shift_f32" : "scale_shift_f16",
                  best_scale_shift<T>().name);
    weight_bytes = (matrix_.scale.size() + matrix_.shift.size()) * sizeof(float);
    row_shape = matrix_.by_rows;
    // Memory that is shared cannot be handed on by rows.
    if (row_shape.images == 0) in_place = 0;
    x_ = builder.read(norm.inputs[0]);
    y_ = builder.write(norm.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      run_range({chunks_.begin(chunk), chunks_.end(chunk)}, frame.in<T>(x_), frame.out<T>(y_));
    });
    return Done{};
  }

  void run_rows(const Frame&, const RowBases& bases, size_t, const RowRange& rows,
                size_t) const override {
    const size_t per_image_row = row_shape.out_row_bytes / (matrix_.cols * sizeof(T));
    run_range({rows.begin * per_image_row, rows.end * per_image_row},
              reinterpret_cast<const T*>(bases.x), reinterpret_cast<T*>(bases.y));
  }

 private:
  // Rows of the matrix; `x` and `y` are where row 0 is.
  void run_range(const RowRange& rows, const T* x, T* y) const {
    const size_t cols = matrix_.cols;
    const size_t channel = matrix_.per_row ? rows.begin : 0;
    ScaleShiftArgs<T> args{.rows = rows.count(),
                           .cols = cols,
                           .x = x + rows.begin * cols,
                           .scale = matrix_.scale.data() + channel,
                           .shift = matrix_.shift.data() + channel,
                           .per_row = matrix_.per_row,
                           .y = y + rows.begin * cols};
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    if (clamps) {
      args.low = activation_.low;
      args.high = activation_.high;
    }
    run_(args);
    if (!clamps) activate_(activation_, args.rows, cols, args.y, cols, args.y, cols);
  }

  ChannelMatrix matrix_;
  Chunks chunks_;
  Activation activation_;
  ScaleShift<T> run_;
  Activate<T> activate_;
  Slot x_ = 0;
  Slot y_ = 0;
};

void repeat(std::vector<float>& values, size_t times) {
  const std::vector<float> once = values;
  for (size_t i = 1; i < times; ++i) values.insert(values.end(), once.begin(), once.end());
}

// The fewest pixels that fill a run of vectors, of those that `pixels` can be cut into.
size_t pixels_of_run(size_t channels, size_t pixels) {
  constexpr size_t kLongRun = 64, kMostRun = 1024;
  for (size_t run = 1; run * channels <= kMostRun && run <= pixels; ++run) {
    if (run * channels >= kLongRun && pixels % run == 0) return run;
  }
  return 1;
}

void set_channels_last(const Shape& shape, size_t element_bytes, ChannelMatrix& matrix) {
  const size_t channels = matrix.scale.size();
  const auto pixels = static_cast<size_t>(elements(shape)) / channels;
  const bool image = shape.size() == 4;
  const size_t run = pixels_of_run(channels, image ? static_cast<size_t>(shape[2]) : pixels);
  for (std::vector<float>* values : {&matrix.scale, &matrix.shift}) repeat(*values, run);
  matrix.per_row = false;
  matrix.rows = pixels / run;
  matrix.cols = channels * run;
  if (!image) return;
  const size_t row_bytes = static_cast<size_t>(shape[2]) * channels * element_bytes;
  matrix.by_rows = {.images = static_cast<size_t>(shape[0]),
                    .height = {.in = shape[1], .out = shape[1]},
                    .in_row_bytes = row_bytes,
                    .out_row_bytes = row_bytes};
}

void set_planes(const Shape& shape, ChannelMatrix& matrix) {
  const size_t channels = matrix.scale.size();
  const size_t images = shape.size() < 2 ? 1 : static_cast<size_t>(shape[0]);
  for (std::vector<float>* values : {&matrix.scale, &matrix.shift}) repeat(*values, images);
  matrix.per_row = true;
  matrix.rows = images * channels;
  matrix.cols = static_cast<size_t>(elements(shape)) / matrix.rows;
}

bool fits_scale_shift(const Node& norm, const StepBuilder& builder) {
  const Value* x = norm.inputs[0];
  const TensorType& type = x->type.tensor;
  return norm.outputs.size() == 1 && builder.planned(x) && builder.planned(norm.outputs[0]) &&
         !x->constant && (type.dtype == DType::F32 || type.dtype == DType::F16) &&
         type.elements() > 0;
}

std::unique_ptr<Step> lower_batch_norm_node(const Node& node, StepBuilder& builder) {
  if (!fits_scale_shift(node, builder)) return nullptr;
  const auto activation = fused_activation(node);
  auto channels = channel_scale(node);
  if (!activation || !channels) return nullptr;
  ChannelMatrix matrix{};
  matrix.scale = std::move(channels->scale);
  matrix.shift = std::move(channels->shift);
  const TensorType& type = node.inputs[0]->type.tensor;
  const bool half = type.dtype == DType::F16;
  if (type.rank() > 1 && static_cast<int64_t>(channels->axis) == type.rank() - 1) {
    set_channels_last(type.shape, half ? sizeof(Half) : sizeof(float), matrix);
  } else {
    set_planes(type.shape, matrix);
  }
  if (half) {
    return std::make_unique<BatchNormStep<Half>>(node, std::move(matrix), *activation, builder);
  }
  return std::make_unique<BatchNormStep<float>>(node, std::move(matrix), *activation, builder);
}

}  // namespace

extern const LoweringDef lower_batch_norm = {.op = "batch_norm", .lower = lower_batch_norm_node};

}  // namespace hone::cpu
