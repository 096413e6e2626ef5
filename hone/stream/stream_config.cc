#include "hone/stream/stream_config.h"

#include <algorithm>
#include <set>

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/device/toml_text.h"

namespace hone {
namespace {

constexpr int64_t kFrameMs = 20;  // From frame to frame.
constexpr int64_t kLongestMs = 60000;
// All that a network sees: of more before the gate opened it has no use, and between runs farther apart there would be
// sound that none of them sees.
constexpr int64_t kSeenMs = 1000;

// A time that is a multiple of `step`; what is there already when the key is missing.
Status read_ms(const TomlSection& in, std::string_view key, int64_t least, int64_t step,
               int64_t& ms, int64_t most = kLongestMs) {
  if (!in.has(key)) return Done{};
  HONE_TRY(const int64_t value, in.count(key, least, most));
  if (value % step != 0) return in.expected(key, str("a multiple of ", step));
  ms = value;
  return Done{};
}

Result<KeywordConfig> read_keyword(const TomlSection& in, const std::vector<std::string>& classes) {
  HONE_TRY(std::string name, in.text("name"));
  if (std::ranges::find(classes, name) == classes.end()) {
    return in.wrong("name", str("no class '", name, "', expected one of ", join(classes)));
  }
  HONE_TRY(const double threshold, in.number_in("threshold", 0, 1));
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  return KeywordConfig{std::move(name), threshold};
}

Status read_keywords(const TomlSection& in, StreamConfig& config) {
  HONE_TRY(const auto sections, in.sections("keyword"));
  for (const TomlSection& section : sections) {
    HONE_TRY(KeywordConfig keyword, read_keyword(section, config.classes));
    if (std::ranges::find(config.keywords, keyword.name, &KeywordConfig::name) !=
        config.keywords.end()) {
      return section.wrong("name", str("'", keyword.name, "' is there twice"));
    }
    config.keywords.push_back(std::move(keyword));
  }
  if (config.keywords.empty()) return in.expected("keyword", "a table for each word to listen for");
  return Done{};
}

Status read_gate(const TomlSection& in, StreamConfig& config) {
  if (!in.has("gate")) return Done{};
  HONE_TRY(const TomlSection gate, in.section("gate"));
  if (gate.has("level_db")) {
    HONE_TRY(config.gate_db, gate.number_in("level_db", -100, 0));
  }
  HONE_RETURN_IF_ERROR(read_ms(gate, "hold_ms", kPushMs, kPushMs, config.hold_ms));
  HONE_RETURN_IF_ERROR(read_ms(gate, "preroll_ms", 0, kPushMs, config.preroll_ms, kSeenMs));
  return gate.no_other_keys();
}

// Of two outputs of one name nobody could say which is meant.
Status check_classes(const TomlSection& in, const std::vector<std::string>& classes) {
  if (classes.empty()) {
    return in.wrong("classes", "is empty, expected a name for each output of the network");
  }
  std::set<std::string_view> names;
  for (const std::string& name : classes) {
    if (!names.insert(name).second) {
      return in.wrong("classes", str("'", name, "' is there twice"));
    }
  }
  return Done{};
}

// A misspelt key is told before what follows from its absence.
Status check_keys(const TomlSection& in) {
  for (const char* key :
       {"classes", "keyword", "hop_ms", "smoothing_ms", "refractory_ms", "gate"}) {
    in.has(key);
  }
  return in.no_other_keys();
}

Result<StreamConfig> read_stream(const TomlSection& in) {
  StreamConfig config;
  HONE_RETURN_IF_ERROR(check_keys(in));
  HONE_TRY(config.classes, in.texts("classes"));
  HONE_RETURN_IF_ERROR(check_classes(in, config.classes));
  HONE_RETURN_IF_ERROR(read_keywords(in, config));
  HONE_RETURN_IF_ERROR(read_ms(in, "hop_ms", kFrameMs, kFrameMs, config.hop_ms, kSeenMs));
  HONE_RETURN_IF_ERROR(
      read_ms(in, "smoothing_ms", config.hop_ms, config.hop_ms, config.smoothing_ms));
  if (config.smoothing_ms % config.hop_ms != 0) {
    return in.wrong("hop_ms", str("smoothing_ms is ", config.smoothing_ms,
                                  ", expected a multiple of ", config.hop_ms));
  }
  HONE_RETURN_IF_ERROR(read_ms(in, "refractory_ms", 0, kPushMs, config.refractory_ms));
  HONE_RETURN_IF_ERROR(read_gate(in, config));
  return config;
}

}  // namespace

Result<StreamConfig> parse_stream_config(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read_stream);
}

Result<StreamConfig> read_stream_config(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  return parse_stream_config({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()},
                             path.string());
}

}  // namespace hone
