#include "hone/stream/write_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "hone/audio/mfcc_c.h"
#include "hone/base/json_text.h"
#include "hone/base/output_file.h"
#include "hone/base/printable.h"
#include "hone/base/version.h"
#include "hone/stream/project_files.h"
#include "hone/stream/stream_sound.h"

namespace hone {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

size_t words_of(size_t bytes) {
  return (bytes + 7) / 8;
}

// More than that of any type in it: vectors of a DSP ask for it.
constexpr size_t kUsualAlignment = 8;

size_t rounded_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

// Where addresses have 32 bits: fields in the order of stream.h.in, none of which leaves a gap but the input,
// where that is aligned, and the last.
size_t struct_bytes(const StreamRecipe& recipe, size_t work_words, size_t alignment) {
  const size_t features = recipe.rows * recipe.mfcc.tables().coefficients;
  const size_t words = 3 + 8 + recipe.keywords.size();
  const size_t halves = recipe.smoothing * recipe.keywords.size() + recipe.ring * recipe.push +
                        recipe.seen_pushes() + features;
  const size_t before = 8 * work_words + 24 + 4 * words + 2 * halves;
  const size_t input = alignment > kUsualAlignment ? rounded_up(before, 8) : before;
  return rounded_up(input + features + recipe.outputs, alignment);
}

std::string aligned_to(size_t bytes) {
  return str(" __attribute__((aligned(", bytes, ")))");
}

// What lies in the struct's `work` while the front end is at it: what it works in, and samples.
size_t front_end_bytes(const FixedMfccTables& tables, MfccUnit unit) {
  const size_t bytes = mfcc_work_bytes(tables, unit) + 2 * tables.frame;
  return unit == MfccUnit::Vectors ? rounded_up(bytes, 128) : bytes;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// A name as part of a comment, which it does not end.
std::string plain(std::string_view name) {
  std::string text(name);
  const auto is_special = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\\' || c == '*' || c == '?';
  };
  std::ranges::replace_if(text, is_special, '_');
  return text;
}

// A string of C that has the very bytes of the name.
std::string c_string(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool special = byte < ' ' || c == '"' || c == '\\' || c == '?';
    text += special ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return text + "\"";
}

template <class Member>
std::string listed(const std::vector<StreamKeyword>& keywords, Member text_of) {
  std::vector<std::string> texts;
  for (const StreamKeyword& keyword : keywords) texts.push_back(text_of(keyword));
  return join(texts);
}

std::string table_text(const std::vector<uint16_t>& table) {
  std::string text;
  for (size_t i = 0; i < table.size(); ++i) {
    text += str(i % 16 == 0 ? "    " : " ", table[i], ",", i % 16 == 15 ? "\n" : "");
  }
  return text;
}

Fields fields_of(const StreamRecipe& recipe, const StreamProject& project) {
  const MfccOptions& options = recipe.mfcc.options();
  const bool wide = project.alignment > kUsualAlignment;
  const size_t ring = recipe.ring * recipe.push;
  const auto frames = (ring - recipe.mfcc.tables().frame) / static_cast<size_t>(options.step) + 1;
  return {
      {"NAME", project.prefix},
      {"MACRO", upper_case(project.prefix)},
      {"MODEL", plain(project.model)},
      {"DEVICE", plain(project.device)},
      {"CORE", project.core},
      {"CORE_FLAGS", project.core_flags},
      {"SOX", expected_sound(recipe)},
      {"ALIGNMENT", str(project.alignment)},
      {"ARENA_ALIGNED", wide ? aligned_to(project.alignment) : ""},
      {"INPUT_ALIGNED", wide ? aligned_to(8) : ""},
      {"VERSION", std::string(version())},
      {"WORDS", listed(recipe.keywords, [](const auto& k) { return plain(k.name); })},
      {"NAMES", listed(recipe.keywords, [](const auto& k) { return c_string(printable(k.name)); })},
      {"OUTPUT_OF", listed(recipe.keywords, [](const auto& k) { return str(k.output); })},
      {"THRESHOLDS", listed(recipe.keywords, [](const auto& k) { return str(k.threshold); })},
      {"TABLE", table_text(recipe.probabilities)},
      {"RATE", str(options.rate)},
      {"STEP", str(options.step)},
      {"PUSH", str(recipe.push)},
      {"RING", str(ring)},
      {"SEEN", str(recipe.seen_pushes())},
      {"ROWS", str(recipe.rows)},
      {"COEFFICIENTS", str(recipe.mfcc.tables().coefficients)},
      {"KEYWORDS", str(recipe.keywords.size())},
      {"OUTPUTS", str(recipe.outputs)},
      {"SOFTMAX", recipe.softmax ? "1" : "0"},
      {"GATE", str(recipe.gate_energy)},
      {"HOLD", str(recipe.hold)},
      {"HOP", str(recipe.hop)},
      {"SMOOTHING", str(recipe.smoothing)},
      {"REFRACTORY", str(recipe.refractory)},
      {"BURST", str(frames)},
      {"WORK_WORDS", str(project.work_bytes / 8)},
      {"RAM", str(project.ram_bytes)}};
}

// Every "@FIELD@" as its value.
std::string filled_in(std::string_view text, const Fields& fields) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = std::min(text.find('@', at), text.size());
    result += text.substr(at, begin - at);
    if (begin == text.size()) break;
    const size_t end = text.find('@', begin + 1);
    const auto found = fields.find(text.substr(begin + 1, end - begin - 1));
    HONE_CHECK(found != fields.end(), "no field ", text.substr(begin, 20));
    result += found->second;
    at = end + 1;
  }
  return result;
}

// "stream.h.in" is written as "hone_kws_stream.h"; others have their own names.
std::string file_name(std::string_view name, const StreamProject& project) {
  name.remove_suffix(std::string_view(".in").size());
  return str(name.starts_with("stream.") ? project.prefix + "_" : "", name);
}

std::vector<EmbeddedFile> templates_of(const StreamProject& project) {
  std::vector<EmbeddedFile> files = stream_project_files();
  const bool arm = project.toolchain == c_code::Toolchain::Arm;
  std::ranges::copy(arm ? arm_stream_files() : hexagon_stream_files(), std::back_inserter(files));
  return files;
}

std::string summary_of(const StreamRecipe& recipe, const StreamProject& project) {
  nlohmann::ordered_json keywords = nlohmann::ordered_json::array();
  for (const StreamKeyword& keyword : recipe.keywords) {
    keywords.push_back(
        {{"name", keyword.name}, {"output", keyword.output}, {"threshold_q15", keyword.threshold}});
  }
  return json_text({{"schema_version", 1},
                    {"tool", {{"name", "hone"}, {"version", version()}}},
                    {"model", project.model},
                    {"device", project.device},
                    {"prefix", project.prefix},
                    {"ram_bytes", project.ram_bytes},
                    {"table_bytes", project.table_bytes},
                    {"push_samples", recipe.push},
                    {"ring_samples", recipe.ring * recipe.push},
                    {"rows", recipe.rows},
                    {"hop_rows", recipe.hop},
                    {"smoothing_runs", recipe.smoothing},
                    {"refractory_samples", recipe.refractory},
                    {"gate_energy", recipe.gate_energy},
                    {"hold_pushes", recipe.hold},
                    {"keywords", std::move(keywords)}},
                   2) +
         "\n";
}

}  // namespace

StreamProject stream_project(const StreamRecipe& recipe, const emulation::WritableCode& network) {
  const c_code::ProjectNames names = network.names();
  const c_code::Plan& plan = *network.plan();
  const size_t alignment = plan.options.core.alignment();
  const FixedMfccTables& tables = recipe.mfcc.tables();
  const bool vectors = plan.options.core.hvx && has_mfcc_vectors(tables);
  const MfccUnit front_end = vectors ? MfccUnit::Vectors : MfccUnit::Words;
  const size_t words = words_of(std::max(plan.arena_bytes, front_end_bytes(tables, front_end)));
  return {.prefix = names.prefix,
          .model = names.model,
          .device = names.device,
          .core = names.core,
          .core_flags = names.core_flags,
          .toolchain = names.toolchain,
          .front_end = front_end,
          .alignment = alignment,
          .work_bytes = 8 * words,
          .ram_bytes = struct_bytes(recipe, words, alignment),
          .table_bytes = mfcc_table_bytes(tables, front_end),
          .constant_bytes = plan.constant_bytes};
}

std::vector<std::string> stream_files(const StreamProject& project) {
  std::vector<std::string> files = {"hone_mfcc.h", "stream.json"};
  for (const EmbeddedFile& file : templates_of(project)) {
    files.push_back(file_name(file.name, project));
  }
  return files;
}

Status write_stream(const StreamRecipe& recipe, const StreamProject& project,
                    const emulation::WritableCode& network, const std::filesystem::path& folder) {
  std::vector<NamedText> files = {
      {"hone_mfcc.h", mfcc_c(recipe.mfcc, recipe.bytes, project.front_end)}};
  const Fields fields = fields_of(recipe, project);
  for (const EmbeddedFile& file : templates_of(project)) {
    files.push_back({file_name(file.name, project), filled_in(file.text, fields)});
  }
  files.push_back({"stream.json", summary_of(recipe, project)});
  return write_folder(folder, [&]() -> Status {
    HONE_RETURN_IF_ERROR(network.write_quietly(folder / "network"));
    return write_files(folder, files);
  });
}

}  // namespace hone
