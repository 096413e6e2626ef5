// External data: elements in a file beside the model. The location comes from the model, which may
// come from anybody, so it must not reach outside the model's folder, whatever links lie there.

#include <algorithm>
#include <charconv>
#include <string_view>

#include "hone/wire/onnx_proto.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

struct Place {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<uint64_t> number(std::string_view key, std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return bad_input("external data ", key, " '", text, "' is not a number");
  }
  return value;
}

Result<Place> claimed_place(const pb::TensorProto& proto) {
  Place place;
  for (const pb::StringStringEntryProto& entry : proto.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() == "offset") {
      HONE_TRY(place.offset, number("offset", entry.value()));
    }
    if (entry.key() == "length") {
      HONE_TRY(place.length, number("length", entry.value()));
    }
  }
  if (place.location.empty()) return bad_input("external data has no location");
  return place;
}

// The path after following links, or BadInput when it lies outside the folder.
Result<fs::path> path_inside(const fs::path& folder, const std::string& location) {
  const fs::path relative(location);
  if (relative.is_absolute()) return bad_input("must be a path relative to the model");
  // The system's calls would end the path there and so open another file than the one checked.
  if (location.find('\0') != std::string::npos) return bad_input("holds a zero byte");
  std::error_code error;
  const fs::path base = fs::weakly_canonical(folder, error);
  if (error) return bad_input(error.message());
  fs::path path = fs::weakly_canonical(base / relative, error);
  if (error) return bad_input(error.message());
  const auto [rest, _] = std::mismatch(base.begin(), base.end(), path.begin(), path.end());
  if (rest != base.end()) return bad_input("lies outside the model's folder");
  return path;
}

Result<SharedBytes> read_place(const Place& place, uint64_t size, const fs::path& folder) {
  if (folder.empty()) return bad_input("cannot be read without the model's folder");
  if (place.length && *place.length != size) {
    return bad_input("holds ", *place.length, " bytes, expected ", size);
  }
  HONE_TRY(const fs::path path, path_inside(folder, place.location));
  return read_file_range(path, place.offset, size);
}

}  // namespace

Result<SharedBytes> read_external_data(const pb::TensorProto& proto, uint64_t size,
                                       const fs::path& folder) {
  HONE_TRY(const Place place, claimed_place(proto));
  return read_place(place, size, folder).in(str("external data '", place.location, "'"));
}

}  // namespace hone
