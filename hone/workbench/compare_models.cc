#include "hone/workbench/compare_models.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr std::string_view kBuiltIn = "zoo:";

// Paths and names that a model answers to.
std::vector<std::string> names_of_model(const ComparedModel& model) {
  const std::string& spec = model.spec;
  if (spec.starts_with(kBuiltIn)) return {spec, spec.substr(kBuiltIn.size())};
  return {spec, std::filesystem::path(spec).filename().string()};
}

std::vector<std::string> specs_of(std::span<const ComparedModel> models) {
  std::vector<std::string> specs;
  for (const ComparedModel& model : models) specs.push_back(model.spec);
  return specs;
}

Result<ComparedModel*> model_named(const std::string& name, std::vector<ComparedModel>& models) {
  ComparedModel* found = nullptr;
  for (ComparedModel& model : models) {
    if (std::ranges::count(names_of_model(model), name) == 0) continue;
    if (model.spec == name) return &model;
    if (found != nullptr) {
      return bad_input("'", name, "' is ", found->spec, " and ", model.spec, "; give one of these");
    }
    found = &model;
  }
  if (found != nullptr) return found;
  std::vector<std::string> names;
  for (const ComparedModel& model : models) {
    for (std::string& each : names_of_model(model)) names.push_back(std::move(each));
  }
  return bad_input("'", name, "' is none of the models", did_you_mean(name, names),
                   "; there are: ", join(specs_of(models)));
}

// A number of at most 1 may be meant as a part of 1: it takes its sign.
Result<double> percentage(std::string_view text) {
  const bool marked = text.ends_with('%');
  const std::string_view digits = text.substr(0, text.size() - (marked ? 1 : 0));
  double value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  const bool number = error == std::errc() && end == digits.end();
  if (number && value >= 0 && value <= 100 && (marked || value > 1)) return value;
  return bad_input("'", text, "' is no percentage, expected such as 77.1 or 77.1%");
}

Status give_accuracy(const std::string& text, std::vector<ComparedModel>& models) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos) return bad_input("expected NAME=77.1");
  HONE_TRY(const double value, percentage(std::string_view(text).substr(equals + 1)));
  HONE_TRY(ComparedModel* const model, model_named(text.substr(0, equals), models));
  if (model->accuracy) return bad_input(model->spec, " has one already");
  model->accuracy = value;
  return Done{};
}

// By what is shown: a path only where names are alike.
std::string label_of(const ComparedModel& model, std::span<const ComparedModel> models) {
  const auto alike = std::ranges::count_if(
      models, [&](const ComparedModel& other) { return other.model.name == model.model.name; });
  return alike > 1 ? model.spec : model.model.name;
}

}  // namespace

Status give_accuracies(const std::vector<std::string>& given, std::vector<ComparedModel>& models) {
  for (const std::string& text : given) {
    HONE_RETURN_IF_ERROR(give_accuracy(text, models).in(text));
  }
  return Done{};
}

Result<ModelComparison> compare_models(std::span<const ComparedModel> models,
                                       const CompareRequest& request,
                                       std::optional<double> max_latency_ms) {
  ModelComparison comparison{.max_latency_ms = max_latency_ms};
  std::optional<Error> first;
  bool any = false;
  for (const ComparedModel& each : models) {
    CompareRequest own = request;
    own.accuracy = each.accuracy;
    const std::string label = label_of(each, models);
    HONE_TRY(TriedDevices tried, try_devices(each.model, own).in(label));
    any = any || !tried.failure;
    if (tried.failure && !first) first = std::move(*tried.failure).in(label);
    tried.comparison.model = label;
    comparison.models.push_back(std::move(tried.comparison));
  }
  if (models.empty()) return bad_input("no models to compare");
  if (!any) return *std::move(first);
  rank_models(comparison);
  return comparison;
}

}  // namespace hone
