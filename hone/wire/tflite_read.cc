#include <algorithm>
#include <cstring>

#include "hone/base/peek_file.h"
#include "hone/wire/tflite_file.h"

namespace hone {
namespace {

namespace tfl = hone_tflite;

// Far above any real model, which has a handful of tables per operator, and low enough that
// a hostile file is done with in a moment. The numbers are the verifier's own defaults.
constexpr flatbuffers::uoffset_t kDeepestTable = 64;
constexpr flatbuffers::uoffset_t kMostTables = 1000000;

constexpr size_t kIdentifierAt = 4;
constexpr std::string_view kIdentifier = "TFL3";
constexpr uint32_t kVersion = 3;

template <class T>
uint32_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

Status check_identifier(std::span<const std::byte> bytes) {
  if (bytes.size() < kIdentifierAt + kIdentifier.size()) {
    return bad_input("not a TFLite model: ", bytes.size(), " bytes are too few");
  }
  const std::string_view found(reinterpret_cast<const char*>(bytes.data()) + kIdentifierAt,
                               kIdentifier.size());
  if (found == kIdentifier) return Done{};
  return bad_input("not a TFLite model: identifier ", quoted_name(found), ", expected ",
                   quoted_name(kIdentifier));
}

// The root, once every offset in the flatbuffer is known to stay inside. `bytes` must be aligned.
Result<const tfl::Model*> verified_model(std::span<const std::byte> bytes) {
  HONE_RETURN_IF_ERROR(check_identifier(bytes));
  // Beyond this size come buffers that lie behind the flatbuffer; the verifier aborts on more.
  const size_t size = std::min<size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, size, kDeepestTable, kMostTables);
  if (!tfl::VerifyModelBuffer(verifier)) {
    return bad_input("damaged TFLite model: offsets do not fit the file of ", bytes.size(),
                     " bytes");
  }
  const tfl::Model* model = tfl::GetModel(data);
  if (model->version() != kVersion) return unsupported("schema version ", model->version());
  return model;
}

// Flatbuffers reads numbers in place, so they must lie where the format puts them.
SharedBytes aligned(const SharedBytes& bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.bytes.data()) % alignof(uint64_t) == 0) return bytes;
  auto words = std::make_shared<std::vector<uint64_t>>(bytes.bytes.size() / sizeof(uint64_t) + 1);
  auto* copy = reinterpret_cast<std::byte*>(words->data());
  std::memcpy(copy, bytes.bytes.data(), bytes.bytes.size());
  return {std::move(words), {copy, bytes.bytes.size()}};
}

// Indices of tensors, of which there are `tensors`. -1 passes only where a tensor may be left out.
Result<std::vector<int>> tensor_list(TfliteFile& file, const flatbuffers::Vector<int32_t>* from,
                                     size_t tensors, std::string_view what, bool optional = false) {
  HONE_TRY(std::vector<int> list, file.list<int>(from));
  for (size_t i = 0; i < list.size(); ++i) {
    if (optional && list[i] == -1) continue;
    if (list[i] < 0 || static_cast<size_t>(list[i]) >= tensors) {
      return bad_input(what, " ", i, " is tensor ", list[i], "; there are ", tensors);
    }
  }
  return list;
}

// Name, custom and version.
Status decode_code(TfliteFile& file, const tfl::OperatorCode& code, TfliteOp& op) {
  op.version = code.version();
  const int number =
      std::max<int>(code.deprecated_builtin_code(), static_cast<int>(code.builtin_code()));
  const auto builtin = static_cast<tfl::BuiltinOperator>(number);
  if (builtin == tfl::BuiltinOperator::CUSTOM) {
    op.custom = true;
    HONE_TRY(op.name, file.text(code.custom_code()));
    if (op.name.empty()) return bad_input("custom operator without a name");
    return Done{};
  }
  op.name = tfl::EnumNameBuiltinOperator(builtin);
  if (op.name.empty() || builtin == tfl::BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES) {
    return unsupported("unknown builtin operator ", number);
  }
  return Done{};
}

Status decode_custom_options(TfliteFile& file, const tfl::Operator& from, TfliteOp& op) {
  HONE_TRY(const SharedBytes bytes,
           file.bytes_at(from.custom_options(), from.large_custom_options_offset(),
                         from.large_custom_options_size()));
  HONE_RETURN_IF_ERROR(file.charge(bytes.bytes.size()));
  op.custom_options.assign(bytes.bytes.begin(), bytes.bytes.end());
  return Done{};
}

// Everything but the code.
Status decode_op_parts(TfliteFile& file, const tfl::Operator& from, size_t tensors, TfliteOp& op) {
  HONE_TRY(op.inputs, tensor_list(file, from.inputs(), tensors, "input", true));
  HONE_TRY(op.outputs, tensor_list(file, from.outputs(), tensors, "output"));
  HONE_TRY(op.intermediates, tensor_list(file, from.intermediates(), tensors, "intermediate"));
  HONE_TRY(op.options, decode_tflite_options(file, from));
  return decode_custom_options(file, from, op).in("custom options");
}

Result<TfliteOp> decode_op(TfliteFile& file, const tfl::Operator& from, size_t tensors) {
  HONE_RETURN_IF_ERROR(file.charge(sizeof(TfliteOp)));
  const auto* codes = file.model().operator_codes();
  if (from.opcode_index() >= size_of(codes)) {
    return bad_input("operator code ", from.opcode_index(), " does not exist; there are ",
                     size_of(codes));
  }
  TfliteOp op;
  HONE_RETURN_IF_ERROR(decode_code(file, *codes->Get(from.opcode_index()), op));
  HONE_RETURN_IF_ERROR(
      decode_op_parts(file, from, tensors, op).in(op.custom ? quoted_name(op.name) : op.name));
  return op;
}

// A constant of no elements has an empty buffer, as has a tensor that is computed; what tells them
// apart is that nothing gives it a value. Buffer 0 is left to tensors that have none.
void add_empty_constants(const tfl::SubGraph& from, TfliteSubgraph& subgraph) {
  std::vector<bool> given(subgraph.tensors.size());
  for (const int i : subgraph.inputs) given[static_cast<size_t>(i)] = true;
  for (const TfliteOp& op : subgraph.ops) {
    for (const int i : op.outputs) given[static_cast<size_t>(i)] = true;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    TfliteTensor& tensor = subgraph.tensors[i];
    const bool candidate = !given[i] && !tensor.constant && !tensor.variable &&
                           from.tensors()->Get(static_cast<uint32_t>(i))->buffer() != 0;
    if (candidate && tensor.type.known() && tensor.type.elements() == 0) {
      tensor.constant = Tensor(tensor.type);
    }
  }
}

Status decode_tensors(TfliteFile& file, const tfl::SubGraph& from, TfliteSubgraph& subgraph) {
  for (uint32_t i = 0; i < size_of(from.tensors()); ++i) {
    const tfl::Tensor& tensor = *from.tensors()->Get(i);
    Result<TfliteTensor> decoded = decode_tflite_tensor(file, tensor);
    if (!decoded.ok()) {
      const std::string name = tensor.name() ? quoted_name(tensor.name()->string_view()) : "''";
      return std::move(decoded).error().in(str("tensor ", i, " ", name));
    }
    subgraph.tensors.push_back(*std::move(decoded));
  }
  return Done{};
}

Result<TfliteSubgraph> decode_subgraph(TfliteFile& file, const tfl::SubGraph& from) {
  TfliteSubgraph subgraph;
  HONE_TRY(subgraph.name, file.text(from.name()));
  HONE_RETURN_IF_ERROR(decode_tensors(file, from, subgraph));
  const size_t tensors = subgraph.tensors.size();
  HONE_TRY(subgraph.inputs, tensor_list(file, from.inputs(), tensors, "subgraph input"));
  HONE_TRY(subgraph.outputs, tensor_list(file, from.outputs(), tensors, "subgraph output"));
  for (uint32_t i = 0; i < size_of(from.operators()); ++i) {
    Result<TfliteOp> op = decode_op(file, *from.operators()->Get(i), tensors);
    if (!op.ok()) return std::move(op).error().in(str("operator ", i));
    subgraph.ops.push_back(*std::move(op));
  }
  add_empty_constants(from, subgraph);
  return subgraph;
}

Status decode_metadata(TfliteFile& file, TfliteModel& model) {
  const auto* from = file.model().metadata();
  for (uint32_t i = 0; i < size_of(from); ++i) {
    HONE_TRY(std::string name, file.text(from->Get(i)->name()));
    Result<SharedBytes> bytes = file.buffer(from->Get(i)->buffer());
    if (!bytes.ok()) return std::move(bytes).error().in(str("metadata ", quoted_name(name)));
    HONE_RETURN_IF_ERROR(file.charge(bytes->bytes.size()));
    const auto* text = reinterpret_cast<const char*>(bytes->bytes.data());
    model.metadata[std::move(name)].assign(text, text + bytes->bytes.size());
  }
  return Done{};
}

}  // namespace

Result<TfliteModel> read_tflite_bytes(const SharedBytes& given) {
  const SharedBytes bytes = aligned(given);
  HONE_TRY(const tfl::Model* root, verified_model(bytes.bytes));
  TfliteFile file(bytes, *root);
  if (file.subgraphs() == 0) return bad_input("the model has no subgraphs");

  TfliteModel model;
  model.version = root->version();
  HONE_TRY(model.description, file.text(root->description()));
  for (uint32_t i = 0; i < file.subgraphs(); ++i) {
    Result<TfliteSubgraph> subgraph = decode_subgraph(file, *root->subgraphs()->Get(i));
    if (!subgraph.ok() && file.subgraphs() > 1) {
      return std::move(subgraph).error().in(str("subgraph ", i));
    }
    HONE_TRY(TfliteSubgraph decoded, std::move(subgraph));
    model.subgraphs.push_back(std::move(decoded));
  }
  HONE_RETURN_IF_ERROR(decode_metadata(file, model));
  return model;
}

Result<TfliteModel> read_tflite(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes start, read_file_start(path, kIdentifierAt + kIdentifier.size()));
  HONE_RETURN_IF_ERROR(check_identifier(start.bytes).in(path.string()));
  HONE_TRY(const SharedBytes bytes, read_file(path));
  return read_tflite_bytes(bytes).in(path.string());
}

}  // namespace hone
