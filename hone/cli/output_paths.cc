#include "hone/cli/output_paths.h"

#include <algorithm>

#include "hone/base/peek_file.h"
#include "hone/workbench/optimize_model.h"
#include "hone/workbench/quantize_model.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// What stands in every file of a kind that hone writes.
struct Mark {
  std::string_view extension;
  std::string_view text;
};

constexpr Mark kMarks[] = {
    {".onnx", "\x12\x04hone"},  // producer_name
    {".html", "Hone report"},          {".md", "Made by hone"},
    {".md", "Written by `hone docs`"}, {".c", "made by hone"},
    {".json", "\"name\": \"hone\""},   {".json", "\"simulated_cycles\""},  // program.json
};

// Marks of large files stand at their beginning.
constexpr uint64_t kMarkedBytes = uint64_t{1} << 20;

bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

bool is_recipe(const fs::path& path) {
  const Result<std::string> text = read_text(path);
  return text.ok() && (parse_recipe(*text, path.string()).ok() ||
                       parse_quantize_recipe(*text, path.string()).ok());
}

constexpr std::string_view kAdvice = "; name another file, or add --force";

Error not_ours(const fs::path& path) {
  return bad_input(path.string(), ": exists, and hone did not write it", kAdvice);
}

// Models and documents may be somebody's only copy, even where the user named them. An empty file
// is nobody's.
bool is_precious(const fs::path& path) {
  constexpr std::string_view kPrecious[] = {".onnx", ".tflite", ".html", ".md"};
  std::error_code ignored;
  return std::ranges::find(kPrecious, path.extension()) != std::end(kPrecious) &&
         fs::file_size(path, ignored) > 0;
}

}  // namespace

bool is_written_by_hone(const fs::path& path) {
  if (path.extension() == ".toml") return is_recipe(path);
  const Result<SharedBytes> start = read_file_start(path, kMarkedBytes);
  if (!start.ok()) return false;
  const std::string_view text(reinterpret_cast<const char*>(start->bytes.data()),
                              start->bytes.size());
  return std::ranges::any_of(kMarks, [&](const Mark& mark) {
    return path.extension() == mark.extension && text.find(mark.text) != text.npos;
  });
}

Status check_output(const CommandContext& context, const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.parent_path();
  if (path.extension() == ".onnx" && !folder.empty() && !fs::is_directory(folder, ignored)) {
    return out_of_resource(path.string(), ": cannot be written, there is no folder ",
                           folder.string());
  }
  if (context.force || !is_plain_file(path)) return Done{};
  for (const std::string& input : context.inputs) {
    if (!same_file(input, path)) continue;
    return bad_input(path.string(), ": is what this command reads", kAdvice);
  }
  if (is_precious(path) && !is_written_by_hone(path)) return not_ours(path);
  return Done{};
}

Status check_unnamed_output(const CommandContext& context, const fs::path& path) {
  for (const std::string& output : context.outputs) {
    if (fs::path(output).lexically_normal() != path.lexically_normal()) continue;
    return bad_input(path.string(), ": is named for an output, and this command writes it anyway");
  }
  HONE_RETURN_IF_ERROR(check_output(context, path));
  if (context.force || !is_plain_file(path) || is_written_by_hone(path)) return Done{};
  return not_ours(path);
}

Status check_output_folder(const CommandContext& context, const fs::path& folder,
                           const std::vector<std::string>& files, const std::string& witness) {
  const bool own = is_plain_file(folder / witness) && is_written_by_hone(folder / witness);
  for (const std::string& file : files) {
    HONE_RETURN_IF_ERROR(own ? check_output(context, folder / file)
                             : check_unnamed_output(context, folder / file));
  }
  return Done{};
}

}  // namespace hone
