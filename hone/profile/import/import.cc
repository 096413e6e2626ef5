#include "hone/profile/import/import.h"

#include "hone/base/file.h"
#include "hone/base/gunzip.h"
#include "hone/profile/import/importer_def.h"
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

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Result<const ImporterDef*> importer_for(std::string_view text) {
  std::vector<std::string_view> known;
  for (const ImporterDef* importer : all_importers()) {
    if (importer->recognizes(text)) return importer;
    known.push_back(importer->summary);
  }
  return bad_input("none of the formats that can be imported: ", join(known, "; "));
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
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (is_sqlite(text)) HONE_RETURN_IF_ERROR(check_no_log(path).in(path.string()));
  HONE_TRY(const ImporterDef* importer, importer_for(text).in(path.string()));
  HONE_TRY(Profile profile, importer->read(text, options).in(path.string()));
  const std::string name = path.filename().string();
  if (profile.model.empty()) profile.model = name;
  profile.notes.insert(profile.notes.begin(), str("imported from ", name, ": ", importer->summary));
  return profile;
}

}  // namespace hone
