// As TFLite's own versioning has it (op_version.cc), for the operators that Hone writes.

#include "hone/model/tflite_version.h"

#include <algorithm>
#include <string_view>

namespace hone {
namespace {

struct Signature {
  const TfliteOp& op;
  const TfliteSubgraph& subgraph;

  const TensorType& in(size_t i) const {
    static const TensorType kNone;
    const bool there = i < op.inputs.size() && op.inputs[i] >= 0;
    return there ? subgraph.tensors[static_cast<size_t>(op.inputs[i])].type : kNone;
  }
  const TensorType& out() const {
    return subgraph.tensors[static_cast<size_t>(op.outputs[0])].type;
  }
  bool all(DType dtype) const {
    return in(0).dtype == dtype && in(1).dtype == dtype && out().dtype == dtype;
  }
  bool by_weights(DType activations, DType weights) const {
    return in(0).dtype == activations && in(1).dtype == weights && out().dtype == activations;
  }
  // Floats by int8 weights.
  bool hybrid() const { return by_weights(DType::F32, DType::I8); }
  bool per_channel(size_t i) const { return in(i).quantized() && !in(i).quant->per_tensor(); }
  size_t rank() const { return in(0).shape.size(); }
  bool broadcasts_beyond_4() const {
    return in(0).shape != in(1).shape && std::max(rank(), in(1).shape.size()) > 4;
  }
  template <class T>
  T option(const char* name, T otherwise) const {
    const auto found = op.options.find(name);
    if (found == op.options.end()) return otherwise;
    const T* value = std::get_if<T>(&found->second);
    return value == nullptr ? otherwise : *value;
  }
  bool wide_bias() const {
    return by_weights(DType::I16, DType::I8) &&
           option<std::string>("quantized_bias_type", "f32") != "f32";
  }
};

int conv_2d(const Signature& s) {
  if (s.wide_bias()) return 8;
  if (s.in(0).shape.back() != s.in(1).shape.back()) return 6;  // In groups.
  if (s.all(DType::I8)) return 3;
  if (s.by_weights(DType::I8, DType::I4)) return 7;
  if (s.hybrid()) return s.per_channel(1) ? 5 : 2;
  return 1;
}

int depthwise_conv_2d(const Signature& s) {
  if (s.hybrid()) return s.per_channel(1) ? 6 : 4;
  if (s.all(DType::I8)) return 3;
  if (s.by_weights(DType::I8, DType::I4)) return 7;
  const bool dilated = s.option<int64_t>("dilation_w_factor", 1) != 1 ||
                       s.option<int64_t>("dilation_h_factor", 1) != 1;
  return dilated ? 2 : 1;
}

int transpose_conv(const Signature& s) {
  if (s.in(2).dtype == DType::I16 && s.option<std::string>("quantized_bias_type", "f32") != "f32") {
    return 5;
  }
  if (s.option<std::string>("fused_activation_function", "NONE") != "NONE") return 4;
  if (s.in(3).dtype != DType::Undefined) return 3;
  return s.in(1).dtype == DType::I8 ? 2 : 1;
}

int fully_connected(const Signature& s) {
  if (s.hybrid() && s.per_channel(1)) return 12;
  if (s.wide_bias()) return 11;
  if (s.all(DType::I16)) return 7;
  if (s.op.inputs.size() == 2) return 6;
  if (s.option<bool>("keep_num_dims", false)) return 5;
  if (s.all(DType::I8)) return 4;
  if (s.by_weights(DType::I8, DType::I4)) return 10;
  return s.hybrid() ? 3 : 1;
}

// 2 for int8 and 3 for int16, the steps that most operators took.
int by_width(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return 3;
  return s.in(0).dtype == DType::I8 ? 2 : 1;
}

int bytes_only(const Signature& s) {
  return s.in(0).dtype == DType::I8 ? 2 : 1;
}

int narrow_only(const Signature& s) {
  return s.in(0).dtype == DType::I8 || s.in(0).dtype == DType::I16 ? 2 : 1;
}

int add(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return s.in(0).quantized() ? 3 : 5;
  if (s.in(0).dtype == DType::I64) return 4;
  return bytes_only(s);
}

int sub(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return 5;
  if (s.in(0).dtype == DType::I64) return 4;
  if (s.broadcasts_beyond_4()) return 3;
  return bytes_only(s);
}

int mul(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return s.in(0).quantized() ? 4 : 7;
  if (s.in(0).dtype == DType::I64) return 5;
  const bool scaled = s.in(0).quantized() && s.in(1).quantized() && s.out().quantized();
  if (scaled && s.in(0).quant->scale() * s.in(1).quant->scale() / s.out().quant->scale() >= 1) {
    return 3;
  }
  return bytes_only(s);
}

int div(const Signature& s) {
  return s.broadcasts_beyond_4() ? 2 : 1;
}

int extreme(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return 4;
  if (s.broadcasts_beyond_4()) return 3;
  return bytes_only(s);
}

int transpose(const Signature& s) {
  if (s.rank() > 6) return 8;
  if (s.rank() > 5) return 6;
  if (s.in(0).dtype == DType::I16) return 5;
  if (s.rank() > 4) return 4;
  if (s.in(0).dtype == DType::Bool) return 3;
  return bytes_only(s);
}

int pad(const Signature& s) {
  if (s.in(0).dtype == DType::Bool) return 5;
  if (s.rank() > 4) return 4;
  return by_width(s);
}

int slice(const Signature& s) {
  if (s.rank() > 4) return 5;
  if (s.in(0).dtype == DType::I16) return 4;
  if (s.in(0).dtype == DType::String) return 3;
  return bytes_only(s);
}

int strided_slice(const Signature& s) {
  if (s.rank() > 4) return 4;
  if (s.in(0).dtype == DType::Bool) return 3;
  return bytes_only(s);
}

int split(const Signature& s) {
  const DType dtype = s.in(1).dtype;
  if (dtype == DType::I16) return 4;
  if (dtype == DType::I32) return 3;
  return dtype == DType::I8 ? 2 : 1;
}

int gather(const Signature& s) {
  if (s.in(1).dtype == DType::I16) return 6;
  if (s.in(0).dtype == DType::I16) return 4;
  if (s.in(0).dtype == DType::Bool) return 3;
  return bytes_only(s);
}

int quantize(const Signature& s) {
  if (s.out().quantized() && !s.out().quant->per_tensor()) return 3;
  return s.out().dtype == DType::I16 ? 2 : 1;
}

int dequantize(const Signature& s) {
  if (s.in(0).dtype == DType::I4) return 6;
  if (s.in(0).dtype == DType::I16 || s.in(0).dtype == DType::F16) return 3;
  if (s.in(0).dtype == DType::I8) return s.per_channel(0) ? 5 : 2;
  return 1;
}

int relu(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return 3;
  return s.in(0).dtype == DType::I8 || s.in(0).dtype == DType::U8 ? 2 : 1;
}

int resize_bilinear(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return 4;
  return s.option<bool>("half_pixel_centers", false) ? 3 : bytes_only(s);
}

int resize_nearest(const Signature& s) {
  if (s.in(0).dtype == DType::I16) return 4;
  const bool newer =
      s.option<bool>("half_pixel_centers", false) || s.option<bool>("align_corners", false);
  return newer ? 3 : bytes_only(s);
}

int leaky_relu(const Signature& s) {
  return s.in(0).dtype == DType::I16 ? 2 : 1;
}

int gelu(const Signature& s) {
  return s.in(0).dtype == DType::I8 || s.in(0).dtype == DType::U8 ? 2 : 1;
}

int abs_version(const Signature& s) {
  if (s.in(0).dtype == DType::I32) return 5;
  if (s.in(0).dtype == DType::I16) return s.in(0).quantized() ? 3 : 4;
  return gelu(s);
}

int cast(const Signature& s) {
  const auto has = [&](DType dtype) { return s.in(0).dtype == dtype || s.out().dtype == dtype; };
  if (has(DType::BF16)) return 7;
  if (has(DType::F64) || has(DType::F16)) return 5;
  if (has(DType::U16)) return 4;
  if (has(DType::I8)) return 3;
  return has(DType::U32) ? 2 : 1;
}

int tile(const Signature& s) {
  return s.in(0).dtype == DType::I8 ? 3 : 1;
}

int broadcast_to(const Signature& s) {
  return s.in(0).dtype == DType::I8 || s.in(0).dtype == DType::I16 ? 3 : 2;
}

int arg(const Signature& s) {
  return s.in(0).dtype == DType::Bool ? 3 : bytes_only(s);
}

struct VersionRow {
  std::string_view op;
  int (*version)(const Signature&);
};

// Operators that are not listed have one version.
constexpr VersionRow kVersionRows[] = {
    {"ABS", abs_version},
    {"ADD", add},
    {"ARG_MAX", arg},
    {"ARG_MIN", arg},
    {"AVERAGE_POOL_2D", by_width},
    {"BATCH_MATMUL", by_width},
    {"BROADCAST_TO", broadcast_to},
    {"CAST", cast},
    {"CONCATENATION", by_width},
    {"CONV_2D", conv_2d},
    {"DEPTHWISE_CONV_2D", depthwise_conv_2d},
    {"DEPTH_TO_SPACE", bytes_only},
    {"DEQUANTIZE", dequantize},
    {"DIV", div},
    {"EXP", narrow_only},
    {"FULLY_CONNECTED", fully_connected},
    {"GATHER", gather},
    {"GELU", gelu},
    {"L2_NORMALIZATION", bytes_only},
    {"LEAKY_RELU", leaky_relu},
    {"LOG", narrow_only},
    {"LOGISTIC", by_width},
    {"LOG_SOFTMAX", bytes_only},
    {"MAXIMUM", extreme},
    {"MAX_POOL_2D", by_width},
    {"MEAN", by_width},
    {"MINIMUM", extreme},
    {"MIRROR_PAD", by_width},
    {"MUL", mul},
    {"PAD", pad},
    {"PADV2", pad},
    {"QUANTIZE", quantize},
    {"REDUCE_MAX", by_width},
    {"REDUCE_MIN", by_width},
    {"REDUCE_PROD", narrow_only},
    {"RELU", relu},
    {"RELU6", by_width},
    {"RESIZE_BILINEAR", resize_bilinear},
    {"RESIZE_NEAREST_NEIGHBOR", resize_nearest},
    {"RSQRT", by_width},
    {"SLICE", slice},
    {"SOFTMAX", by_width},
    {"SPACE_TO_DEPTH", bytes_only},
    {"SPLIT", split},
    {"SPLIT_V", bytes_only},
    {"SQRT", narrow_only},
    {"SQUARED_DIFFERENCE", bytes_only},
    {"STRIDED_SLICE", strided_slice},
    {"SUB", sub},
    {"SUM", bytes_only},
    {"TANH", by_width},
    {"TILE", tile},
    {"TRANSPOSE", transpose},
    {"TRANSPOSE_CONV", transpose_conv},
};

}  // namespace

int tflite_version(const TfliteOp& op, const TfliteSubgraph& subgraph) {
  const auto* row = std::ranges::find(kVersionRows, op.name, &VersionRow::op);
  return row == std::end(kVersionRows) ? 1 : row->version({op, subgraph});
}

}  // namespace hone
