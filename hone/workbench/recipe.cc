// Recipes as TOML.

#include <sstream>

#include "hone/workbench/optimize_model.h"
#include "hone/workbench/toml_text.h"

namespace hone {
namespace {

std::string_view text_of(Precision precision) {
  return precision == Precision::F16 ? "fp16" : precision == Precision::BF16 ? "bf16" : "fp32";
}

Result<Precision> precision_of(const std::string& text) {
  if (text == "fp32") return Precision::F32;
  if (text == "fp16") return Precision::F16;
  if (text == "bf16") return Precision::BF16;
  return bad_input("precision is '", text, "', expected fp32, fp16 or bf16");
}

Result<Recipe> read(const toml::table& table) {
  Recipe recipe;
  const std::string version = table["schema_version"].value_or(std::string());
  if (!version.starts_with("1.")) {
    return bad_input("schema_version is '", version, "', expected 1.x");
  }
  recipe.model = table["model"].value_or(std::string());
  recipe.target = table["target"].value_or(std::string("cpu"));
  recipe.options.threads = table["threads"].value_or(0);
  HONE_TRY(recipe.options.precision,
           precision_of(table["precision"].value_or(std::string("fp32"))));
  const toml::array* remedies = table["remedy"].as_array();
  if (remedies == nullptr) return recipe;
  for (const toml::node& node : *remedies) {
    const toml::table* entry = node.as_table();
    const auto name = entry == nullptr ? std::nullopt : (*entry)["name"].value<std::string>();
    if (!name) return bad_input("remedy ", recipe.entries.size() + 1, " has no name");
    if (find_remedy(*name) == nullptr) return bad_input("no remedy '", *name, "'");
    recipe.entries.push_back({*name, (*entry)["setting"].value_or(std::string())});
  }
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
                    {"model", recipe.model},
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
