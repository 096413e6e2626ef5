#include "hone/workbench/points/printed_model.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// What Hone opens.
constexpr std::string_view kModelEndings[] = {".onnx", ".tflite"};

std::string_view without_folders(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

// Of files of a model, in whatever format it was timed: names of networks may have dots in them.
std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending :
       {".onnx", ".tflite", ".xml", ".engine", ".plan", ".trt", ".param"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

std::string model_of_printed(const PrintedTime& time, const fs::path& folder) {
  const std::string name(without_folders(time.network));
  if (name.empty()) return "";
  const std::string stem(without_ending(name));
  for (const std::string_view ending : kModelEndings) {
    if (name.ends_with(ending) && is_file(folder / name)) return (folder / name).string();
  }
  for (const std::string_view ending : kModelEndings) {
    const fs::path beside = folder / str(stem, ending);
    if (is_file(beside)) return beside.string();
  }
  const std::string& built_in = time.built_in.empty() ? stem : time.built_in;
  const auto& networks = all_networks();
  const bool there = std::ranges::find(networks, built_in, &NetworkDef::name) != networks.end();
  return there ? str("zoo:", built_in) : "";
}

}  // namespace hone
