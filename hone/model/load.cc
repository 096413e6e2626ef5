#include "hone/model/load.h"

#include <algorithm>
#include <cctype>

namespace hone {
namespace {

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Result<Model> import_file(const std::filesystem::path& path, const LoadOptions& options) {
  const std::string extension = lower_extension(path);
  if (extension == ".onnx") {
    HONE_TRY(const OnnxModel file, read_onnx(path));
    return import_onnx(file, options).in(path.string());
  }
  if (extension == ".tflite") {
    HONE_TRY(const TfliteModel file, read_tflite(path));
    return import_tflite(file, options).in(path.string());
  }
  constexpr std::string_view kOfProfiles[] = {".json",   ".csv",      ".gz",
                                              ".sqlite", ".nsys-rep", ".ncu-rep"};
  const bool profile = std::ranges::count(kOfProfiles, extension) > 0;
  return bad_input(path.string(), ": expected a file ending in .onnx or .tflite")
      .needs(profile ? Hint{HintKind::ProfileOfOthers} : Hint{});
}

}  // namespace

Result<Model> load_model(const std::filesystem::path& path, const LoadOptions& options) {
  HONE_TRY(Model model, import_file(path, options));
  model.name = path.filename().string();
  std::error_code error;
  model.file_bytes = std::filesystem::file_size(path, error);
  if (error) model.file_bytes = 0;
  return model;
}

}  // namespace hone
