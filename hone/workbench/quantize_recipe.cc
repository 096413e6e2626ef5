// Quantization recipes as TOML.

#include <sstream>

#include "hone/base/printable.h"
#include "hone/workbench/quantize_model.h"
#include "hone/workbench/recipe_fields.h"

namespace hone {
namespace {

constexpr int64_t kLargestBlock = 4096;  // As --block-size takes it.

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

Result<std::optional<Scheme>> take_scheme(const TomlSection& in) {
  HONE_TRY(const std::string type, in.text_or("type", "int8"));
  HONE_TRY(std::optional<Scheme> scheme, scheme_named(type).in(in.place("type")));
  if (!scheme) return scheme;
  HONE_TRY(scheme->per_channel, in.flag_or("per_channel", scheme->per_channel));
  HONE_TRY(scheme->symmetric, in.flag_or("symmetric", scheme->symmetric));
  HONE_TRY(scheme->reduce_range, in.flag_or("reduce_range", scheme->reduce_range));
  HONE_TRY(scheme->power_of_two, in.flag_or("power_of_two", scheme->power_of_two));
  if (in.has("block_size")) {
    HONE_TRY(const int64_t size, in.count("block_size", 0, kLargestBlock));
    scheme->block_size = static_cast<int>(size);
  }
  return scheme;
}

Status take_rules(const TomlSection& in, QuantizePlan& plan) {
  if (!in.has("layer")) return Done{};
  HONE_TRY(const std::vector<TomlSection> layers, in.sections("layer"));
  for (const TomlSection& layer : layers) {
    LayerRule& rule = plan.rules.emplace_back();
    HONE_TRY(rule.scope, layer.text("scope"));
    HONE_TRY(rule.scheme, take_scheme(layer));
    HONE_RETURN_IF_ERROR(layer.no_other_keys());
  }
  return Done{};
}

Status take_calibration(const TomlSection& in, QuantizeRecipe& recipe) {
  HONE_TRY(const std::string method, in.text_or("calibrate_method", "minmax"));
  HONE_TRY(recipe.method, range_method_named(method).in(in.place("calibrate_method")));
  if (in.has("percentile")) {
    HONE_TRY(recipe.percentile, in.number_in("percentile", 50, 100));
  }
  if (in.has("subset_size")) {
    HONE_TRY(recipe.subset_size, in.count("subset_size", 0, 1 << 30));
  }
  return Done{};
}

Status take_recovery(const TomlSection& in, Recovery& recovery) {
  HONE_TRY(recovery.equalize, in.flag_or("equalize", false));
  HONE_TRY(recovery.smooth_quant, in.flag_or("smooth_quant", false));
  HONE_TRY(recovery.correct_bias, in.flag_or("bias_correction", false));
  HONE_TRY(recovery.adaround, in.flag_or("adaround", false));
  return Done{};
}

Result<QuantizeRecipe> read_quantize_recipe(const TomlSection& in) {
  QuantizeRecipe recipe;
  HONE_RETURN_IF_ERROR(check_recipe_version(in));
  HONE_TRY(recipe.model, in.text_or("model", ""));
  HONE_TRY(recipe.target, read_recipe_target(in));
  HONE_TRY(const std::optional<Scheme> scheme, take_scheme(in));
  if (!scheme) return in.expected("type", "integers for some layers at least");
  recipe.plan.scheme = *scheme;
  HONE_RETURN_IF_ERROR(take_calibration(in, recipe));
  HONE_RETURN_IF_ERROR(take_recovery(in, recipe.recovery));
  if (in.has("op_types")) {
    HONE_TRY(recipe.plan.op_types, in.texts("op_types"));
  }
  HONE_RETURN_IF_ERROR(take_rules(in, recipe.plan));
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  return recipe;
}

}  // namespace

std::string quantize_recipe_text(const QuantizeRecipe& recipe) {
  toml::table table{
      {"schema_version", "1.0"}, {"model", printable(recipe.model)}, {"target", recipe.target}};
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
  return parse_toml(text, file, read_quantize_recipe);
}

}  // namespace hone
