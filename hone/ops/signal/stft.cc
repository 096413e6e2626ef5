// Short-time Fourier transform: frames of frame_length samples, frame_step apart, times a window.
//   [batch, length, 1 or 2] -> [batch, frames, bins, 2]

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/ops/signal/fourier.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum StftInput { kSignal, kStep, kWindow, kLength };

constexpr int64_t kStftLongest = int64_t{1} << 32;

// kUnknown when it is not known yet; else in [1, kLongest].
Result<int64_t> scalar_of(const InferContext& in, size_t input, std::string_view name) {
  const std::optional<Ints> known = in.known_ints(input);
  if (!known) return kUnknown;
  if (known->size() != 1) return bad_input(name, " has ", known->size(), " elements, expected one");
  if ((*known)[0] < 1 || (*known)[0] > kStftLongest) return bad_input(name, " is ", (*known)[0]);
  return (*known)[0];
}

Result<int64_t> frame_length(const InferContext& in) {
  int64_t window = kUnknown;
  if (in.has(kWindow) && in.type(kWindow).ranked) {
    if (in.type(kWindow).rank() != 1)
      return bad_input("window is ", in.type(kWindow), ", expected rank 1");
    window = in.type(kWindow).shape[0];
  }
  if (!in.has(kLength)) {
    if (!in.has(kWindow)) return bad_input("has neither a window nor a frame length");
    if (window == 0) return bad_input("window is empty");
    return window;
  }
  HONE_TRY(const int64_t length, scalar_of(in, kLength, "frame_length"));
  if (window != kUnknown && length != kUnknown && window != length) {
    return bad_input("the window has ", window, " elements, expected ", length);
  }
  return length;
}

Result<std::vector<ValueType>> infer_stft(const InferContext& in) {
  const TensorType& x = in.type(kSignal);
  TensorType type{x.dtype, {kUnknown, kUnknown, kUnknown, 2}};
  HONE_TRY(const int64_t length, frame_length(in));
  HONE_TRY(const int64_t step, scalar_of(in, kStep, "frame_step"));
  const bool onesided = in.integer("onesided") != 0;
  if (length != kUnknown) type.shape[2] = onesided ? length / 2 + 1 : length;
  if (!x.ranked) return std::vector<ValueType>{type};
  if (x.rank() != 2 && x.rank() != 3) return bad_input("signal is ", x, ", expected rank 3");
  const int64_t parts = x.rank() == 3 ? x.shape[2] : 1;
  if (parts != kUnknown && parts != 1 && parts != 2) {
    return bad_input("signal is ", x, ", expected a last extent of 1 or 2");
  }
  if (parts == 2 && onesided) return unsupported("a one-sided transform of a complex signal");
  type.shape[0] = x.shape[0];
  if (x.shape[1] == kUnknown || length == kUnknown || step == kUnknown)
    return std::vector<ValueType>{type};
  if (x.shape[1] < length)
    return bad_input("the signal has ", x.shape[1], " samples, expected ", length, " or more");
  type.shape[1] = 1 + (x.shape[1] - length) / step;
  return std::vector<ValueType>{type};
}

template <class T>
void transform_frames(EvalContext& in, int64_t step, int64_t length) {
  const Shape& shape = in.in(kSignal).shape();
  const int64_t parts = shape.size() == 3 ? shape[2] : 1;
  const Shape& result = in.out().shape();
  const T* x = in.in(kSignal).data<T>().data();
  const T* window = in.has(kWindow) ? in.in(kWindow).data<T>().data() : nullptr;
  T* y = in.out().template mutable_data<T>().data();
  std::vector<std::complex<double>> frame(static_cast<size_t>(length));
  for (int64_t b = 0; b < result[0]; ++b) {
    for (int64_t f = 0; f < result[1]; ++f) {
      const T* samples = x + (b * shape[1] + f * step) * parts;
      for (int64_t k = 0; k < length; ++k) {
        const double weight = window == nullptr ? 1.0 : static_cast<double>(window[k]);
        const T* sample = samples + k * parts;
        frame[static_cast<size_t>(k)] = {
            weight * static_cast<double>(sample[0]),
            parts == 2 ? weight * static_cast<double>(sample[1]) : 0.0};
      }
      const auto spectrum = fourier(frame, false);
      for (int64_t k = 0; k < result[2]; ++k) {
        *y++ = T(spectrum[static_cast<size_t>(k)].real());
        *y++ = T(spectrum[static_cast<size_t>(k)].imag());
      }
    }
  }
}

Status eval_stft(EvalContext& in) {
  const int64_t step = to_ints(in.in(kStep))[0];
  const int64_t length = in.has(kLength) ? to_ints(in.in(kLength))[0] : in.in(kWindow).shape()[0];
  dispatch_float(in.in(kSignal).dtype(), [&](auto tag) {
    transform_frames<typename decltype(tag)::type>(in, step, length);
  });
  return Done{};
}

}  // namespace

extern const OpDef op_stft = {
    .name = "stft",
    .summary = "Short-time Fourier transform.",
    .inputs = {{"signal", kFloat, 'T'},
               {"frame_step", kIndex},
               {"window", kFloat, 'T', kOptional},
               {"frame_length", kIndex, 0, kOptional}},
    .attrs = {{"onesided", int64_t{1}}},
    .infer = infer_stft,
    .eval = eval_stft,
    .onnx = {{"STFT"}},
    .cases = {"(f32[1,32,1], i64[]{8}, const f32[16], i64[]{16})"},
};

}  // namespace hone
