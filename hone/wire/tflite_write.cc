// Plain structs -> tables -> bytes. Tables are written from the end of the file to its beginning,
// what they point to before themselves: constants lie last, so that a reader finds the rest in front.

#include "hone/wire/tflite_write.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "hone/wire/tflite_builder.h"
#include "hone/wire/tflite_file.h"

namespace hone {
namespace {

namespace fb = flatbuffers;
namespace tfl = hone_tflite;

// Below the 2 GB of flatbuffers, with room for what is not weights.
constexpr uint64_t kLargestConstants = 1'900'000'000;
constexpr size_t kBufferAlignment = 16;
constexpr int kGreatestByte = 127;  // Codes above it do not fit the old field of one byte.
constexpr uint32_t kSchemaVersion = 3;

void append_number(std::string& bytes, size_t number) {
  const auto narrow = static_cast<int32_t>(number);
  bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
}

// The count, count + 1 offsets from the start, the characters.
std::string string_buffer(std::span<const std::string> texts) {
  std::string bytes;
  append_number(bytes, texts.size());
  size_t at = (texts.size() + 2) * sizeof(int32_t);
  append_number(bytes, at);
  for (const std::string& text : texts) append_number(bytes, at += text.size());
  for (const std::string& text : texts) bytes += text;
  return bytes;
}

std::string_view bytes_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()};
}

std::vector<int32_t> narrow(const std::vector<int>& indices) {
  return {indices.begin(), indices.end()};
}

class TfliteWriter {
 public:
  explicit TfliteWriter(const TfliteModel& model) : model_(model) {}

  Result<std::string> write() {
    HONE_RETURN_IF_ERROR(check_size());
    add_buffer({});  // Number 0, that of tensors without data.
    std::vector<fb::Offset<tfl::SubGraph>> subgraphs;
    for (size_t i = 0; i < model_.subgraphs.size(); ++i) {
      Result<fb::Offset<tfl::SubGraph>> made = subgraph(model_.subgraphs[i]);
      if (!made.ok() && model_.subgraphs.size() > 1) {
        return std::move(made).error().in(str("subgraph ", i));
      }
      HONE_TRY(subgraphs.emplace_back(), std::move(made));
    }
    std::vector<fb::Offset<tfl::Metadata>> metadata;
    for (const auto& [name, bytes] : model_.metadata) {
      const uint32_t buffer = buffer_of(bytes);
      metadata.push_back(tfl::CreateMetadata(builder_, builder_.CreateString(name), buffer));
    }
    const auto buffers = builder_.CreateVector(buffers_);
    const auto codes = builder_.CreateVector(codes_);
    const auto all_metadata = builder_.CreateVector(metadata);
    const auto all_subgraphs = builder_.CreateVector(subgraphs);
    const auto description = builder_.CreateString(model_.description);
    tfl::FinishModelBuffer(
        builder_, tfl::CreateModel(builder_, kSchemaVersion, codes, all_subgraphs, description,
                                   buffers, 0, all_metadata));
    const auto* start = reinterpret_cast<const char*>(builder_.GetBufferPointer());
    return std::string(start, builder_.GetSize());
  }

 private:
  Status check_size() const {
    uint64_t bytes = 0;
    std::set<std::pair<const std::byte*, size_t>> counted;  // Constants may share their elements.
    for (const TfliteSubgraph& subgraph : model_.subgraphs) {
      for (const TfliteTensor& tensor : subgraph.tensors) {
        if (!tensor.constant) continue;
        const auto elements = tensor.constant->bytes();
        if (counted.emplace(elements.data(), elements.size()).second) bytes += elements.size();
      }
    }
    if (bytes <= kLargestConstants) return Done{};
    return unsupported("constants of ", bytes, " bytes, expected at most ", kLargestConstants,
                       " in a .tflite file");
  }

  uint32_t add_buffer(std::string_view bytes) {
    fb::Offset<fb::Vector<uint8_t>> data = 0;
    if (!bytes.empty()) {
      builder_.ForceVectorAlignment(bytes.size(), 1, kBufferAlignment);
      data = builder_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
    buffers_.push_back(tfl::CreateBuffer(builder_, data));
    return static_cast<uint32_t>(buffers_.size() - 1);
  }

  // `bytes` must live as long as the writer.
  uint32_t buffer_of(std::string_view bytes) {
    const auto [found, fresh] = known_.try_emplace(bytes, 0);
    if (fresh) found->second = add_buffer(bytes);
    return found->second;
  }

  uint32_t buffer_of(const Tensor& constant) {
    if (constant.dtype() == DType::String) {
      return add_buffer(string_buffer(constant.data<std::string>()));
    }
    return buffer_of(bytes_of(constant));
  }

  fb::Offset<tfl::QuantizationParameters> quantization(const TensorType& type) {
    if (!type.quantized()) return 0;
    const std::vector<int64_t> zero_points(type.quant->zero_points.begin(),
                                           type.quant->zero_points.end());
    const auto scales = builder_.CreateVector(type.quant->scales);
    const auto zeros = builder_.CreateVector(zero_points);
    return tfl::CreateQuantizationParameters(builder_, 0, 0, scales, zeros,
                                             tfl::QuantizationDetails::NONE, 0,
                                             type.quant->per_tensor() ? 0 : type.quant->axis);
  }

  Result<fb::Offset<tfl::Tensor>> tensor(const TfliteTensor& from) {
    HONE_TRY(const tfl::TensorType type, dtype_to_tflite(from.type.dtype));
    const uint32_t buffer = from.constant ? buffer_of(*from.constant) : 0;
    std::vector<int32_t> shape;
    std::vector<int32_t> signature;
    for (const int64_t extent : from.type.shape) {
      if (extent != static_cast<int32_t>(extent)) return unsupported("an extent of ", extent);
      shape.push_back(extent == kUnknown ? 1 : static_cast<int32_t>(extent));
      signature.push_back(extent == kUnknown ? -1 : static_cast<int32_t>(extent));
    }
    const auto extents = builder_.CreateVector(shape);
    const auto open = shape == signature ? 0 : builder_.CreateVector(signature);
    const auto name = builder_.CreateString(from.name);
    const auto quant = quantization(from.type);
    return tfl::CreateTensor(builder_, extents, type, buffer, name, quant, from.variable, 0, open,
                             from.type.ranked);
  }

  // The index of an operator's code, which is listed once for each version.
  Result<uint32_t> code_of(const TfliteOp& op) {
    const std::string key = str(op.custom ? "custom " : "", op.name, " ", op.version);
    const auto [found, fresh] = code_indices_.try_emplace(key, codes_.size());
    if (!fresh) return found->second;
    tfl::BuiltinOperator code = tfl::BuiltinOperator::CUSTOM;
    if (!op.custom) {
      const char* const* names = tfl::EnumNamesBuiltinOperator();
      const auto last = static_cast<int>(tfl::BuiltinOperator::MAX);
      const auto* const at = std::find(names, names + last + 1, op.name);
      if (at == names + last + 1) return unsupported("no such operator in TFLite");
      code = static_cast<tfl::BuiltinOperator>(at - names);
    }
    const auto custom = op.custom ? builder_.CreateString(op.name) : 0;
    const auto byte = static_cast<int8_t>(std::min(static_cast<int>(code), kGreatestByte));
    codes_.push_back(tfl::CreateOperatorCode(builder_, byte, custom, op.version, code));
    return found->second;
  }

  Result<fb::Offset<tfl::Operator>> operation(const TfliteOp& op) {
    HONE_TRY(const uint32_t code, code_of(op));
    HONE_TRY(const TfliteOptionsTable options, encode_tflite_options(builder_, op));
    const auto inputs = builder_.CreateVector(narrow(op.inputs));
    const auto outputs = builder_.CreateVector(narrow(op.outputs));
    const auto* custom_start = reinterpret_cast<const uint8_t*>(op.custom_options.data());
    const auto custom = op.custom_options.empty()
                            ? 0
                            : builder_.CreateVector(custom_start, op.custom_options.size());
    const auto intermediates =
        op.intermediates.empty() ? 0 : builder_.CreateVector(narrow(op.intermediates));
    return tfl::CreateOperator(builder_, code, inputs, outputs, options.type, options.offset,
                               custom, tfl::CustomOptionsFormat::FLEXBUFFERS, 0, intermediates);
  }

  Result<fb::Offset<tfl::SubGraph>> subgraph(const TfliteSubgraph& from) {
    std::vector<fb::Offset<tfl::Tensor>> tensors;
    for (const TfliteTensor& each : from.tensors) {
      HONE_TRY(tensors.emplace_back(), tensor(each).in(str("tensor ", quoted_name(each.name))));
    }
    std::vector<fb::Offset<tfl::Operator>> ops;
    for (const TfliteOp& op : from.ops) {
      HONE_TRY(ops.emplace_back(), operation(op).in(op.custom ? quoted_name(op.name) : op.name));
    }
    const auto all_tensors = builder_.CreateVector(tensors);
    const auto inputs = builder_.CreateVector(narrow(from.inputs));
    const auto outputs = builder_.CreateVector(narrow(from.outputs));
    const auto all_ops = builder_.CreateVector(ops);
    const auto name = builder_.CreateString(from.name);
    return tfl::CreateSubGraph(builder_, all_tensors, inputs, outputs, all_ops, name);
  }

  const TfliteModel& model_;
  fb::FlatBufferBuilder builder_;
  std::vector<fb::Offset<tfl::Buffer>> buffers_;
  std::unordered_map<std::string_view, uint32_t> known_;
  std::vector<fb::Offset<tfl::OperatorCode>> codes_;
  std::map<std::string, uint32_t> code_indices_;
};

}  // namespace

Result<std::string> write_tflite_bytes(const TfliteModel& model) {
  return TfliteWriter(model).write();
}

}  // namespace hone
