#include "hone/profile/import/import.h"

#include "hone/base/gunzip.h"
#include "hone/base/peek_file.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/rows.h"
#include "hone/profile/import/sqlite.h"

namespace hone {

#define HONE_IMPORTER(name) extern const ImporterDef importer_##name;
#include "hone/profile/import/importers.inc"
#undef HONE_IMPORTER

const std::vector<const ImporterDef*>& all_importers() {
  static const std::vector<const ImporterDef*> kImporters = {
#define HONE_IMPORTER(name) &importer_##name,
#include "hone/profile/import/importers.inc"
#undef HONE_IMPORTER
  };
  return kImporters;
}

namespace {

// Of what the tools that are read write besides: what it is and how to get what is read.
std::string_view what_to_export(const std::filesystem::path& path, std::string_view text) {
  const std::string_view begin = text.substr(0, 4096);
  const std::string end = path.extension().string();
  if (end == ".nsys-rep" || end == ".qdrep") {
    return "a recording of Nsight Systems; export it so: nsys export -t sqlite FILE";
  }
  if (end == ".ncu-rep") {
    return "a recording of Nsight Compute; export it so: ncu -i FILE --csv --page details";
  }
  if (holds(begin, "Total Time (") && holds(begin, "Instances")) {
    return "a summary of Nsight Systems, without the single kernels; export them so: nsys stats "
           "-r cuda_gpu_trace -f csv FILE";
  }
  if (holds(begin, "\"ID\",") && holds(begin, "\"Process ID\"") &&
      !holds(begin, "\"Metric Name\"")) {
    return "the raw page of Nsight Compute; export the other so: ncu -i FILE --csv --page details";
  }
  return "";
}

std::string_view found_in(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "nothing";
  if (holds(text.substr(0, 4096), std::string_view("\0", 1))) return "binary data";
  return text[first] == '{' || text[first] == '[' ? "JSON of another kind" : "text of another kind";
}

Result<const ImporterDef*> importer_for(const std::filesystem::path& path, std::string_view text) {
  std::vector<std::string_view> known;
  for (const ImporterDef* importer : all_importers()) {
    if (importer->recognizes(text)) return importer;
    known.push_back(importer->name);
  }
  if (const std::string_view what = what_to_export(path, text); !what.empty()) {
    return bad_input(what);
  }
  return bad_input("none of the formats that can be imported: found ", found_in(text),
                   "; there are: ", join(known),
                   "; docs/howto/import_profiles.md says how to get each");
}

}  // namespace

Result<Profile> import_profile(const std::filesystem::path& path, const ImportOptions& options) {
  HONE_TRY(const SharedBytes file, read_file(path));
  std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  std::string unpacked;
  if (is_gzip(text)) {
    HONE_TRY(unpacked, gunzip(text).in(path.string()));
    text = unpacked;
  }
  text = without_byte_order_mark(text);
  if (is_sqlite(text)) HONE_RETURN_IF_ERROR(check_no_log(path).in(path.string()));
  HONE_TRY(const ImporterDef* importer, importer_for(path, text).in(path.string()));
  HONE_TRY(Profile profile, importer->read(text, options).in(path.string()));
  const std::string name = path.filename().string();
  if (profile.model.empty()) profile.model = name;
  profile.notes.insert(profile.notes.begin(), str("imported from ", name, ": ", importer->summary));
  return profile;
}

}  // namespace hone
