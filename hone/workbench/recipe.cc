// Recipes as TOML.

#include <sstream>

#include "hone/base/printable.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/optimize_model.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/recipe_fields.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

Result<Precision> read_precision(const TomlSection& in) {
  if (!in.has("precision")) return Precision::F32;
  constexpr std::string_view kNames[] = {"fp32", "tf32", "fp16", "bf16"};
  HONE_TRY(const std::string name, in.one_of("precision", kNames));
  return precision_named(name);
}

Status read_arithmetic(const TomlSection& in, CompileOptions& options) {
  HONE_TRY(const std::string name, in.text_or("arithmetic", "auto"));
  if (name != "auto") {
    Result<Rounding> rounding = find_arithmetic(name);
    if (!rounding.ok()) return in.wrong("arithmetic", rounding.error().message);
    options.eval.rounding = *rounding;
    options.qdq_rounds_once = false;
  }
  constexpr std::string_view kHybrid[] = {"integer", "float"};
  if (!in.has("hybrid")) return Done{};
  HONE_TRY(const std::string hybrid, in.one_of("hybrid", kHybrid));
  options.eval.expand_hybrid_weights = hybrid == "float";
  return Done{};
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

Result<Recipe> read_recipe(const TomlSection& in) {
  Recipe recipe;
  HONE_RETURN_IF_ERROR(check_recipe_version(in));
  HONE_TRY(recipe.model, in.text_or("model", ""));
  HONE_TRY(recipe.target, read_recipe_target(in));
  HONE_TRY(recipe.options.threads, in.small_count_or("threads", 0));
  HONE_TRY(recipe.options.precision, read_precision(in));
  HONE_RETURN_IF_ERROR(read_arithmetic(in, recipe.options));
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
                    {"precision", std::string(name_of(recipe.options.precision))}};
  if (!recipe.options.qdq_rounds_once) {
    table.insert("arithmetic", std::string(arithmetic_name(recipe.options.eval.rounding)));
  }
  if (recipe.options.eval.expand_hybrid_weights) table.insert("hybrid", "float");
  if (!remedies.empty()) table.insert("remedy", std::move(remedies));
  std::ostringstream out;
  out << table << "\n";
  return out.str();
}

Result<Recipe> parse_recipe(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read_recipe);
}

}  // namespace hone
