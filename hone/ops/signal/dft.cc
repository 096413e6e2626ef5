// Discrete Fourier transform along one axis of a signal [..., 1] (real) or [..., 2] (complex), cut
// or padded with zeros to dft_length. `onesided` gives the first half and one more, which tell all
// of a real signal's spectrum. `inverse` divides by the length.

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/ops/signal/fourier.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr int64_t kDftLongest = int64_t{1} << 32;

Result<std::optional<int64_t>> scalar_input(const InferContext& in, size_t input,
                                            std::string_view name) {
  const std::optional<Ints> known = in.known_ints(input);
  if (!known) return std::optional<int64_t>();
  if (known->size() != 1) return bad_input(name, " has ", known->size(), " elements, expected one");
  return std::optional<int64_t>((*known)[0]);
}

// Which axis, when it is known: not the last, which holds real and imaginary parts.
Result<std::optional<size_t>> axis_of(const InferContext& in) {
  std::optional<int64_t> axis = -2;
  if (in.has(2)) {
    HONE_TRY(axis, scalar_input(in, 2, "axis"));
  }
  if (!axis) return std::optional<size_t>();
  HONE_TRY(const size_t index, resolve_axis(*axis, in.type(0).rank()));
  if (index + 1 == in.type(0).shape.size())
    return bad_input("axis ", *axis, " is that of the parts");
  return std::optional<size_t>(index);
}

Status check_parts(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (x.rank() < 2) return bad_input("input is ", x, ", expected rank 2 or more");
  const int64_t parts = x.shape.back();
  if (parts != kUnknown && parts != 1 && parts != 2) {
    return bad_input("input is ", x, ", expected a last extent of 1 or 2");
  }
  if (in.integer("onesided") == 0) return Done{};
  if (in.integer("inverse") != 0) return unsupported("a one-sided inverse transform");
  if (parts == 2) return unsupported("a one-sided transform of a complex signal");
  return Done{};
}

Result<std::vector<ValueType>> infer_dft(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  HONE_RETURN_IF_ERROR(check_parts(in));
  HONE_TRY(const std::optional<size_t> axis, axis_of(in));
  HONE_TRY(const std::optional<int64_t> given, scalar_input(in, 1, "dft_length"));
  if (given && (*given < 1 || *given > kDftLongest)) return bad_input("dft_length is ", *given);
  type.shape.back() = 2;
  if (!axis) {
    for (size_t i = 0; i + 1 < type.shape.size(); ++i) type.shape[i] = kUnknown;
    return std::vector<ValueType>{type};
  }
  int64_t length = in.has(1) ? given.value_or(kUnknown) : type.shape[*axis];
  if (length > 0 && in.integer("onesided") != 0) length = length / 2 + 1;
  type.shape[*axis] = length;
  return std::vector<ValueType>{type};
}

template <class T>
void transform_lines(EvalContext& in, size_t axis, int64_t length) {
  const AxisSplit from = split_at(in.in(0).shape(), axis);
  const AxisSplit to = split_at(in.out().shape(), axis);
  const int64_t parts = in.in(0).shape().back();
  const bool inverse = in.integer("inverse") != 0;
  const double factor = inverse ? 1.0 / static_cast<double>(length) : 1.0;
  const T* x = in.in(0).data<T>().data();
  T* y = in.out().template mutable_data<T>().data();
  std::vector<std::complex<double>> line(static_cast<size_t>(length));
  for (int64_t o = 0; o < from.outer; ++o) {
    for (int64_t i = 0; i < from.inner / parts; ++i) {
      for (int64_t k = 0; k < length; ++k) {
        std::complex<double>& value = line[static_cast<size_t>(k)];
        value = 0;
        if (k >= from.n) continue;
        const T* element = x + (o * from.n + k) * from.inner + i * parts;
        value = {static_cast<double>(element[0]),
                 parts == 2 ? static_cast<double>(element[1]) : 0.0};
      }
      const auto spectrum = fourier(line, inverse);
      for (int64_t k = 0; k < to.n; ++k) {
        const std::complex<double> value = spectrum[static_cast<size_t>(k)] * factor;
        T* element = y + (o * to.n + k) * to.inner + i * 2;
        element[0] = T(value.real());
        element[1] = T(value.imag());
      }
    }
  }
}

Status eval_dft(EvalContext& in) {
  const int64_t given = in.has(2) ? to_ints(in.in(2))[0] : -2;
  HONE_TRY(const size_t axis, resolve_axis(given, in.in(0).rank()));
  const int64_t length = in.has(1) ? to_ints(in.in(1))[0] : in.in(0).shape()[axis];
  if (in.out().elements() == 0) return Done{};
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    transform_lines<typename decltype(tag)::type>(in, axis, length);
  });
  return Done{};
}

// Opset 17 had the axis as an attribute, 1 if left out.
Status upgrade_dft(OnnxImport& in) {
  if (in.opset >= 20) return Done{};
  in.set_input(2, in.constant(Tensor::scalar(in.take<int64_t>("axis", 1))));
  return Done{};
}

Cost cost_dft(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.known()) return {};
  // 5 n log2 n is the usual count for one line of n.
  int64_t log = 0;
  while (log < 62 && int64_t{1} << log < x.elements()) ++log;
  return {.macs = 0, .flops = 5 * x.elements() * log};
}

}  // namespace

extern const OpDef op_dft = {
    .name = "dft",
    .summary = "Discrete Fourier transform along an axis.",
    .inputs = {{"x", kFloat}, {"dft_length", kIndex, 0, kOptional}, {"axis", kIndex, 0, kOptional}},
    .attrs = {{"inverse", int64_t{0}}, {"onesided", int64_t{0}}},
    .infer = infer_dft,
    .cost = cost_dft,
    .eval = eval_dft,
    .onnx = {{"DFT", upgrade_dft}},
    .cases = {"(f32[1,8,1])"},
};

}  // namespace hone
