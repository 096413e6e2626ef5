#include "hone/workbench/predicted_int8.h"

#include <algorithm>
#include <cmath>

#include "hone/analyze/rule_def.h"
#include "hone/base/text.h"
#include "hone/workbench/quantize_for_device.h"

namespace hone {
namespace {

bool multiplies_integers(const Profile& profile) {
  return std::ranges::any_of(profile.steps, [](const StepProfile& step) {
    return step.kind.precision == Arithmetic::Int8 && step.macs > 0;
  });
}

bool has_interval(const Metric& latency) {
  return latency.low && latency.high && *latency.low > 0;
}

// Of the logarithm, half of the interval.
double log_width(const Metric& latency) {
  return std::log(*latency.high / *latency.low) / 2;
}

// Nobody knows how far the errors of two classes of measurements go together: as if they did not.
Metric gain_between(const Metric& now, const Metric& in_int8) {
  Metric gain = {
      .name = "gain", .value = *now.value - *in_int8.value, .unit = "ms", .mode = Mode::Predicted};
  if (!has_interval(now) || !has_interval(in_int8)) return gain;
  const double apart = std::exp(std::hypot(log_width(now), log_width(in_int8)));
  gain.low = *now.value - *in_int8.value * apart;
  gain.high = *now.value - *in_int8.value / apart;
  return gain;
}

Result<std::optional<Metric>> time_in_int8(const Graph& graph, const ProfileRequest& request,
                                           const TargetDef& target) {
  Model model;
  model.graph = std::move(*graph.clone());
  HONE_TRY(Model quantized, quantize_for_device(model, target, nullptr));
  HONE_TRY(const Compiled compiled, compile_model(quantized, request));
  const auto run = compiled.program->modelled();
  if (!run || !run->latency.value) return std::optional<Metric>();
  return std::optional(run->latency);
}

}  // namespace

Result<std::optional<Finding>> predicted_int8(const Graph& graph, const ProfileRequest& request,
                                              const Profile& profile) {
  HONE_TRY(const TargetDef* target, find_target(request.target));
  const Metric* now = typical_latency(profile);
  const bool predicted = target->mode == Mode::Predicted && now != nullptr && now->value &&
                         now->mode == Mode::Predicted;
  if (!predicted || target->integers == nullptr || multiplies_integers(profile)) {
    return std::optional<Finding>();
  }
  HONE_TRY(const std::optional<Metric> narrow, time_in_int8(graph, request, *target));
  if (!narrow) return std::optional<Finding>();
  Finding finding;
  finding.rule = "int8_would_pay";
  finding.bound = Bound::Compute;
  finding.option = true;
  finding.subject = str("int8 instead of ", name_of(request.compile.precision));
  finding.title = title_of_saving(finding.subject, 1 - *narrow->value / *now->value);
  finding.evidence = {
      {.name = "time", .value = 1e3 * *now->value, .unit = "us", .mode = Mode::Predicted},
      {.name = "in_int8", .value = 1e3 * *narrow->value, .unit = "us", .mode = Mode::Predicted}};
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    if (profile.steps[s].macs > 0) finding.steps.push_back(s);
  }
  finding.fix =
      "quantize the model with data of its own, which takes three quarters off its weights too, "
      "and validate the accuracy";
  finding.gain = gain_between(*now, *narrow);
  finding.formula =
      str("tried: ", millis(*now->value), " to ", millis(*narrow->value),
          " ms with made-up scales, predicted; ",
          finding.gain.low ? "the interval takes the errors of both predictions for independent"
                           : "how far that may be off is not known");
  finding.confidence = finding.gain.low && *finding.gain.low > 0 ? "medium" : "low";
  return std::optional(std::move(finding));
}

}  // namespace hone
