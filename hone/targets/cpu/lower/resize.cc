// Nearest and linear resizing along one axis or two neighbouring ones. The axes before them count
// as images, those behind them as channels, so that nhwc gives the kernel long runs and nchw still
// works, pixel by pixel.

#include "hone/kernels/resize/resize.h"

#include "hone/ops/op_def.h"
#include "hone/ops/vision/resize_plan.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

// A resize as the kernels know it.
struct Image {
  size_t images = 1;
  size_t in_height = 1;
  size_t in_width = 1;
  size_t channels = 1;
  std::vector<ResizeTap> rows;
  std::vector<ResizeTap> columns;
};

template <class T>
using ResizeKernel = void (*)(const ResizeArgs<T>& args, size_t first, size_t last);

template <class T>
class ResizeStep final : public Step {
 public:
  ResizeStep(const Node& resize, Image image, ResizeKernel<T> resize_rows, StepBuilder& builder)
      : image_(std::move(image)), run_(resize_rows), y_stride_(image_.channels) {
    const auto threads = static_cast<size_t>(builder.options().threads);
    per_task_ = std::max<size_t>(1, rows() / (8 * threads));
    x_ = builder.read(resize.inputs[0]);
    y_ = builder.write(resize.outputs[0]);
  }

  bool write_apart(const RowsApart& rows) override {
    constexpr bool kNearest = std::is_same_v<T, std::byte>;
    if (!kNearest || rows.bytes != image_.channels) return false;
    y_stride_ = rows.stride;
    return true;
  }

  Status run(const Frame& frame) const override {
    const ResizeArgs<T> args{.channels = image_.channels,
                             .in_height = image_.in_height,
                             .in_width = image_.in_width,
                             .rows = image_.rows,
                             .columns = image_.columns,
                             .x = frame.in<T>(x_),
                             .y = frame.out<T>(y_),
                             .y_stride = y_stride_};
    frame.workers->run((rows() + per_task_ - 1) / per_task_, [&](size_t task, size_t) {
      const size_t first = task * per_task_;
      run_(args, first, std::min(rows(), first + per_task_));
    });
    return Done{};
  }

 private:
  size_t rows() const { return image_.images * image_.rows.size(); }

  Image image_;
  ResizeKernel<T> run_;
  size_t y_stride_;
  size_t per_task_ = 1;
  Slot x_ = 0;
  Slot y_ = 0;
};

// Nothing when an output needs more than two inputs, as antialiasing does, or none.
std::optional<std::vector<ResizeTap>> taps_of(const ResizeTable& table) {
  std::vector<ResizeTap> taps;
  for (size_t i = 0; i + 1 < table.first.size(); ++i) {
    const size_t count = table.first[i + 1] - table.first[i];
    if (count < 1 || count > 2 || table.outside[i]) return std::nullopt;
    const ResizeTable::Tap& low = table.taps[table.first[i]];
    const ResizeTable::Tap& high = table.taps[table.first[i] + count - 1];
    const double sum = count == 1 ? low.weight : low.weight + high.weight;
    if (std::abs(sum - 1) > 1e-9) return std::nullopt;
    taps.push_back({static_cast<uint32_t>(low.index), static_cast<uint32_t>(high.index),
                    count == 1 ? 0 : static_cast<float>(high.weight)});
  }
  return taps;
}

// Nothing when other axes than two neighbours change.
std::optional<Image> image_of(const ResizePlan& plan) {
  std::vector<ResizeTable> tables;
  size_t first = plan.axes.size(), last = 0;
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    tables.push_back(resize_table(plan.axes[i], plan.mode));
    if (tables[i].identity(plan.axes[i])) continue;
    first = std::min(first, i);
    last = i;
  }
  if (first > last) first = last;
  if (plan.axes.empty() || last - first > 1) return std::nullopt;
  const auto extent = [&](size_t axis) { return static_cast<size_t>(plan.axes[axis].in); };
  auto rows = taps_of(tables[first]);
  auto columns = taps_of(tables[last]);
  if (!rows || !columns) return std::nullopt;
  Image image{.in_height = extent(first), .rows = *std::move(rows), .columns = {{0, 0, 0}}};
  if (last > first) {
    image.in_width = extent(last);
    image.columns = *std::move(columns);
  }
  for (size_t i = 0; i < first; ++i) image.images *= extent(i);
  for (size_t i = last + 1; i < plan.axes.size(); ++i) image.channels *= extent(i);
  return image;
}

template <class T>
std::unique_ptr<Step> make_linear(const Node& node, Image image,
                                  const KernelVariant<ResizeBilinear<T>>& variant,
                                  StepBuilder& builder) {
  auto step = std::make_unique<ResizeStep<T>>(node, std::move(image), variant.run, builder);
  step->kind = step_kind(StepFamily::Resize, "resize", variant.name);
  return step;
}

std::unique_ptr<Step> make_nearest(const Node& node, Image image, size_t element_bytes,
                                   StepBuilder& builder) {
  image.channels *= element_bytes;
  constexpr ResizeKernel<std::byte> kNearest = resize_nearest;
  auto step = std::make_unique<ResizeStep<std::byte>>(node, std::move(image), kNearest, builder);
  step->kind = step_kind(StepFamily::Resize, "resize", "nearest");
  return step;
}

// Nothing when an input that decides about the extents is computed in the run.
std::optional<ResizePlan> plan_of(const Node& node) {
  const Tensor* given[3] = {};
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (input == nullptr) continue;
    if (!input->constant) return std::nullopt;
    given[i - 1] = &*input->constant;
  }
  const NodeContext context(*find_op(node.op), node);
  auto plan = resize_plan(context, node.inputs[0]->type.tensor.shape,
                          {.roi = given[0], .scales = given[1], .sizes = given[2]});
  if (!plan.ok()) return std::nullopt;
  return *std::move(plan);
}

std::unique_ptr<Step> lower_resize_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  if (!builder.planned(x) || !builder.planned(node.outputs[0]) || x->constant ||
      node.outputs[0]->type.tensor.elements() == 0) {
    return nullptr;
  }
  const auto plan = plan_of(node);
  if (!plan) return nullptr;
  auto image = image_of(*plan);
  if (!image) return nullptr;
  const DType dtype = x->type.tensor.dtype;
  const auto bits = static_cast<size_t>(bits_of(dtype));
  if (plan->mode.kind == ResizeMode::Kind::Nearest && bits % 8 == 0) {
    return make_nearest(node, *std::move(image), bits / 8, builder);
  }
  if (plan->mode.kind != ResizeMode::Kind::Linear) return nullptr;
  if (dtype == DType::F32) {
    return make_linear<float>(node, *std::move(image), best_variant(resize_bilinear_f32_variants()),
                              builder);
  }
  if (dtype == DType::F16) {
    return make_linear<Half>(node, *std::move(image), best_variant(resize_bilinear_f16_variants()),
                             builder);
  }
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_resize = {.op = "resize", .lower = lower_resize_node};

}  // namespace hone::cpu
