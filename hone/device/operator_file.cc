#include "hone/device/operator_file.h"

#include <set>

#include "hone/device/toml_text.h"

namespace hone {
namespace {

Result<OperatorEntry> read_entry(const TomlSection& in) {
  OperatorEntry entry;
  HONE_TRY(entry.op.name, in.text("name"));
  HONE_TRY(entry.op.expression, in.text("expression"));
  if (in.has("cycles_per_element")) {
    HONE_TRY(entry.op.cycles_per_element, in.positive("cycles_per_element"));
  }
  if (entry.op.name.empty()) return in.expected("name", "the name of an operator");
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  entry.where = in.place("expression");
  return entry;
}

Result<std::vector<OperatorEntry>> read_entries(const TomlSection& in) {
  std::vector<OperatorEntry> entries;
  HONE_TRY(const std::vector<TomlSection> tables, in.sections("operator"));
  std::set<std::string> names;
  for (const TomlSection& table : tables) {
    HONE_TRY(entries.emplace_back(), read_entry(table));
    if (!names.insert(entries.back().op.name).second) {
      return table.wrong("name", str("'", entries.back().op.name, "' comes twice"));
    }
  }
  return entries;
}

}  // namespace

Result<std::vector<OperatorEntry>> parse_operators(std::string_view text, const std::string& file,
                                                   SpecFormats kinds) {
  const auto read = [&](const TomlSection& in) -> Result<std::vector<OperatorEntry>> {
    // A device's file, which has its own keys and may do without operators.
    if (in.has("schema_version")) {
      HONE_RETURN_IF_ERROR(parse_device(text, file, kinds));
      return in.has("operator") ? read_entries(in) : Result(std::vector<OperatorEntry>());
    }
    HONE_TRY(std::vector<OperatorEntry> entries, read_entries(in));
    HONE_RETURN_IF_ERROR(in.no_other_keys());
    return entries;
  };
  return parse_toml(text, file, read);
}

}  // namespace hone
