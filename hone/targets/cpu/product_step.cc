#include "hone/targets/cpu/product_step.h"

#include "hone/base/aligned.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/precision.h"
#include "hone/targets/cpu/product_kernels.h"
#include "hone/targets/cpu/row_step.h"
#include "hone/targets/cpu/tasks.h"
#include "hone/targets/cpu/widened_product.h"

namespace hone::cpu {
namespace {

// Product is one of product_kernels.h.
template <class Product>
class ProductStep final : public RowStep {
  using T = typename Product::Element;

 public:
  ProductStep(ProductSpec spec, const Value* x, const Value* residual, const Value* y,
              StepBuilder& builder)
      : rows_(std::move(spec.window), spec.depth, T{}, 1, Product::steps(spec.columns)),
        groups_(spec.groups),
        group_depth_(spec.depth),
        columns_(spec.columns),
        y_stride_(groups_ * columns_),
        activation_(spec.activation),
        product_({.columns = columns_, .taps = rows_.taps(), .depth = rows_.depth()}),
        activate_(best_activate<T>()) {
    column_stride_ = spec.column_stride;
    depth_stride_ = spec.depth_stride;
    computed_ = !spec.weights->constant || (spec.bias != nullptr && !spec.bias->constant);
    grid_ = Tasks(rows_.rows(), product_.panels(),
                  {.row_bytes = product_.row_bytes(),
                   .rows_step = product_.mr(),
                   .threads = static_cast<size_t>(builder.options().threads),
                   .grain = product_.grain(),
                   .block_step = product_.block_step(),
                   .costs = product_.task_costs(),
                   .block = product_.block()});
    pointer_bytes_ = (rows_.memory_bytes(grid_.rows_per_block) + 63) / 64 * 64;
    scratch_bytes = pointer_bytes_ + product_.scratch_bytes(grid_.rows_per_block);
    kind = product_.kind();
    x_ = builder.read(x);
    if (residual != nullptr) residual_ = builder.read(residual);
    if (spec.gate != nullptr) {
      gate_ = builder.read(spec.gate);
      zeros_.resize(rows_.k());
      shared_bytes = product_.panels_bytes();
    }
    if (computed_) {
      shared_bytes = groups_ * product_.panels_bytes();
      weights_ = builder.read(spec.weights);
      if (spec.bias != nullptr) bias_ = builder.read(spec.bias);
    } else {
      if (!gate_) row_shape = rows_.window().row_shape(groups_ * columns_, sizeof(T));
      panels_ = AlignedArray<std::byte>(groups_ * product_.panels_bytes());
      weight_bytes = panels_.bytes();
      for (size_t group = 0; group < groups_; ++group) {
        pack(group, spec.weights->constant->data<T>().data(),
             spec.bias == nullptr ? nullptr : spec.bias->constant->data<T>().data(),
             panels_.data());
      }
    }
    y_ = builder.write(y);
    far_rows_ = reads_far(x->type.tensor);
    has_residual_ = residual != nullptr;
    if (has_residual_) in_place = 1;
  }

  Status run(const Frame& frame) const override {
    const std::byte* panels = panels_.data();
    if (computed_) {
      std::byte* packed = shared(frame);
      const T* bias = bias_ ? frame.in<T>(*bias_) : nullptr;
      frame.workers->run(
          groups_, [&](size_t group, size_t) { pack(group, frame.in<T>(weights_), bias, packed); });
      panels = packed;
    }
    if (gate_) panels = scale_panels(frame);
    FetchAhead fetch(ahead);
    const Operands operands{.x = frame.in<T>(x_),
                            .residual = residual_of(frame, 0),
                            .y = frame.out<T>(y_),
                            .ahead = ahead.empty() ? nullptr : &fetch};
    frame.workers->run(grid_.tasks(), [&](size_t task, size_t worker) {
      run_range(operands, grid_.range(task), panels, scratch<std::byte>(frame, worker));
    });
    return Done{};
  }

  Region first_weights() const override {
    if (computed_) return {};
    const size_t first = computes_much() ? product_.first_panel_bytes() : panels_.bytes();
    return {panels_.data(), first};
  }

  bool fetches_ahead() const override { return !computed_ && computes_much(); }

  bool write_apart(const RowsApart& rows) override {
    if (rows.bytes != groups_ * columns_ * sizeof(T) || rows.stride % sizeof(T) != 0) return false;
    y_pixels = rows;
    y_stride_ = rows.stride / sizeof(T);
    return true;
  }

  void run_rows(const Frame& frame, const RowBases& bases, size_t image, const RowRange& rows,
                size_t worker) const override {
    const Operands operands{
        .x = reinterpret_cast<const T*>(bases.x),
        .residual = residual_of(frame, image * row_shape.out_image_bytes() / sizeof(T)),
        .y = reinterpret_cast<T*>(bases.y)};
    const size_t width = rows_.window().columns();
    for_blocks(rows.begin * width, rows.end * width, grid_.rows_per_block, product_.mr(),
               [&](size_t begin, size_t end) {
                 run_range(operands, {begin, end, 0, product_.panels()}, panels_.data(),
                           scratch<std::byte>(frame, worker));
               });
  }

 private:
  struct Operands {
    const T* x;
    const T* residual;  // Null for none.
    T* y;
    FetchAhead* ahead = nullptr;
  };

  // Whether weights are read for several tiles of rows, so that multiplying takes longer than
  // waiting for them would.
  bool computes_much() const { return rows_.rows() > product_.mr(); }

  // Whether rows are the whole of an operand that the step before cannot have left near.
  bool reads_far(const TensorType& x) const {
    constexpr size_t kLeastBytes = 1 << 20;
    const size_t bytes = static_cast<size_t>(x.elements()) * sizeof(T);
    return groups_ == 1 && rows_.taps() == 1 && bytes > kLeastBytes &&
           bytes == rows_.rows() * rows_.k() * sizeof(T);
  }

  const T* residual_of(const Frame& frame, size_t elements) const {
    return has_residual_ ? frame.in<T>(residual_) + elements : nullptr;
  }

  // One group's weights, into its panels among those of all groups.
  void pack(size_t group, const T* weights, const T* bias, std::byte* panels) const {
    const size_t first = group * columns_;
    product_.pack({.data = weights + first * column_stride_,
                   .n = columns_,
                   .k = rows_.k(),
                   .column_stride = column_stride_,
                   .depth_stride = depth_stride_,
                   .bias = bias == nullptr ? nullptr : bias + first},
                  panels + group * product_.panels_bytes());
  }

  const std::byte* scale_panels(const Frame& frame) const {
    std::byte* scaled = shared(frame);
    if constexpr (requires { &Product::scale; }) {
      frame.workers->run(product_.panels(), [&](size_t panel, size_t) {
        product_.scale(panel, panels_.data(), frame.in<float>(*gate_), zeros_.data(), scaled);
      });
    }
    return scaled;
  }

  void run_range(const Operands& operands, const Tasks::Range& range, const std::byte* panels,
                 std::byte* memory) const {
    for (size_t group = 0; group < groups_; ++group) {
      run_block(operands, group, range, panels + group * product_.panels_bytes(), memory);
    }
  }

  void run_block(const Operands& operands, size_t group, const Tasks::Range& range,
                 const std::byte* panels, std::byte* memory) const {
    const size_t row_columns = groups_ * columns_;
    const size_t rows = range.row_end - range.row_begin;
    const T* const* taps =
        rows_.fill(operands.x + group * group_depth_, range.row_begin, rows, memory);
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    const ProductBounds bounds{.low = clamps ? activation_.low : -kInfinity,
                               .high = clamps ? activation_.high : kInfinity};
    const size_t before = range.row_begin * row_columns + group * columns_;
    GemmRows<T> block{.rows = rows,
                      .a = taps,
                      .c = operands.y + range.row_begin * y_stride_ + group * columns_,
                      .c_stride = y_stride_,
                      .residual = has_residual_ ? operands.residual + before : nullptr,
                      .residual_stride = row_columns,
                      .far_rows = far_rows_,
                      .tap_step = rows_.tap_step()};
    // Not long before the step ends, or other rows would take the place of what was fetched.
    FetchAhead* fetch = range.row_end == rows_.rows() ? operands.ahead : nullptr;
    if (clamps) {
      return product_.run(panels, bounds, block, range.panel_begin, range.panel_end,
                          memory + pointer_bytes_, fetch);
    }
    const size_t first = range.panel_begin * product_.nr();
    const size_t columns = std::min(range.panel_end * product_.nr(), columns_) - first;
    const size_t piece = rows_to_activate(columns);
    for (size_t row = 0; row < rows; row += piece) {
      block.rows = std::min(piece, rows - row);
      product_.run(panels, bounds, block, range.panel_begin, range.panel_end,
                   memory + pointer_bytes_, row + piece < rows ? nullptr : fetch);
      activate_(activation_, block.rows, columns, block.c + first, y_stride_, block.c + first,
                y_stride_);
      block.a += piece * rows_.pointers_per_row();
      block.c += piece * y_stride_;
      if (has_residual_) block.residual += piece * row_columns;
    }
  }

  // As many rows as stay in the first-level cache until the activation has passed over them, or more
  // where weights would be read too often for it.
  size_t rows_to_activate(size_t columns) const {
    constexpr size_t kNearBytes = 24 * 1024;
    const size_t bytes = std::max(kNearBytes, rows_.k() * columns * sizeof(T));
    return std::max<size_t>(2, bytes / (columns * sizeof(T) * product_.mr())) * product_.mr();
  }

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  TapRows<T> rows_;
  size_t groups_;
  size_t group_depth_;
  size_t columns_;
  size_t y_stride_;
  Activation activation_;
  Product product_;
  Activate<T> activate_;
  size_t column_stride_ = 0;
  size_t depth_stride_ = 1;
  bool computed_ = false;           // Weights or bias: packed in every run.
  AlignedArray<std::byte> panels_;  // Empty when they are.
  Tasks grid_;
  size_t pointer_bytes_ = 0;
  Slot x_ = 0;
  Slot residual_ = 0;
  Slot weights_ = 0;
  std::optional<Slot> bias_;
  std::optional<Slot> gate_;
  std::vector<float> zeros_;  // What is added to weights that are multiplied by the gate.
  Slot y_ = 0;
  bool has_residual_ = false;
  bool far_rows_ = false;  // As in GemmRows.
};

// Whether the product is one of parts of floats: of weights that are known, and taken apart once.
bool splits_floats(const ProductSpec& spec, int64_t threads) {
  if (spec.gate != nullptr || !spec.weights->constant) return false;
  if (spec.bias != nullptr && !spec.bias->constant) return false;
  const TapRows<float> rows(spec.window, spec.depth, 0);
  if (!SplitProduct::pays({spec.columns, rows.taps(), rows.depth()}, rows.rows(), threads)) {
    return false;
  }
  return gemm_split_takes(
      {.data = spec.weights->constant->data<float>().data(),
       .n = spec.groups * spec.columns,
       .k = rows.k(),
       .column_stride = spec.column_stride,
       .depth_stride = spec.depth_stride,
       .bias = spec.bias == nullptr ? nullptr : spec.bias->constant->data<float>().data()});
}

bool widens_halves(const ProductSpec& spec) {
  const TapRows<Half> rows(spec.window, spec.depth, Half{});
  return WidenedProduct::pays({spec.columns, rows.taps(), rows.depth()}, rows.rows());
}

}  // namespace

bool multiplies_in_bf16(const CompileOptions& options) {
  return kernel_precision(options.precision) == Precision::BF16;
}

std::unique_ptr<Step> make_product_step(ProductSpec spec, const Value* x, const Value* residual,
                                        const Value* y, StepBuilder& builder) {
  if (spec.weights->type.tensor.dtype == DType::F16) {
    if (widens_halves(spec)) {
      return std::make_unique<ProductStep<WidenedProduct>>(std::move(spec), x, residual, y,
                                                           builder);
    }
    return std::make_unique<ProductStep<PlainProduct<Half>>>(std::move(spec), x, residual, y,
                                                             builder);
  }
  if (multiplies_in_bf16(builder.options())) {
    return std::make_unique<ProductStep<Bf16Product>>(std::move(spec), x, residual, y, builder);
  }
  if (splits_floats(spec, builder.options().threads)) {
    return std::make_unique<ProductStep<SplitProduct>>(std::move(spec), x, residual, y, builder);
  }
  return std::make_unique<ProductStep<PlainProduct<float>>>(std::move(spec), x, residual, y,
                                                            builder);
}

}  // namespace hone::cpu
