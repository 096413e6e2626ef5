#include "hone/validate/pictures/picture_folder.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "hone/base/peek_file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// What a folder holds, by name.
Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  if (error) return bad_input(folder.string(), ": ", error.message());
  std::ranges::sort(entries);
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<std::vector<fs::path>> pictures_in(const fs::path& folder) {
  HONE_TRY(std::vector<fs::path> entries, entries_of(folder));
  std::erase_if(entries, [](const fs::path& path) { return !names_picture(path); });
  return entries;
}

using LabelNumbers = std::map<std::string, int64_t, std::less<>>;

// "cat 3" or "some/cat.png 3".
Status read_label(std::string_view line, LabelNumbers& labels) {
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  if (line.empty() || line[0] == '#') return Done{};
  const size_t space = line.find_last_of(" \t");
  const std::string_view digits = space == line.npos ? "" : line.substr(space + 1);
  int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) {
    return bad_input("expected a name and a class number of 0 or more");
  }
  const std::string_view name = line.substr(0, space);
  const bool first =
      labels.emplace(name.substr(0, name.find_last_not_of(" \t") + 1), number).second;
  return first ? Status(Done{}) : bad_input("the second line of '", name, "'");
}

Result<std::optional<LabelNumbers>> read_label_numbers(const fs::path& path) {
  HONE_TRY(const bool exists, file_exists(path));
  if (!exists) return std::optional<LabelNumbers>();
  HONE_TRY(const std::string text, read_text(path));
  LabelNumbers labels;
  int64_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    HONE_RETURN_IF_ERROR(read_label(std::string_view(text).substr(at, end - at), labels)
                             .in(str(path.string(), ": line ", number)));
    at = end + 1;
  }
  return std::optional(std::move(labels));
}

// Classes are numbered by name where no file does.
LabelNumbers numbered(const std::vector<fs::path>& classes) {
  LabelNumbers labels;
  for (const fs::path& each : classes) {
    labels.emplace(each.filename().string(), static_cast<int64_t>(labels.size()));
  }
  return labels;
}

// A picture's own line decides before its class's.
Result<int64_t> label_of(const fs::path& file, const fs::path& folder, const LabelNumbers& labels) {
  const fs::path inside = file.lexically_relative(folder);
  for (const std::string& name : {inside.generic_string(), inside.parent_path().generic_string()}) {
    if (const auto found = labels.find(name); found != labels.end()) return found->second;
  }
  return bad_input((folder / "labels.txt").string(), ": has no line for '", inside.generic_string(),
                   "'");
}

Result<Preprocess> read_preprocess_file(const fs::path& path) {
  HONE_TRY(const bool exists, file_exists(path));
  if (!exists) return Preprocess();
  HONE_TRY(const std::string text, read_text(path));
  return parse_preprocess(text, path.string());
}

}  // namespace

Result<bool> holds_pictures(const fs::path& folder) {
  HONE_TRY(const std::vector<fs::path> entries, entries_of(folder));
  if (std::ranges::any_of(entries, names_picture)) return true;
  for (const fs::path& entry : entries) {
    if (!is_folder(entry)) continue;
    HONE_TRY(const std::vector<fs::path> pictures, pictures_in(entry));
    if (!pictures.empty()) return true;
  }
  return false;
}

Result<PictureFolder> list_pictures(const fs::path& folder) {
  PictureFolder result;
  HONE_TRY(result.files, pictures_in(folder));
  const bool loose = !result.files.empty();
  HONE_TRY(const std::vector<fs::path> entries, entries_of(folder));
  std::vector<fs::path> classes;
  for (const fs::path& entry : entries) {
    if (!is_folder(entry)) continue;
    HONE_TRY(const std::vector<fs::path> pictures, pictures_in(entry));
    if (pictures.empty()) continue;
    classes.push_back(entry);
    result.files.insert(result.files.end(), pictures.begin(), pictures.end());
  }
  HONE_TRY(std::optional<LabelNumbers> labels, read_label_numbers(folder / "labels.txt"));
  if (!labels && classes.empty()) return result;
  if (!labels && loose) {
    return bad_input(result.files[0].string(),
                     ": lies beside folders of classes; labels.txt could ", "say what it is");
  }
  result.labels_from = labels ? "labels.txt" : "the folders of classes";
  if (!labels) labels = numbered(classes);
  result.labels.emplace();
  for (const fs::path& file : result.files) {
    HONE_TRY(const int64_t label, label_of(file, folder, *labels));
    result.labels->push_back(label);
  }
  return result;
}

Result<SampleRows> rows_of_pictures(const fs::path& folder, PictureFolder& pictures,
                                    const TensorType& input) {
  const fs::path stated = folder / "preprocess.toml";
  HONE_TRY(const bool exists, file_exists(stated));
  HONE_TRY(const Preprocess how, read_preprocess_file(stated));
  HONE_TRY(const PictureInput wanted, picture_input(how, input));
  pictures.how = str(pictures.files.size(), " pictures, ", text_of(wanted),
                     exists ? str(" (", stated.string(), ")")
                            : std::string(" (preprocess.toml in the folder would say otherwise)"));
  return SampleRows::made(folder.string(), static_cast<int64_t>(pictures.files.size()), wanted.type,
                          [files = pictures.files, wanted](int64_t index) -> Result<Tensor> {
                            const fs::path& file = files[static_cast<size_t>(index)];
                            HONE_TRY(const Picture picture, read_picture(file));
                            return sample_of(picture, wanted).in(file.string());
                          });
}

}  // namespace hone
