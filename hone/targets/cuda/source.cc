#include "hone/targets/cuda/source.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "hone/targets/cuda/source_file.h"

namespace hone::cuda {

std::string_view source_text(std::string_view name) {
  const std::string wanted = str(name, ".cu");
  for (const EmbeddedFile& file : source_files()) {
    if (file.name == wanted) return file.text;
  }
  HONE_CHECK(false, "no kernel source '", name, "'");
  return {};
}

SourceMaker& SourceMaker::define(std::string_view name, std::string_view value) {
  defines_ += str("#define ", name, " ", value, "\n");
  return *this;
}

SourceMaker& SourceMaker::define(std::string_view name, int64_t value) {
  return define(name, str(value));
}

SourceMaker& SourceMaker::element(DType dtype) {
  return define("T", type_name(dtype));
}

SourceMaker& SourceMaker::activation(const Activation& activation) {
  return define("ACTIVATE(v)", activated(activation, "(v)"));
}

SourceMaker& SourceMaker::window(const Window& window) {
  const WindowAxis& height = window.axes[1];
  const WindowAxis& width = window.axes[2];
  define("HEIGHT", height.in).define("WIDTH", width.in);
  define("OUT_HEIGHT", height.out).define("OUT_WIDTH", width.out);
  define("KERNEL_H", height.kernel).define("KERNEL_W", width.kernel);
  define("STRIDE_H", height.stride).define("STRIDE_W", width.stride);
  define("DILATION_H", height.dilation).define("DILATION_W", width.dilation);
  return define("PAD_H", height.pad_begin).define("PAD_W", width.pad_begin);
}

KernelSource SourceMaker::make(std::string_view file, std::string name,
                               std::initializer_list<std::string_view> before) const {
  std::string text;
  for (const std::string_view part : before) text += source_text(part);
  text += source_text(file);
  return make_of(text, std::string(file), std::move(name));
}

KernelSource SourceMaker::make_of(std::string_view text, std::string entry,
                                  std::string name) const {
  return {std::move(name), std::move(entry), str(source_text("prelude"), defines_, text)};
}

std::string_view type_name(DType dtype) {
  switch (dtype) {
    case DType::F32:
      return "float";
    case DType::F16:
      return "Half";
    case DType::BF16:
      return "Bfloat";
    default:
      HONE_CHECK(false, "kernels of the cuda target do not compute with ", name_of(dtype));
      return {};
  }
}

std::string literal(float value) {
  return fmt::format("__uint_as_float({:#010x}u)", std::bit_cast<uint32_t>(value));
}

std::string activated(const Activation& activation, const std::string& argument) {
  switch (activation.kind) {
    case Activation::Kind::Clamp:
      if (std::isinf(activation.low) && std::isinf(activation.high)) return argument;
      return str("clamp(", argument, ", ", literal(activation.low), ", ", literal(activation.high),
                 ")");
    case Activation::Kind::LeakyRelu:
      return str("leaky_relu(", argument, ", ", literal(activation.alpha), ")");
    case Activation::Kind::Sigmoid:
      return str("sigmoid(", argument, ")");
    case Activation::Kind::Silu:
      return str("silu(", argument, ")");
    case Activation::Kind::HardSigmoid:
      return str("clamp(", argument, " * ", literal(activation.alpha), " + ",
                 literal(activation.beta), ", 0.0f, 1.0f)");
    case Activation::Kind::HardSwish:
      return str("hard_swish(", argument, ")");
    case Activation::Kind::Tanh:
      return str("tanhf(", argument, ")");
    case Activation::Kind::Gelu:
      return str("gelu(", argument, ")");
    case Activation::Kind::GeluTanh:
      return str("gelu_tanh(", argument, ")");
  }
  return argument;
}

}  // namespace hone::cuda
