// Recipes as TOML.

#include <sstream>

#include "hone/base/printable.h"
#include "hone/workbench/optimize_model.h"
#include "hone/workbench/recipe_fields.h"

namespace hone {
namespace {

std::string_view text_of(Precision precision) {
  return precision == Precision::F16 ? "fp16" : precision == Precision::BF16 ? "bf16" : "fp32";
}

Result<Precision> read_precision(const TomlSection& in) {
  if (!in.has("precision")) return Precision::F32;
  constexpr std::string_view kNames[] = {"fp32", "fp16", "bf16"};
  HONE_TRY(const std::string name, in.one_of("precision", kNames));
  return name == "fp16" ? Precision::F16 : name == "bf16" ? Precision::BF16 : Precision::F32;
}

Result<Recipe::Entry> read_entry(const TomlSection& in) {
  Recipe::Entry entry;
  HONE_TRY(entry.remedy, in.text("name"));
  if (find_remedy(entry.remedy) == nullptr) {
    return in.wrong("name", str("no remedy '", entry.remedy, "'"));
  }
  HONE_TRY(entry.setting, in.text_or("setting", ""));
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  return entry;
}

Result<Recipe> read(const TomlSection& in) {
  Recipe recipe;
  HONE_RETURN_IF_ERROR(check_recipe_version(in));
  HONE_TRY(recipe.model, in.text_or("model", ""));
  HONE_TRY(recipe.target, read_recipe_target(in));
  HONE_TRY(recipe.options.threads, in.small_count_or("threads", 0));
  HONE_TRY(recipe.options.precision, read_precision(in));
  if (in.has("remedy")) {
    HONE_TRY(const std::vector<TomlSection> remedies, in.sections("remedy"));
    for (const TomlSection& remedy : remedies) {
      HONE_TRY(recipe.entries.emplace_back(), read_entry(remedy));
    }
  }
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  return recipe;
}

}  // namespace

std::string recipe_text(const Recipe& recipe) {
  toml::array remedies;
  for (const Recipe::Entry& entry : recipe.entries) {
    toml::table table{{"name", entry.remedy}};
    if (!entry.setting.empty()) table.insert("setting", entry.setting);
    remedies.push_back(std::move(table));
  }
  toml::table table{{"schema_version", "1.0"},
                    {"model", printable(recipe.model)},
                    {"target", recipe.target},
                    {"threads", recipe.options.threads},
                    {"precision", std::string(text_of(recipe.options.precision))}};
  if (!remedies.empty()) table.insert("remedy", std::move(remedies));
  std::ostringstream out;
  out << table << "\n";
  return out.str();
}

Result<Recipe> parse_recipe(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read);
}

}  // namespace hone
