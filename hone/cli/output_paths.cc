#include "hone/cli/output_paths.h"

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/model/save.h"
#include "hone/workbench/optimize_model.h"
#include "hone/workbench/quantize_model.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// What stands in every file of a kind that hone writes.
struct Mark {
  std::string_view extension;
  std::string_view text;
  bool in_front = false;  // The file begins with it.
};

constexpr std::string_view kTomlMark = "# Written by hone\n";
// More spaces behind the header of an array than others leave there (wire/npy).
constexpr std::string_view kArrayMark =
    "                                                                "
    "                                                                ";

constexpr Mark kMarks[] = {
    {".onnx", "\x12\x04hone"},    // producer_name
    {".tflite", "hone.version"},  // Metadata.
    {".html", "Hone report"},
    {".md", "Made by hone"},
    {".md", "Written by `hone docs`"},
    {".c", "made by hone"},
    {".toml", kTomlMark, true},
    {".json", "\"name\": \"hone\""},
    {".json", "\"title\": \"Result file of hone: "},                           // A schema.
    {".json", "\"simulated_cycles\""},                                         // program.json
    {".json", "[\n {\n  \"ph\": \"M\",\n  \"name\": \"process_name\"", true},  // A trace.
    {".npy", kArrayMark},
    {".txt", "Made by hone"},
    {".csv", "step,name,op,kernel,precision,", true},
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

// An empty file is nobody's.
bool is_of_others(const fs::path& path) {
  std::error_code ignored;
  return fs::file_size(path, ignored) > 0 && !is_written_by_hone(path);
}

Status check_not_read(const CommandContext& context, const fs::path& path) {
  if (context.force || !is_plain_file(path)) return Done{};
  for (const std::string& input : context.inputs) {
    if (!same_file(input, path)) continue;
    return bad_input(path.string(), ": is what this command reads", kAdvice);
  }
  return Done{};
}

// A name that ends like a kind of files is of that kind; others can be of any.
bool may_be(const Mark& mark, const fs::path& path) {
  const auto fits = [&](const Mark& each) { return path.extension() == each.extension; };
  return fits(mark) || std::ranges::none_of(kMarks, fits);
}

}  // namespace

bool is_written_by_hone(const fs::path& path) {
  if (path.extension() == ".toml" && is_recipe(path)) return true;
  const Result<SharedBytes> start = read_file_start(path, kMarkedBytes);
  if (!start.ok()) return false;
  const std::string_view text(reinterpret_cast<const char*>(start->bytes.data()),
                              start->bytes.size());
  return std::ranges::any_of(kMarks, [&](const Mark& mark) {
    return may_be(mark, path) &&
           (mark.in_front ? text.starts_with(mark.text) : text.find(mark.text) != text.npos);
  });
}

Status check_folder(const fs::path& path) {
  constexpr std::string_view kResults[] = {".json", ".html", ".csv", ".md"};
  const bool is_file = names_model_file(path) ||
                       std::ranges::find(kResults, path.extension().string()) != std::end(kResults);
  std::error_code ignored;
  const fs::path folder = path.parent_path();
  if (!is_file || folder.empty() || fs::is_directory(folder, ignored)) return Done{};
  const std::string why = fs::exists(folder, ignored) ? str(folder.string(), " is no folder")
                                                      : str("there is no folder ", folder.string());
  return out_of_resource(path.string(), ": cannot be written, ", why);
}

Status check_output(const CommandContext& context, const fs::path& path) {
  HONE_RETURN_IF_ERROR(check_not_read(context, path));
  if (context.force || !is_plain_file(path) || !is_of_others(path)) return Done{};
  return bad_input(path.string(), ": exists, and hone did not write it", kAdvice);
}

Status check_unnamed_output(const CommandContext& context, const fs::path& path) {
  for (const std::string& output : context.outputs) {
    if (fs::path(output).lexically_normal() != path.lexically_normal()) continue;
    return bad_input(path.string(), ": is named for an output, and this command writes it anyway");
  }
  return check_output(context, path);
}

Status check_output_folder(const CommandContext& context, const fs::path& folder,
                           const std::vector<std::string>& files, const std::string& witness) {
  const bool own = is_plain_file(folder / witness) && is_written_by_hone(folder / witness);
  for (const std::string& file : files) {
    HONE_RETURN_IF_ERROR(own ? check_not_read(context, folder / file)
                             : check_unnamed_output(context, folder / file));
  }
  return Done{};
}

Status write_toml(const fs::path& path, std::string_view text) {
  if (path.has_parent_path()) HONE_RETURN_IF_ERROR(make_folder(path.parent_path()));
  return write_file(path, str(kTomlMark, text));
}

}  // namespace hone
