#include <algorithm>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/analyze/rule_def.h"
#include "hone/base/check.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"

namespace hone {

#define HONE_RULE(name) extern const RuleDef rule_##name;
#include "hone/analyze/rules.inc"
#undef HONE_RULE

const std::vector<const RuleDef*>& all_rules() {
  static const std::vector<const RuleDef*> kRules = {
#define HONE_RULE(name) &rule_##name,
#include "hone/analyze/rules.inc"
#undef HONE_RULE
  };
  return kRules;
}

double Evidence::run_us() const {
  return 1e3 * median_ms(profile);
}

size_t Evidence::producer_of(const Value* value) const {
  for (size_t s = 0; s < nodes.size(); ++s) {
    if (value != nullptr && nodes[s] == value->producer) return s;
  }
  return kNone;
}

namespace {

bool asks_about(RuleFor on, const Profile& profile) {
  switch (on) {
    case RuleFor::Any:
      return true;
    case RuleFor::Measured:
      return profile.mode == Mode::Measured && !is_gpu_run(profile);
    case RuleFor::Processor:
      return !has_engines(profile) && !is_gpu_run(profile);
    case RuleFor::Npu:
      return has_engines(profile);
    case RuleFor::Gpu:
      return is_gpu_run(profile);
    case RuleFor::Dsp:
      return is_dsp_run(profile);
  }
  HONE_CHECK(false, "no such subject");
}

// Others are about steps, and save no more than those take.
bool is_about_waiting(Bound bound) {
  return bound == Bound::Launch || bound == Bound::Transfer || bound == Bound::Fallback;
}

// Nothing saves more than there is: the run, less what other programs' GPUs do in steps that the
// finding does not touch.
void cap_at_run(const Evidence& in, Finding& finding) {
  Metric& gain = finding.gain;
  if (gain.high) gain.high = std::min(*gain.high, 1e-3 * in.run_us());
  if (!is_gpu_run(in.profile) || is_own_gpu_run(in.profile)) return;
  const double stays = covered_us(in, other_steps(in, finding.steps));
  double most_ms = 1e-3 * std::max(0.0, in.run_us() - stays);
  if (!is_about_waiting(finding.bound))
    most_ms = std::min(most_ms, 1e-3 * sum_us(in, finding.steps));
  for (std::optional<double>* ms : {&gain.value, &gain.low, &gain.high}) {
    if (*ms) *ms = std::min(**ms, most_ms);
  }
}

// What is Hone's to set does not help a program that another tool watched.
void forget_settings(const Evidence& in, Finding& finding) {
  if (is_gpu_run(in.profile) && !is_own_gpu_run(in.profile)) finding.hint = {};
}

}  // namespace

std::vector<Finding> diagnose(const Evidence& evidence, double least_part) {
  std::vector<Finding> findings;
  for (const RuleDef* rule : all_rules()) {
    if (!asks_about(rule->on, evidence.profile)) continue;
    const size_t before = findings.size();
    rule->check(evidence, findings);
    for (size_t i = before; i < findings.size(); ++i) {
      findings[i].rule = rule->id;
      findings[i].bound = rule->bound;
      findings[i].option = rule->option;
      cap_at_run(evidence, findings[i]);
      forget_settings(evidence, findings[i]);
      // Times of steps come from where the profile has them.
      for (Metric& metric : findings[i].evidence) {
        if (metric.mode == Mode::Measured) metric.mode = evidence.profile.mode;
      }
    }
  }
  const double least_ms = least_part * evidence.run_us() * 1e-3;
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.gain.value && *finding.gain.value < least_ms;
  });
  rank_findings(findings);
  return findings;
}

void rank_findings(std::vector<Finding>& findings) {
  // Gains of options are below those of flaws, and no gain is below both. A gain that may be a loss
  // is below those that are none.
  const auto rank = [](const Finding& finding) {
    const int kind = !finding.gain.value ? 0 : finding.option ? 1 : 2;
    const double gain = finding.gain.value.value_or(0);
    return std::pair(kind, std::min(gain, finding.gain.low.value_or(gain) > 0 ? gain : 0));
  };
  std::ranges::stable_sort(findings, std::ranges::greater{}, rank);
}

void cap_at_steps(const Profile& profile, Finding& finding) {
  if (!finding.removes) return;
  double most_ms = 0;
  for (const size_t s : finding.steps) most_ms += profile.steps[s].us * 1e-3;
  Metric& gain = finding.gain;
  if (*gain.value > most_ms) finding.formula += "; no more is told than the steps take";
  for (std::optional<double>* ms : {&gain.value, &gain.low, &gain.high}) {
    *ms = std::min(**ms, most_ms);
  }
}

std::string title_of_saving(const std::string& subject, double part) {
  return str(subject, " would save ", fixed(100 * part, 1), " % of the run");
}

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::Compute:
      return "compute";
    case Bound::Memory:
      return "memory";
    case Bound::Launch:
      return "launch";
    case Bound::Fallback:
      return "fallback";
    case Bound::Layout:
      return "layout";
    case Bound::Transfer:
      return "transfer";
    case Bound::Conversion:
      return "conversion";
    case Bound::Imbalance:
      return "imbalance";
    case Bound::SmallWork:
      return "small work";
    case Bound::FirstRun:
      return "first run";
    case Bound::Capacity:
      return "capacity";
    case Bound::Measurement:
      return "measurement";
  }
  HONE_CHECK(false, "no such bound");
}

}  // namespace hone
