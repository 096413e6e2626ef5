// Quantization recipes as TOML.

#include <sstream>

#include "hone/base/text.h"
#include "hone/workbench/quantize_model.h"
#include "hone/workbench/toml_text.h"

namespace hone {
namespace {

// The name of the scheme that has these element types.
std::string type_of(const std::optional<Scheme>& scheme) {
  if (!scheme) return "float";
  for (const std::string& name : scheme_names()) {
    const auto named = scheme_named(name);
    if (named.ok() && *named && (*named)->activations == scheme->activations &&
        (*named)->weights == scheme->weights) {
      return name;
    }
  }
  return "int8";
}

void put_scheme(toml::table& table, const std::optional<Scheme>& scheme) {
  table.insert("type", type_of(scheme));
  if (!scheme) return;
  table.insert("per_channel", scheme->per_channel);
  table.insert("symmetric", scheme->symmetric);
  table.insert("reduce_range", scheme->reduce_range);
  table.insert("power_of_two", scheme->power_of_two);
  if (scheme->block_size > 0) table.insert("block_size", scheme->block_size);
}

Result<std::optional<Scheme>> take_scheme(const toml::table& table) {
  HONE_TRY(std::optional<Scheme> scheme, scheme_named(table["type"].value_or(std::string("int8"))));
  if (!scheme) return scheme;
  scheme->per_channel = table["per_channel"].value_or(scheme->per_channel);
  scheme->symmetric = table["symmetric"].value_or(scheme->symmetric);
  scheme->reduce_range = table["reduce_range"].value_or(scheme->reduce_range);
  scheme->power_of_two = table["power_of_two"].value_or(scheme->power_of_two);
  scheme->block_size = table["block_size"].value_or(scheme->block_size);
  return scheme;
}

Status take_rules(const toml::table& table, QuantizePlan& plan) {
  const toml::array* layers = table["layer"].as_array();
  if (layers == nullptr) return Done{};
  for (const toml::node& node : *layers) {
    const toml::table* entry = node.as_table();
    const auto scope = entry == nullptr ? std::nullopt : (*entry)["scope"].value<std::string>();
    if (!scope) return bad_input("layer ", plan.rules.size() + 1, " has no scope");
    HONE_TRY(std::optional<Scheme> scheme, take_scheme(*entry).in(str("layer '", *scope, "'")));
    plan.rules.push_back({*scope, scheme});
  }
  return Done{};
}

Result<QuantizeRecipe> read(const toml::table& table) {
  QuantizeRecipe recipe;
  const std::string version = table["schema_version"].value_or(std::string());
  if (!version.starts_with("1.")) {
    return bad_input("schema_version is '", version, "', expected 1.x");
  }
  recipe.model = table["model"].value_or(std::string());
  recipe.target = table["target"].value_or(std::string("cpu"));
  HONE_TRY(const std::optional<Scheme> scheme, take_scheme(table));
  if (!scheme) return bad_input("type is 'float', expected integers for some layers at least");
  recipe.plan.scheme = *scheme;
  HONE_TRY(recipe.method,
           range_method_named(table["calibrate_method"].value_or(std::string("minmax"))));
  recipe.percentile = table["percentile"].value_or(recipe.percentile);
  recipe.subset_size = table["subset_size"].value_or(recipe.subset_size);
  recipe.recovery.equalize = table["equalize"].value_or(false);
  recipe.recovery.smooth_quant = table["smooth_quant"].value_or(false);
  recipe.recovery.correct_bias = table["bias_correction"].value_or(false);
  recipe.recovery.adaround = table["adaround"].value_or(false);
  if (const toml::array* ops = table["op_types"].as_array()) {
    for (const toml::node& op : *ops) {
      recipe.plan.op_types.push_back(op.value_or(std::string()));
    }
  }
  HONE_RETURN_IF_ERROR(take_rules(table, recipe.plan));
  return recipe;
}

}  // namespace

std::string quantize_recipe_text(const QuantizeRecipe& recipe) {
  toml::table table{{"schema_version", "1.0"}, {"model", recipe.model}, {"target", recipe.target}};
  put_scheme(table, recipe.plan.scheme);
  table.insert("calibrate_method", range_method_names()[static_cast<size_t>(recipe.method)]);
  if (recipe.method == RangeMethod::Percentile) table.insert("percentile", recipe.percentile);
  table.insert("subset_size", recipe.subset_size);
  table.insert("equalize", recipe.recovery.equalize);
  table.insert("smooth_quant", recipe.recovery.smooth_quant);
  table.insert("bias_correction", recipe.recovery.correct_bias);
  table.insert("adaround", recipe.recovery.adaround);
  toml::array ops;
  for (const std::string& op : recipe.plan.op_types) ops.push_back(op);
  if (!ops.empty()) table.insert("op_types", std::move(ops));
  toml::array layers;
  for (const LayerRule& rule : recipe.plan.rules) {
    toml::table entry{{"scope", rule.scope}};
    put_scheme(entry, rule.scheme);
    layers.push_back(std::move(entry));
  }
  if (!layers.empty()) table.insert("layer", std::move(layers));
  std::ostringstream out;
  out << table << "\n";
  return out.str();
}

Result<QuantizeRecipe> parse_quantize_recipe(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read);
}

}  // namespace hone
