#include "hone/wire/flexbuffer.h"

#include <flatbuffers/flexbuffers.h>

#include <cstring>

namespace hone {
namespace {

// Options are a handful of numbers; this keeps a hostile file from costing anything.
constexpr size_t kMostBytes = 1 << 16;

void add_option(std::map<std::string, TfliteOption>& options, const std::string& key,
                const flexbuffers::Reference& value) {
  if (value.IsBool()) {
    options[key] = value.AsBool();
  } else if (value.IsIntOrUint()) {
    options[key] = value.AsInt64();
  } else if (value.IsFloat()) {
    options[key] = value.AsDouble();
  } else if (value.IsString()) {
    options[key] = value.AsString().str();
  }
}

}  // namespace

Result<std::map<std::string, TfliteOption>> read_flexbuffer_map(std::span<const std::byte> bytes) {
  if (bytes.empty()) return bad_input("options are missing");
  if (bytes.size() > kMostBytes) return unsupported("options of ", bytes.size(), " bytes");
  // Numbers are read in place, so the bytes must lie where the format puts them.
  std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t) + 1);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  const auto* data = reinterpret_cast<const uint8_t*>(words.data());
  std::vector<uint8_t> seen;
  if (!flexbuffers::VerifyBuffer(data, bytes.size(), &seen)) {
    return bad_input("options are no flexbuffer: ", bytes.size(), " bytes");
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(data, bytes.size());
  if (!root.IsMap()) return bad_input("options are a flexbuffer, but no map");
  std::map<std::string, TfliteOption> options;
  const flexbuffers::Map map = root.AsMap();
  const flexbuffers::TypedVector keys = map.Keys();
  const flexbuffers::Vector values = map.Values();
  for (size_t i = 0; i < keys.size() && i < values.size(); ++i) {
    add_option(options, keys[i].AsKey(), values[i]);
  }
  return options;
}

}  // namespace hone
