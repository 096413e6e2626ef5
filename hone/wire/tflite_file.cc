#include "hone/wire/tflite_file.h"

#include <algorithm>

namespace hone {
namespace {

// What decoding may copy or look at. The twelve models in shared/models need 0.01 to 0.6 times
// their file; the rest is room for vectors that a converter wrote once and points to often.
constexpr uint64_t kAllowancePerByte = 64;
constexpr uint64_t kLeastAllowance = uint64_t{64} << 20;

constexpr size_t kLongestQuoted = 100;

bool any_tensor_has_rank(const hone_tflite::Model& model) {
  if (model.subgraphs() == nullptr) return false;
  for (const auto* subgraph : *model.subgraphs()) {
    if (subgraph->tensors() == nullptr) continue;
    for (const auto* tensor : *subgraph->tensors()) {
      if (tensor->has_rank()) return true;
    }
  }
  return false;
}

}  // namespace

TfliteFile::TfliteFile(SharedBytes bytes, const hone_tflite::Model& model)
    : bytes_(std::move(bytes)),
      model_(model),
      says_rank_(any_tensor_has_rank(model)),
      allowance_(kLeastAllowance + kAllowancePerByte * bytes_.bytes.size()) {}

Result<SharedBytes> TfliteFile::bytes_at(const flatbuffers::Vector<uint8_t>* inside,
                                         uint64_t offset, uint64_t size) const {
  if (inside != nullptr && inside->size() > 0) {
    const auto* start = reinterpret_cast<const std::byte*>(inside->data());
    return SharedBytes{bytes_.owner, {start, inside->size()}};
  }
  if (offset <= 1) return SharedBytes{};
  if (offset > bytes_.bytes.size() || size > bytes_.bytes.size() - offset) {
    return bad_input("bytes ", offset, " + ", size, " lie outside the file of ",
                     bytes_.bytes.size(), " bytes");
  }
  return SharedBytes{bytes_.owner, bytes_.bytes.subspan(offset, size)};
}

Result<SharedBytes> TfliteFile::buffer(uint32_t index) const {
  const size_t count = model_.buffers() ? model_.buffers()->size() : 0;
  // Buffer 0 means "no data" even where a writer left the list of buffers out.
  if (index == 0 && count == 0) return SharedBytes{};
  if (index >= count) return bad_input("buffer ", index, " does not exist; there are ", count);
  const hone_tflite::Buffer& buffer = *model_.buffers()->Get(index);
  return bytes_at(buffer.data(), buffer.offset(), buffer.size()).in(str("buffer ", index));
}

Status TfliteFile::charge(uint64_t bytes) {
  if (bytes > allowance_) {
    return bad_input("the model unfolds to more than ", kAllowancePerByte,
                     " times the size of its file");
  }
  allowance_ -= bytes;
  return Done{};
}

Result<std::string> TfliteFile::text(const flatbuffers::String* from) {
  if (from == nullptr) return std::string();
  HONE_RETURN_IF_ERROR(charge(from->size()));
  return from->str();
}

std::string quoted_name(std::string_view name) {
  std::string text(name.substr(0, kLongestQuoted));
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  if (text.size() < name.size()) text += "...";
  return str("'", text, "'");
}

}  // namespace hone
