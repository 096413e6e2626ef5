// Transposed convolutions of nhwc images with one or two spatial axes and constant float weights:
// one matrix product per phase (phases.h), written with a stride.

#include "hone/base/aligned.h"
#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/phases.h"
#include "hone/targets/cpu/product_kernels.h"
#include "hone/targets/cpu/window.h"

namespace hone::cpu {
namespace {

size_t size_conv_transpose(int64_t x) {
  return static_cast<size_t>(x);
}

// Which phases are joined into one product with the columns of all. That saves reading the image
// once per phase and fills panels that one phase would leave half empty, at the price of zeros
// where the phases read different inputs. Joined columns still lie side by side in the output;
// joined rows have to be taken apart, which pays while all columns together fill one panel: from
// 128 x 128 x 16 to 256 x 256 x 1 with a kernel of 2 x 2 it takes 0.20 instead of 0.44 ms on a
// Neoverse-V1.
struct Joins {
  bool rows;
  bool columns;
};
Joins joins_of(const ConvGeometry& conv, size_t panel) {
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  const size_t outs = size_conv_transpose(conv.out_channels);
  const bool columns = conv.groups == 1 && can_join(width) && (2 * outs <= panel || alike(width));
  const bool rows = columns && can_join(height) &&
                    size_conv_transpose(height.stride * width.stride) * outs <= panel;
  return {.rows = rows, .columns = columns};
}

struct Operands {
  const Value* x;
  const Value* y;
  const Tensor* weights;  // [output channels, height, width, input channels of a group]
  const Tensor* bias;     // Null: none.
};

template <class T>
class TransposedStep final : public Step {
 public:
  TransposedStep(const ConvGeometry& conv, const Operands& operands, const Activation& activation,
                 StepBuilder& builder)
      : conv_(conv), activation_(activation), activate_(best_activate<T>()) {
    const Joins joins = joins_of(conv, PlainProduct<T>({}).step());
    row_phases_ = phases_of(conv.window.axes[1], joins.rows);
    column_phases_ = phases_of(conv.window.axes[2], joins.columns);
    for (const Phase& row : row_phases_) {
      for (const Phase& column : column_phases_) add_product(row, column, operands);
    }
    kind = products_[0].gemm.kind();
    x_ = builder.read(operands.x);
    y_ = builder.write(operands.y);
    const auto threads = size_conv_transpose(builder.options().threads);
    per_task_ = threads == 1 ? units() : units() / (8 * threads) + 1;
  }

  Status run(const Frame& frame) const override {
    frame.workers->run((units() + per_task_ - 1) / per_task_, [&](size_t task, size_t worker) {
      const size_t last = std::min(units(), (task + 1) * per_task_);
      for (size_t unit = task * per_task_; unit < last; ++unit) {
        run_unit(frame, unit, scratch<std::byte>(frame, worker));
      }
    });
    return Done{};
  }

 private:
  // The convolution of one phase of rows and one of columns. Its columns are [phases of the
  // rows][phases of the columns][output channels].
  struct Product {
    TapRows<T> rows;
    PlainProduct<T> gemm;
    AlignedArray<std::byte> panels;  // Of one group after the other.
    size_t columns;                  // Of a group.
  };

  // A row of the output, or as many as are joined, counted through all images.
  size_t units() const { return size_conv_transpose(conv_.batch) * units_per_image(); }
  size_t units_per_image() const {
    return size_conv_transpose(conv_.window.axes[1].out / row_phases_[0].count);
  }
  size_t outs() const { return size_conv_transpose(conv_.out_channels / conv_.groups); }
  size_t ins() const { return size_conv_transpose(conv_.in_channels / conv_.groups); }

  void add_product(const Phase& row, const Phase& column, const Operands& operands) {
    ConvGeometry conv = conv_;
    conv.window.axes[1] = row.window;
    conv.window.axes[2] = column.window;
    TapRows<T> rows(WindowRows(conv), ins(), T{});
    const size_t columns = outs() * size_conv_transpose(row.count * column.count);
    const PlainProduct<T> gemm({.columns = columns, .taps = rows.taps(), .depth = rows.depth()});
    AlignedArray<std::byte> panels(size_conv_transpose(conv_.groups) * gemm.panels_bytes());
    const std::vector<T> weights = phase_weights(row, column, *operands.weights);
    const std::vector<T> bias = phase_bias(row.count * column.count, operands.bias);
    for (size_t group = 0; group < size_conv_transpose(conv_.groups); ++group) {
      const size_t first = group * columns;
      gemm.pack({.data = weights.data() + first * rows.k(),
                 .n = columns,
                 .k = rows.k(),
                 .column_stride = rows.k(),
                 .depth_stride = 1,
                 .bias = bias.data() + first},
                panels.data() + group * gemm.panels_bytes());
    }
    weight_bytes += panels.bytes();
    const size_t joined = row.count > 1 ? columns * sizeof(T) : 0;
    const size_t pixels = size_conv_transpose(column.window.out);
    scratch_bytes = std::max(scratch_bytes, rows.memory_bytes(pixels) + pixels * joined);
    products_.push_back({std::move(rows), gemm, std::move(panels), columns});
  }

  // [columns of the product][taps of the phases][input channels]
  std::vector<T> phase_weights(const Phase& row, const Phase& column, const Tensor& weights) const {
    const WindowAxis& height = conv_.window.axes[1];
    const WindowAxis& width = conv_.window.axes[2];
    const T* w = weights.data<T>().data();
    std::vector<T> result;
    const auto add_taps = [&](int64_t out, int64_t row_phase, int64_t column_phase) {
      for (int64_t i = 0; i < row.window.kernel * column.window.kernel; ++i) {
        const int64_t down = row.tap(row_phase, i / column.window.kernel);
        const int64_t right = column.tap(column_phase, i % column.window.kernel);
        if (down < 0 || right < 0) {
          result.insert(result.end(), ins(), T{});
        } else {
          const T* from =
              w + size_conv_transpose((out * height.kernel + down) * width.kernel + right) * ins();
          result.insert(result.end(), from, from + ins());
        }
      }
    };
    for (int64_t phase = 0; phase < row.count * column.count; ++phase) {
      for (int64_t out = 0; out < conv_.out_channels; ++out) {
        add_taps(out, phase / column.count, phase % column.count);
      }
    }
    return result;
  }

  std::vector<T> phase_bias(int64_t phases, const Tensor* bias) const {
    std::vector<T> result(size_conv_transpose(phases * conv_.out_channels));
    for (size_t i = 0; i < result.size() && bias != nullptr; ++i) {
      result[i] = bias->data<T>()[i % size_conv_transpose(conv_.out_channels)];
    }
    return result;
  }

  void run_unit(const Frame& frame, size_t unit, std::byte* memory) const {
    const size_t down = unit % units_per_image();
    const size_t row_phase = down % row_phases_.size();
    const size_t image_row =
        unit / units_per_image() * size_conv_transpose(row_phases_[row_phase].window.out) +
        down / row_phases_.size();
    T* y = frame.out<T>(y_) +
           unit * size_conv_transpose(row_phases_[row_phase].count) * row_elements();
    for (size_t c = 0; c < column_phases_.size(); ++c) {
      const Product& product = products_[row_phase * column_phases_.size() + c];
      const size_t pixels = size_conv_transpose(column_phases_[c].window.out);
      for (size_t group = 0; group < size_conv_transpose(conv_.groups); ++group) {
        const T* const* operands =
            product.rows.fill(frame.in<T>(x_) + group * ins(), image_row * pixels, pixels, memory);
        T* to =
            y + size_conv_transpose(column_phases_[c].first * conv_.out_channels) + group * outs();
        if (row_phases_[row_phase].count == 1) {
          multiply(product, group, operands, pixels, to, pixel_elements());
          continue;
        }
        T* joined = reinterpret_cast<T*>(memory + product.rows.memory_bytes(pixels));
        multiply(product, group, operands, pixels, joined, product.columns);
        take_apart(joined, product.columns, pixels, to);
      }
    }
  }

  // Of a row of the output, and of the pixels in it that one input pixel stands for.
  size_t row_elements() const {
    return size_conv_transpose(conv_.window.axes[2].out * conv_.out_channels);
  }
  size_t pixel_elements() const {
    return size_conv_transpose(conv_.window.axes[2].stride * conv_.out_channels);
  }

  void multiply(const Product& product, size_t group, const T* const* operands, size_t pixels, T* y,
                size_t stride) const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    const ProductBounds bounds{.low = clamps ? activation_.low : -kInfinity,
                               .high = clamps ? activation_.high : kInfinity};
    const GemmRows<T> rows{.rows = pixels,
                           .a = operands,
                           .c = y,
                           .c_stride = stride,
                           .residual = nullptr,
                           .residual_stride = 0};
    product.gemm.run(product.panels.data() + group * product.gemm.panels_bytes(), bounds, rows, 0,
                     product.gemm.panels(), nullptr);
    if (clamps) return;
    // All at once where nothing lies between.
    const bool dense = product.columns == stride;
    activate_(activation_, dense ? 1 : pixels, dense ? pixels * stride : product.columns, y, stride,
              y, stride);
  }

  // Pixels with several rows of the output each, into these rows.
  void take_apart(const T* joined, size_t columns, size_t pixels, T* y) const {
    const size_t run = pixel_elements();
    for (size_t row = 0; row * run < columns; ++row) {
      T* to = y + row * row_elements();
      for (size_t pixel = 0; pixel < pixels; ++pixel) {
        const T* from = joined + pixel * columns + row * run;
        for (size_t i = 0; i < run; ++i) *to++ = from[i];
      }
    }
  }

  ConvGeometry conv_;
  Activation activation_;
  Activate<T> activate_;
  std::vector<Phase> row_phases_;
  std::vector<Phase> column_phases_;
  std::vector<Product> products_;  // [row phases][column phases]
  size_t per_task_ = 1;
  Slot x_ = 0;
  Slot y_ = 0;
};

bool fits_conv_transpose(const Node& node, const StepBuilder& builder) {
  const Value& x = *node.inputs[0];
  const Value& w = *node.inputs[1];
  const DType dtype = x.type.tensor.dtype;
  const bool bias_fits =
      node.inputs.size() < 3 || node.inputs[2] == nullptr || node.inputs[2]->constant;
  return (dtype == DType::F32 || dtype == DType::F16) && builder.planned(&x) &&
         builder.planned(node.outputs[0]) && node.outputs[0]->type.tensor.elements() > 0 &&
         w.constant && w.constant->dtype() == dtype && !w.constant->type().quantized() &&
         w.constant->elements() > 0 && bias_fits;
}

std::unique_ptr<Step> lower_conv_transpose_node(const Node& node, StepBuilder& builder) {
  if (!fits_conv_transpose(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const Tensor& weights = *node.inputs[1]->constant;
  const auto conv =
      conv_transpose_geometry(context, node.inputs[0]->type.tensor.shape, weights.shape());
  const auto activation = fused_activation(node);
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2 || !activation) return nullptr;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != nullptr;
  const Operands operands{.x = node.inputs[0],
                          .y = node.outputs[0],
                          .weights = &weights,
                          .bias = has_bias ? &*node.inputs[2]->constant : nullptr};
  if (weights.dtype() == DType::F32) {
    return std::make_unique<TransposedStep<float>>(*conv, operands, *activation, builder);
  }
  return std::make_unique<TransposedStep<Half>>(*conv, operands, *activation, builder);
}

}  // namespace

extern const LoweringDef lower_conv_transpose = {.op = "conv_transpose",
                                                 .lower = lower_conv_transpose_node};

}  // namespace hone::cpu
