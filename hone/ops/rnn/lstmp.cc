#include "hone/ops/rnn/lstmp.h"

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/expect_shape.h"
#include "hone/ops/matmul/batch_product.h"

namespace hone {
namespace {

constexpr DTypeSet kF32OrI8{DType::F32, DType::I8};
constexpr DTypeSet kF32OrI16{DType::F32, DType::I16};
constexpr DTypeSet kF32OrI32{DType::F32, DType::I32};

enum class Scheme { Float, Hybrid, Integer };

Scheme scheme_of(const InferContext& in) {
  if (in.type(Lstmp::kX).quantized()) return Scheme::Integer;
  return in.type(Lstmp::kW + Lstmp::kOutput).quantized() ? Scheme::Hybrid : Scheme::Float;
}

struct Expected {
  DType dtype;
  bool quantized;
};

Expected expected_of(size_t input, Scheme scheme) {
  const bool matrix = (input >= Lstmp::kW && input < Lstmp::kP) || input == Lstmp::kProjection;
  const bool peephole = input >= Lstmp::kP && input < Lstmp::kB;
  if (scheme == Scheme::Hybrid && (matrix || peephole)) return {DType::I8, true};
  if (scheme != Scheme::Integer) return {DType::F32, false};
  if (matrix || input == Lstmp::kX || input == Lstmp::kH) return {DType::I8, true};
  if (peephole || input == Lstmp::kC || input >= Lstmp::kNorm) return {DType::I16, true};
  return {DType::I32, false};
}

Status check_types_lstmp(const InferContext& in) {
  const Scheme scheme = scheme_of(in);
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.has(i) || in.dtype(i) == DType::Undefined) continue;
    const Expected expected = expected_of(i, scheme);
    const TensorType& type = in.type(i);
    const std::string_view name = in.op().inputs[i].name;
    if (type.dtype != expected.dtype) {
      return unsupported("input ", name, " is ", type.dtype, " beside inputs that want ",
                         expected.dtype);
    }
    if (!expected.quantized) continue;
    if (!type.quantized() || !type.quant->per_tensor()) {
      return unsupported("input ", name, " is not quantized by one scale");
    }
    const bool activation = i == Lstmp::kX || i == Lstmp::kH;
    const int32_t zero_point = type.quant->zero_point();
    if (zero_point < (activation ? -128 : 0) || zero_point > (activation ? 127 : 0)) {
      return unsupported("input ", name, " has zero point ", zero_point);
    }
  }
  return scheme == Scheme::Integer ? check_lstmp_integer(in) : Status(Done{});
}

Status all_or_none(const InferContext& in, std::initializer_list<size_t> inputs,
                   std::string_view what) {
  size_t present = 0;
  for (const size_t i : inputs) present += in.has(i) ? 1 : 0;
  if (present == 0 || present == inputs.size()) return Done{};
  return bad_input(what, ": ", present, " of ", inputs.size(), " are there");
}

Status check_presence(const InferContext& in) {
  using L = Lstmp;
  HONE_RETURN_IF_ERROR(all_or_none(in, {L::kW, L::kR, L::kB}, "parameters of the input gate"));
  HONE_RETURN_IF_ERROR(all_or_none(in, {L::kP + 1, L::kP + 2}, "peepholes"));
  HONE_RETURN_IF_ERROR(all_or_none(in, {L::kNorm + 1, L::kNorm + 2, L::kNorm + 3}, "norms"));
  const bool coupled = !in.has(L::kW);
  for (const size_t first : {L::kP, L::kNorm}) {
    const bool wanted = in.has(first + 1) && !coupled;
    if (in.has(first) != wanted) {
      return bad_input("input ", in.op().inputs[first].name,
                       wanted ? " is missing" : " is too many");
    }
  }
  if (in.has(L::kProjectionBias) && !in.has(L::kProjection)) {
    return bad_input("a bias of the projection, but no projection");
  }
  return Done{};
}

// States of any rank do, as long as they have the elements.
Status expect_elements(const InferContext& in, size_t input, int64_t batch, int64_t width) {
  if (!in.has(input) || !in.type(input).known() || batch == kUnknown || width == kUnknown) {
    return Done{};
  }
  int64_t wanted = 0;
  const bool fits = !__builtin_mul_overflow(batch, width, &wanted);
  if (fits && in.type(input).elements() == wanted) return Done{};
  return bad_input(in.op().inputs[input].name, " is ", in.type(input), ", expected ", batch, " x ",
                   width, " elements");
}

struct LstmpExtents {
  Shape x{kUnknown, kUnknown, kUnknown};
  int64_t batch = kUnknown;
  int64_t cells = kUnknown;
  int64_t outputs = kUnknown;
};

Result<LstmpExtents> extents_of(const InferContext& in) {
  LstmpExtents extents;
  const TensorType& x = in.type(Lstmp::kX);
  if (x.ranked && x.rank() != 3) return bad_input("x is ", x, ", expected 3 axes");
  if (x.ranked) extents.x = x.shape;
  extents.batch = extents.x[in.integer("time_major") != 0 ? 1 : 0];
  const TensorType& w = in.type(Lstmp::kW + Lstmp::kOutput);
  const TensorType& r = in.type(Lstmp::kR + Lstmp::kOutput);
  if (w.ranked && w.rank() == 2) extents.cells = w.shape[0];
  if (r.ranked && r.rank() == 2) extents.outputs = r.shape[1];
  return extents;
}

Status check_shapes(const InferContext& in, const LstmpExtents& extents) {
  using L = Lstmp;
  const int64_t cells = extents.cells;
  for (size_t gate = 0; gate < 4; ++gate) {
    HONE_RETURN_IF_ERROR(expect_shape(in, L::kW + gate, {cells, extents.x[2]}));
    HONE_RETURN_IF_ERROR(expect_shape(in, L::kR + gate, {cells, extents.outputs}));
    HONE_RETURN_IF_ERROR(expect_shape(in, L::kB + gate, {cells}));
    HONE_RETURN_IF_ERROR(expect_shape(in, L::kNorm + gate, {cells}));
    if (gate < 3) HONE_RETURN_IF_ERROR(expect_shape(in, L::kP + gate, {cells}));
  }
  HONE_RETURN_IF_ERROR(expect_shape(in, L::kProjection, {extents.outputs, cells}));
  HONE_RETURN_IF_ERROR(expect_shape(in, L::kProjectionBias, {extents.outputs}));
  HONE_RETURN_IF_ERROR(expect_elements(in, L::kH, extents.batch, extents.outputs));
  HONE_RETURN_IF_ERROR(expect_elements(in, L::kC, extents.batch, cells));
  const bool known = cells != kUnknown && extents.outputs != kUnknown;
  if (known && cells != extents.outputs && !in.has(L::kProjection)) {
    return bad_input(cells, " cells give ", extents.outputs, " outputs without a projection");
  }
  return Done{};
}

Status check_attrs(const InferContext& in) {
  const std::string& activation = in.text("cell_activation");
  if (cell_function(activation) == nullptr) {
    return unsupported("cell_activation '", activation, "'");
  }
  for (const char* clip : {"cell_clip", "proj_clip"}) {
    const double value = in.real(clip);
    if (!(value >= 0) || !std::isfinite(value)) {
      return bad_input(clip, " is ", value, ", expected 0 or more");
    }
  }
  const std::string& direction = in.text("direction");
  if (direction == "forward" || direction == "reverse") return Done{};
  return bad_input("direction is '", direction, "', expected forward or reverse");
}

TensorType state_type(const InferContext& in, size_t input, Shape shape) {
  TensorType type{in.dtype(Lstmp::kX), std::move(shape)};
  if (in.has(input)) type.dtype = in.dtype(input);
  if (in.has(input)) type.quant = in.type(input).quant;
  return type;
}

Result<std::vector<ValueType>> infer_lstmp(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_attrs(in));
  HONE_RETURN_IF_ERROR(check_presence(in));
  HONE_RETURN_IF_ERROR(check_types_lstmp(in));
  HONE_TRY(const LstmpExtents extents, extents_of(in));
  HONE_RETURN_IF_ERROR(check_shapes(in, extents));
  Shape y = extents.x;
  y[2] = extents.outputs;
  return std::vector<ValueType>{TensorType{in.dtype(Lstmp::kX), std::move(y)},
                                state_type(in, Lstmp::kH, {extents.batch, extents.outputs}),
                                state_type(in, Lstmp::kC, {extents.batch, extents.cells})};
}

Cost cost_lstmp(const InferContext& in) {
  const TensorType& x = in.type(Lstmp::kX);
  if (!x.known() || x.rank() != 3) return {};
  int64_t weights = 0;
  for (size_t i = Lstmp::kW; i <= Lstmp::kProjection; ++i) {
    if (i >= Lstmp::kP && i < Lstmp::kProjection) continue;
    if (!in.has(i)) continue;
    if (!in.type(i).known()) return {};
    weights += in.type(i).elements();
  }
  const int64_t factors[] = {x.shape[0], x.shape[1], weights};
  return {.macs = product_or_zero(factors), .flops = 0};
}

Status eval_lstmp(EvalContext& in) {
  return in.in(Lstmp::kX).type().quantized() ? eval_lstmp_integer(in) : eval_lstmp_float(in);
}

}  // namespace

CellFunction cell_function(const std::string& name) {
  if (name == "tanh") return [](float x) { return std::tanh(x); };
  if (name == "relu") return [](float x) { return std::max(x, 0.0f); };
  if (name == "relu6") return [](float x) { return std::clamp(x, 0.0f, 6.0f); };
  if (name == "relu_n1_to_1") return [](float x) { return std::clamp(x, -1.0f, 1.0f); };
  if (name == "none") return [](float x) { return x; };
  return nullptr;
}

Lstmp::Lstmp(const EvalContext& in)
    : steps(in.in(kX).shape()[in.integer("time_major") != 0 ? 0 : 1]),
      batch(in.in(kX).shape()[in.integer("time_major") != 0 ? 1 : 0]),
      inputs(in.in(kX).shape()[2]),
      cells(in.in(kW + kOutput).shape()[0]),
      outputs(in.in(kR + kOutput).shape()[1]),
      time_major(in.integer("time_major") != 0),
      reverse(in.text("direction") == "reverse") {}

extern const OpDef op_lstmp = {
    .name = "lstmp",
    .summary = "TFLite's LSTM: with projection, layer normalization and clipped states.",
    .inputs = {{"x", kF32OrI8},
               {"w_i", kF32OrI8, 0, kOptional},
               {"w_f", kF32OrI8},
               {"w_c", kF32OrI8},
               {"w_o", kF32OrI8},
               {"r_i", kF32OrI8, 0, kOptional},
               {"r_f", kF32OrI8},
               {"r_c", kF32OrI8},
               {"r_o", kF32OrI8},
               {"p_i", kF32OrI8 | DTypeSet{DType::I16}, 0, kOptional},
               {"p_f", kF32OrI8 | DTypeSet{DType::I16}, 0, kOptional},
               {"p_o", kF32OrI8 | DTypeSet{DType::I16}, 0, kOptional},
               {"b_i", kF32OrI32, 0, kOptional},
               {"b_f", kF32OrI32},
               {"b_c", kF32OrI32},
               {"b_o", kF32OrI32},
               {"projection", kF32OrI8, 0, kOptional},
               {"projection_b", kF32OrI32, 0, kOptional},
               {"h", kF32OrI8, 0, kOptional},
               {"c", kF32OrI16, 0, kOptional},
               {"norm_i", kF32OrI16, 0, kOptional},
               {"norm_f", kF32OrI16, 0, kOptional},
               {"norm_c", kF32OrI16, 0, kOptional},
               {"norm_o", kF32OrI16, 0, kOptional}},
    .attrs = {{"cell_activation", std::string("tanh")},
              {"cell_clip", 0.0},
              {"direction", std::string("forward")},
              {"gate_scales", Floats{}},
              {"hidden_scale", 0.0, kAbsent},
              {"hidden_zero_point", int64_t{0}},
              {"proj_clip", 0.0},
              {"time_major", int64_t{0}}},
    .max_outputs = 3,
    .quantized = true,
    .infer = infer_lstmp,
    .cost = cost_lstmp,
    .eval = eval_lstmp,
    .cases = {"(f32[2,1,3], const f32[4,3], const f32[4,3], const f32[4,3], const f32[4,3], const "
              "f32[4,4], const f32[4,4], const f32[4,4], const f32[4,4], _, _, _, const f32[4], "
              "const f32[4], const f32[4], const f32[4])"},
};

}  // namespace hone
