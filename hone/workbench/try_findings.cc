#include "hone/workbench/try_findings.h"

#include <algorithm>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/remedy_def.h"
#include "hone/analyze/rule_def.h"
#include "hone/base/text.h"
#include "hone/profile/compare_programs.h"
#include "hone/workbench/predicted_int8.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/workbench/same_interface.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

// What another measurement of the same may differ by, as part of the run.
constexpr double kRepeats = 0.03;

bool is_about_int8(const Finding& finding) {
  return finding.rule == "int8_would_pay" || finding.rule == "gpu_int8_would_pay";
}

struct Changed {
  std::unique_ptr<Graph> graph;
  CompileOptions options;
  IoChange io = {};
};

struct Tried {
  Comparison comparison;
  bool emulated = false;  // Both ran in an emulator of the device.
};

Prescription prescription_of(Changed& changed) {
  return {changed.graph.get(), &changed.options, &changed.io};
}

class Trier {
 public:
  Trier(const Graph& graph, const ProfileRequest& request, const TryOptions& options,
        const std::function<void(const std::string&)>& progress)
      : graph_(graph), request_(request), options_(options), progress_(progress) {}

  // Nothing when Hone cannot do by itself what the finding advises.
  Result<std::optional<Tried>> try_finding(const Finding& finding) {
    if (const std::optional<double> batch = batch_of(finding)) return try_batch(finding, *batch);
    HONE_TRY(std::optional<Changed> changed, follow(finding));
    if (!changed) return std::optional<Tried>();
    tell(finding);
    const std::vector<Item> inputs = as_taken(changed->io, request_.inputs);
    HONE_TRY(const std::unique_ptr<Program> before, compile({graph_.clone(), request_.compile}));
    HONE_TRY(const std::unique_ptr<Program> after, compile(std::move(*changed)));
    HONE_TRY(const Tried tried, compare({*before, request_.inputs}, {*after, inputs}));
    return std::optional(tried);
  }

 private:
  // As the profile was made: by what an emulator counts, where it runs both of them.
  Result<Tried> compare(const Contestant& before, const Contestant& after) const {
    const Emulation one = emulated(before), other = emulated(after);
    const bool both = one.program != nullptr && other.program != nullptr;
    HONE_TRY(const Comparison comparison,
             compare_programs({both ? *one.program : before.program, before.inputs, before.batch},
                              {both ? *other.program : after.program, after.inputs, after.batch},
                              options_.seconds, options_.least_part));
    return Tried{comparison, both};
  }
  Emulation emulated(const Contestant& contestant) const {
    if (!request_.emulate) return {};
    Result<Emulation> emulation = contestant.program.emulate(contestant.inputs);
    return emulation.ok() ? std::move(*emulation) : Emulation{};
  }

  // How many inputs at a time a finding advises, where they can be had.
  std::optional<double> batch_of(const Finding& finding) const {
    const Metric* batch = find_metric(finding.evidence, kBatchEvidence);
    return options_.batched && batch != nullptr ? batch->value : std::nullopt;
  }

  // What one input takes among several.
  Result<std::optional<Tried>> try_batch(const Finding& finding, double batch) {
    HONE_TRY(Model larger, options_.batched(static_cast<int64_t>(batch)));
    tell(finding);
    HONE_TRY(const std::vector<Item> inputs, make_inputs(larger.graph, {}, request_.seed));
    HONE_TRY(const std::unique_ptr<Program> before, compile({graph_.clone(), request_.compile}));
    HONE_TRY(const std::unique_ptr<Program> after,
             compile({larger.graph.clone(), request_.compile}));
    HONE_TRY(const Tried tried, compare({*before, request_.inputs}, {*after, inputs, batch}));
    return std::optional(tried);
  }

  void tell(const Finding& finding) const {
    if (progress_) progress_(str("try ", finding.rule));
  }

  Result<std::optional<Changed>> follow(const Finding& finding) {
    Changed changed{graph_.clone(), request_.compile};
    if (is_about_int8(finding)) {
      HONE_TRY(*changed.graph, in_int8());
      return std::optional(std::move(changed));
    }
    if (finding.hint.kind == HintKind::Threads) {
      std::string threads = finding.hint.of;
      HONE_RETURN_IF_ERROR(
          find_remedy("set_threads")->apply(prescription_of(changed), nullptr, threads));
      return std::optional(std::move(changed));
    }
    if (finding.hint.kind == HintKind::Precision) {
      std::string precision;
      HONE_RETURN_IF_ERROR(
          find_remedy("use_precision")->apply(prescription_of(changed), &finding, precision));
      return std::optional(std::move(changed));
    }
    bool followed = false;
    for (const RemedyDef* remedy : all_remedies()) {
      if (!remedy->answers(finding.rule)) continue;
      std::string setting;
      HONE_TRY(const bool applied, remedy->apply(prescription_of(changed), &finding, setting));
      followed = followed || applied;
    }
    return followed ? std::optional(std::move(changed)) : std::nullopt;
  }

  Result<Graph> in_int8() const {
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    Model model;
    model.graph = std::move(*graph_.clone());
    HONE_TRY(Model quantized, quantize_for_device(model, *target, nullptr));
    return std::move(quantized.graph);
  }

  Result<std::unique_ptr<Program>> compile(Changed changed) const {
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    return target->open()->compile(std::move(*changed.graph), changed.options);
  }

  const Graph& graph_;
  const ProfileRequest& request_;
  const TryOptions& options_;
  const std::function<void(const std::string&)>& progress_;
};

// As part of the run that was profiled: the machine may have been slower or faster since.
void say_what_was_gained(const Tried& tried, const Profile& profile, Finding& finding) {
  const Comparison& comparison = tried.comparison;
  const bool measured = comparison.mode == Mode::Measured;
  const double slack = measured ? kRepeats * comparison.ms_a : 0;
  const double scale = median_ms(profile) / comparison.ms_a;
  finding.gain = {.name = "gain",
                  .value = scale * comparison.gain_ms,
                  .unit = "ms",
                  .mode = comparison.mode,
                  .n = comparison.n,
                  .low = scale * std::min(comparison.low_gain_ms - slack, comparison.turns.low),
                  .high = scale * std::max(comparison.high_gain_ms + slack, comparison.turns.high)};
  // Integers take the same time with any scales.
  const bool made_up = is_about_int8(finding);
  finding.formula =
      str("tried: ", millis(comparison.ms_a), " to ", millis(comparison.ms_a - comparison.gain_ms),
          " ms", made_up ? " with made-up scales, " : ", ");
  finding.formula +=
      measured ? str(comparison.n,
                     " alternating turns; the interval holds four of five of them and leaves ",
                     fixed(100 * kRepeats, 0), " % of the run for another measurement")
               : std::string(mode_name(comparison.mode));
  if (is_dsp_run(profile)) {
    finding.formula += tried.emulated ? " by what an emulator counts of both"
                                      : " by rooflines: one of them was not run in the emulator, "
                                        "whose packets the time of the run is made of";
  }
  finding.confidence =
      comparison.change == Change::Faster && *finding.gain.low > 0 ? "high" : "low";
  cap_at_steps(profile, finding);
  if (finding.subject.empty()) return;
  finding.title = title_of_saving(finding.subject, comparison.gain_ms / comparison.ms_a);
}

// What may be either stays, with an interval that says so; what rather loses does not.
bool is_refuted(const Comparison& comparison) {
  return comparison.change == Change::Same || comparison.change == Change::Slower ||
         comparison.gain_ms <= 0;
}

// No roof tells what layers of a network reach in another precision as well as running them.
bool is_about_precision(const Finding& finding) {
  return is_about_int8(finding) || finding.rule == "wide_precision" ||
         finding.rule == "gpu_fp32_products";
}

}  // namespace

Status try_findings(const Graph& graph, const ProfileRequest& request, const TryOptions& options,
                    Diagnosis& diagnosis, const std::function<void(const std::string&)>& progress) {
  Trier trier(graph, request, options, progress);
  std::vector<Finding> kept;
  size_t left = options.most;
  for (Finding& finding : diagnosis.findings) {
    const bool besides = options.precisions && is_about_precision(finding);
    std::optional<Tried> tried;
    if ((besides || left > 0) && finding.gain.value) {
      // What cannot be done stays a prediction.
      if (auto outcome = trier.try_finding(finding); outcome.ok()) tried = *outcome;
    }
    if (tried) {
      if (!besides) --left;
      ++diagnosis.tried;
      say_what_was_gained(*tried, diagnosis.profile, finding);
    }
    (tried && is_refuted(tried->comparison) ? diagnosis.refuted : kept)
        .push_back(std::move(finding));
  }
  if (options.precisions && std::ranges::none_of(kept, is_about_int8)) {
    if (progress) progress("try int8_would_pay");
    const auto int8 = predicted_int8(graph, request, diagnosis.profile);
    // What cannot be quantized cannot be told.
    if (int8.ok() && *int8) {
      ++diagnosis.tried;
      const double least_ms = options.least_part * median_ms(diagnosis.profile);
      (*(*int8)->gain.value > least_ms ? kept : diagnosis.refuted).push_back(**int8);
    }
  }
  diagnosis.findings = std::move(kept);
  rank_findings(diagnosis.findings);
  return Done{};
}

}  // namespace hone
