// Pools over nhwc images: windows, and means over the whole image.

#include "hone/kernels/pool/pool.h"

#include "hone/ops/pool/windows.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {
namespace {

size_t size_pool(int64_t x) {
  return static_cast<size_t>(x);
}

WindowAxis window_axis(const PoolAxis& axis) {
  const auto integer = [](size_t x) { return static_cast<int64_t>(x); };
  return {.in = integer(axis.in),
          .kernel = integer(axis.kernel),
          .stride = integer(axis.stride),
          .dilation = integer(axis.dilation),
          .pad_begin = integer(axis.pad_begin),
          .pad_end = integer(axis.pad_end),
          .out = integer(axis.out)};
}

template <class T>
class PoolStep final : public RowStep {
 public:
  // `args` lacks x and y.
  PoolStep(const Node& pool, const PoolArgs<T>& args, size_t images, StepBuilder& builder)
      : args_(args), rows_(images * args.height.out), variant_(best_variant(pool_variants<T>())) {
    split(size_pool(builder.options().threads));
    kind = step_kind(StepFamily::Pool, "pool", variant_.name);
    row_shape = {.images = images,
                 .height = window_axis(args.height),
                 .in_row_bytes = args.width.in * args.channels * sizeof(T),
                 .out_row_bytes = args.width.out * args.channels * sizeof(T)};
    x_ = builder.read(pool.inputs[0]);
    y_ = builder.write(pool.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    PoolArgs<T> args = args_;
    args.x = frame.in<T>(x_);
    args.y = frame.out<T>(y_);
    const size_t parts = (args_.channels + channels_per_task_ - 1) / channels_per_task_;
    frame.workers->run((rows_ + rows_per_task_ - 1) / rows_per_task_ * parts,
                       [&](size_t task, size_t) {
                         const size_t first = task / parts * rows_per_task_;
                         const size_t last = std::min(rows_, first + rows_per_task_);
                         variant_.run(part_of(args, task % parts), first, last);
                       });
    return Done{};
  }

  void run_rows(const Frame&, const RowBases& bases, size_t, const RowRange& rows,
                size_t) const override {
    PoolArgs<T> args = args_;
    args.x = reinterpret_cast<const T*>(bases.x);
    args.y = reinterpret_cast<T*>(bases.y);
    variant_.run(args, rows.begin, rows.end);
  }

 private:
  // Rows are shared out; where they are too few, as in means over whole images, channels are too.
  void split(size_t threads) {
    constexpr size_t kFewestChannels = 64;  // A vector of the widest of all types.
    rows_per_task_ = std::max<size_t>(1, rows_ / (8 * threads));
    const size_t parts = rows_ >= 2 * threads ? 1 : threads;
    const size_t channels = (args_.channels + parts - 1) / parts;
    channels_per_task_ = (channels + kFewestChannels - 1) / kFewestChannels * kFewestChannels;
  }

  PoolArgs<T> part_of(PoolArgs<T> args, size_t part) const {
    const size_t first = part * channels_per_task_;
    args.pixel_stride = args.channels;
    args.channels = std::min(args.channels - first, channels_per_task_);
    args.x += first;
    args.y += first;
    return args;
  }

  PoolArgs<T> args_;
  size_t rows_;
  size_t rows_per_task_ = 1;
  size_t channels_per_task_ = 1;
  const KernelVariant<Pool<T>>& variant_;
  Slot x_ = 0;
  Slot y_ = 0;
};

PoolAxis axis_of(const WindowAxis& axis) {
  return {.in = size_pool(axis.in),
          .out = size_pool(axis.out),
          .kernel = size_pool(axis.kernel),
          .stride = size_pool(axis.stride),
          .dilation = size_pool(axis.dilation),
          .pad_begin = size_pool(axis.pad_begin),
          .pad_end = size_pool(axis.pad_end)};
}

// What a pool does, whatever its element type.
struct PoolSpec {
  bool average;
  bool count_pad;
  PoolAxis height;
  PoolAxis width;
  size_t channels;
  size_t images;
  float low;
  float high;
  int32_t zero = 0;  // What 0 is stored as.
};

template <class T>
std::unique_ptr<Step> make_step(const Node& node, const PoolSpec& spec, StepBuilder& builder) {
  PoolArgs<T> args{.average = spec.average,
                   .count_pad = spec.count_pad,
                   .height = spec.height,
                   .width = spec.width,
                   .channels = spec.channels,
                   .x = nullptr,
                   .y = nullptr,
                   .low = spec.low,
                   .high = spec.high};
  if constexpr (std::is_integral_v<T>) args.zero = static_cast<T>(spec.zero);
  return std::make_unique<PoolStep<T>>(node, args, spec.images, builder);
}

std::unique_ptr<Step> make_step_of_type(const Node& node, const PoolSpec& spec,
                                        StepBuilder& builder) {
  switch (node.outputs[0]->type.tensor.dtype) {
    case DType::F32:
      return make_step<float>(node, spec, builder);
    case DType::F16:
      return make_step<Half>(node, spec, builder);
    case DType::I8:
      return make_step<int8_t>(node, spec, builder);
    case DType::U8:
      return make_step<uint8_t>(node, spec, builder);
    default:
      return nullptr;
  }
}

bool fits_pool(const Node& node, const StepBuilder& builder) {
  return node.outputs.size() == 1 && builder.planned(node.inputs[0]) &&
         builder.planned(node.outputs[0]) && !node.inputs[0]->constant &&
         node.outputs[0]->type.tensor.elements() > 0;
}

// Where the output is cut; nothing when the activation is more than that.
bool set_range(const Node& node, PoolSpec& spec) {
  const TensorType& type = node.outputs[0]->type.tensor;
  if (kFloat.contains(type.dtype)) {
    const auto activation = fused_activation(node);
    if (!activation || activation->kind != Activation::Kind::Clamp) return false;
    spec.low = activation->low;
    spec.high = activation->high;
    return true;
  }
  IntRange range = range_of(type.dtype);
  if (type.quantized()) {
    const NodeContext context(*find_op(node.op), node);
    const auto cut = activation_range(context.text("activation"), type);
    if (!cut.ok()) return false;
    range = *cut;
    spec.zero = type.quant->zero_point();
  }
  spec.low = static_cast<float>(range.low);
  spec.high = static_cast<float>(range.high);
  return true;
}

std::unique_ptr<Step> lower_window(const Node& node, StepBuilder& builder) {
  if (!fits_pool(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const auto pool = pool_geometry(context, node.inputs[0]->type.tensor.shape);
  if (!pool.ok() || !pool->nhwc || pool->window.rank > 2) return nullptr;
  const bool average = node.op == "average_pool";
  PoolSpec spec{.average = average,
                .count_pad = average && context.integer("count_include_pad") != 0,
                .height = axis_of(pool->window.axes[1]),
                .width = axis_of(pool->window.axes[2]),
                .channels = size_pool(pool->channels),
                .images = size_pool(pool->batch),
                .low = 0,
                .high = 0};
  if (!set_range(node, spec)) return nullptr;
  return make_step_of_type(node, spec, builder);
}

std::unique_ptr<Step> make_global_mean(const Node& node, const Shape& x, StepBuilder& builder) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (!kFloat.contains(node.outputs[0]->type.tensor.dtype)) return nullptr;
  const auto whole = [](int64_t extent) {
    return PoolAxis{.in = size_pool(extent), .out = 1, .kernel = size_pool(extent)};
  };
  const PoolSpec spec{.average = true,
                      .count_pad = false,
                      .height = whole(x.size() == 4 ? x[1] : 1),
                      .width = whole(x[x.size() - 2]),
                      .channels = size_pool(x.back()),
                      .images = size_pool(x[0]),
                      .low = -kInfinity,
                      .high = kInfinity};
  return make_step_of_type(node, spec, builder);
}

std::unique_ptr<Step> lower_global(const Node& node, StepBuilder& builder) {
  if (!fits_pool(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const Shape& x = node.inputs[0]->type.tensor.shape;
  if (x.size() < 3 || x.size() > 4 || context.text("layout") != "nhwc") return nullptr;
  return make_global_mean(node, x, builder);
}

// A mean over the two middle axes, as TFLite's global pools come.
std::unique_ptr<Step> lower_mean(const Node& node, StepBuilder& builder) {
  if (!fits_pool(node, builder) || node.inputs.size() < 2 || node.inputs[1] == nullptr)
    return nullptr;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  if (x.size() != 4 || !node.inputs[1]->constant) return nullptr;
  Ints axes = to_ints(*node.inputs[1]->constant);
  for (int64_t& axis : axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(axes);
  if (axes != Ints{1, 2}) return nullptr;
  return make_global_mean(node, x, builder);
}

}  // namespace

extern const LoweringDef lower_max_pool = {.op = "max_pool", .lower = lower_window};
extern const LoweringDef lower_average_pool = {.op = "average_pool", .lower = lower_window};
extern const LoweringDef lower_global_average_pool = {.op = "global_average_pool",
                                                      .lower = lower_global};
extern const LoweringDef lower_reduce_mean = {.op = "reduce_mean", .lower = lower_mean};

}  // namespace hone::cpu
