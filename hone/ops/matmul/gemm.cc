// gemm(a, b, c) = alpha * a' * b' + beta * c, where a' is a or, with transA, its transpose; c
// broadcasts to the product. In integers alpha and beta must be 1. A residual is added before the
// activation.

#include <algorithm>

#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/matmul/compute_view.h"
#include "hone/ops/matmul/gemm_quantized.h"
#include "hone/ops/matmul/matmul_tflite.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kGemmTypes = kFloat | DTypeSet{DType::I32, DType::I64, DType::U32, DType::U64};

constexpr size_t kResidual = 3;

struct GemmShape {
  int64_t rows;
  int64_t depth;
  int64_t columns;
};

Result<GemmShape> gemm_shape(const NodeContext& node, const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 2) {
    return bad_input("gemm of shapes ", text_of(a), " and ", text_of(b), ", expected two matrices");
  }
  const size_t trans_a = node.integer("transA") != 0 ? 1 : 0;
  const size_t trans_b = node.integer("transB") != 0 ? 1 : 0;
  const int64_t left = a[1 - trans_a];
  const int64_t right = b[trans_b];
  if (left != right && left != kUnknown && right != kUnknown) {
    return bad_input("gemm of shapes ", text_of(a), " and ", text_of(b), ": ", left,
                     " columns meet ", right, " rows");
  }
  return GemmShape{a[trans_a], left == kUnknown ? right : left, b[1 - trans_b]};
}

Status check_c(const Shape& c, const Shape& y) {
  HONE_TRY(const Shape both, broadcast(y, c));
  const bool known = std::ranges::none_of(y, [](int64_t extent) { return extent == kUnknown; });
  if (both.size() == 2 && (!known || both == y)) return Done{};
  return bad_input("c of shape ", text_of(c), " does not broadcast to ", text_of(y));
}

Status check_quantized_form(const InferContext& in, bool scaled) {
  if (scaled || in.integer("transA") != 0) {
    return unsupported("gemm of quantized matrices with alpha, beta or transA");
  }
  if (!in.has(2) || !in.type(2).ranked || !in.type(1).ranked || in.type(1).rank() != 2) {
    return Done{};
  }
  const int64_t columns = in.type(1).shape[in.integer("transB") != 0 ? 0 : 1];
  if (in.type(2).shape == Shape{columns}) return Done{};
  return unsupported("a bias of ", in.type(2), " on quantized matrices, expected ", columns);
}

Result<std::vector<ValueType>> infer_gemm(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_activation(in));
  HONE_RETURN_IF_ERROR(check_weighted(in, kGemmTypes, in.integer("transB") != 0 ? 0 : 1));
  const DType dtype = in.dtype(0);
  const bool scaled = in.real("alpha") != 1 || in.real("beta") != 1;
  if (in.type(1).quantized()) {
    HONE_RETURN_IF_ERROR(check_quantized_form(in, scaled));
  } else if (kInteger.contains(dtype) && (scaled || !in.text("activation").empty())) {
    return unsupported("gemm of integers with alpha, beta or an activation");
  }
  if (!in.type(0).ranked || !in.type(1).ranked) {
    const TensorType type{dtype, {kUnknown, kUnknown}};
    HONE_RETURN_IF_ERROR(check_residual(in, kResidual, type));
    return std::vector<ValueType>{type};
  }
  HONE_TRY(const GemmShape shape, gemm_shape(in, in.type(0).shape, in.type(1).shape));
  const TensorType type{dtype, {shape.rows, shape.columns}};
  if (in.has(2) && in.type(2).ranked) HONE_RETURN_IF_ERROR(check_c(in.type(2).shape, type.shape));
  HONE_RETURN_IF_ERROR(check_residual(in, kResidual, type));
  return std::vector<ValueType>{type};
}

Cost cost_gemm(const InferContext& in) {
  if (!in.type(0).ranked || !in.type(1).ranked) return {};
  const auto shape = gemm_shape(in, in.type(0).shape, in.type(1).shape);
  if (!shape.ok()) return {};
  const int64_t factors[] = {shape->rows, shape->depth, shape->columns};
  return {.macs = product_or_zero(factors), .flops = 0};
}

// y += a' * b'.
template <class T>
void add_product(const EvalContext& in, const GemmShape& shape, const T* a, const T* b, T* y) {
  if (shape.rows == 0 || shape.depth == 0 || shape.columns == 0) return;
  const bool trans_a = in.integer("transA") != 0;
  const bool trans_b = in.integer("transB") != 0;
  const int64_t a_width = in.in(0).shape()[1];
  const int64_t b_width = in.in(1).shape()[1];
  multiply<T>({a, trans_a ? 1 : a_width, trans_a ? a_width : 1},
              {b, trans_b ? 1 : b_width, trans_b ? b_width : 1}, {y, shape.columns, 1}, shape.rows,
              shape.depth, shape.columns);
}

// y = alpha * y + beta * c.
template <class T>
void scale_and_add(const EvalContext& in, const Shape& shape, const T* c, T alpha, T beta, T* y) {
  if (c == nullptr) {
    for (int64_t i = 0; i < elements(shape); ++i) y[i] = alpha * y[i];
    return;
  }
  const auto strides = broadcast_strides(in.in(2).shape(), shape);
  for (IndexWalk walk(shape, {strides}); !walk.done(); walk.next(), ++y) {
    *y = alpha * *y + beta * c[walk.offset(0)];
  }
}

template <class T>
void run_gemm(const EvalContext& in, const GemmShape& shape, const T* a, const T* b, const T* c,
              T* y) {
  add_product(in, shape, a, b, y);
  const Shape out{shape.rows, shape.columns};
  scale_and_add(in, out, c, static_cast<T>(in.real("alpha")), static_cast<T>(in.real("beta")), y);
}

Status eval_plain(EvalContext& in) {
  HONE_TRY(const GemmShape shape, gemm_shape(in, in.in(0).shape(), in.in(1).shape()));
  if (!kFloat.contains(in.in(0).dtype())) {
    dispatch_by_size(in.in(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
        run_gemm(in, shape, raw<T>(in.in(0)), raw<T>(in.in(1)),
                 in.has(2) ? raw<T>(in.in(2)) : nullptr, mutable_raw<T>(in.out()));
      }
    });
    return Done{};
  }
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ComputeInput<T> c(in.in(in.has(2) ? 2 : 0));
    ComputeOutput<T> y(in.out());
    run_gemm(in, shape, ComputeInput<T>(in.in(0)).data(), ComputeInput<T>(in.in(1)).data(),
             in.has(2) ? c.data() : nullptr, y.data());
    if (in.has(kResidual)) y.add(in.in(kResidual));
    y.store();
  });
  activate_all(in.out(), in);
  return Done{};
}

Status eval_gemm(EvalContext& in) {
  if (is_hybrid(in) && in.options().expand_hybrid_weights) return eval_expanded(in, eval_plain);
  if (is_hybrid(in)) return eval_gemm_hybrid(in);
  return is_integer(in) ? eval_gemm_integer(in) : eval_plain(in);
}

// Before opset 7 an attribute asked for broadcasting, which later is always allowed. ONNX has no
// residual.
Status upgrade_gemm(OnnxImport& in) {
  in.take<int64_t>("broadcast", 0);
  if (in.inputs.size() <= kResidual) return Done{};
  return bad_input("has ", in.inputs.size(), " inputs, expected at most ", kResidual);
}

}  // namespace

extern const OpDef op_gemm = {
    .name = "gemm",
    .summary = "Matrix product with optional transposes, scaling and a bias: a dense layer.",
    .kind = OpKind::Product,
    .integers = IntegerForm::Weights,
    .half = true,
    .inputs = {{"a", kGemmTypes | kQuantized},
               {"b", kGemmTypes | kIntegerWeights},
               {"c", kGemmTypes | kIntegerBias, 0, kOptional},
               {"residual", kFloat, 0, kOptional}},
    .attrs = {{"alpha", 1.0},
              {"beta", 1.0},
              {"transA", int64_t{0}},
              {"transB", int64_t{0}},
              activation_attr(),
              activation_params_attr()},
    .quantized = true,
    .infer = infer_gemm,
    .cost = cost_gemm,
    .eval = eval_gemm,
    .onnx = {{"Gemm", upgrade_gemm}},
    .tflite = {{"FULLY_CONNECTED", import_fully_connected}},
    .cases = {"(f32[3,8], const f32[8,5], const f32[5])", "(f32[3,8], const f32[5,8]) transB=1",
              "(f32[8,3], f32[8,5]) transA=1 alpha=0.5",
              "i8[2,3]<0.5:1> = (i8[2,4]<0.1:5>, const i8[3,4]<0.05:0>, const i32[3]) transB=1"},
};

}  // namespace hone
