#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

// Empty where nothing is known of it.
std::string latency_text(const Profile& profile) {
  const Metric* typical = typical_latency(profile);
  if (typical == nullptr) {
    const Metric* median = find_metric(profile.latency, "median");
    return median == nullptr ? "" : describe(*median);
  }
  std::string text = str(typical->name, " ", millis(*typical->value), " ms");
  if (typical->low && typical->high) {
    text += str(profile.mode == Mode::Measured ? " (95 % interval " : " (", millis(*typical->low),
                " to ", millis(*typical->high), ")");
  }
  for (const char* name : {"min", "p90", "p99", "max"}) {
    const Metric* metric = find_metric(profile.latency, name);
    if (metric != nullptr && metric->value) text += str(", ", name, " ", millis(*metric->value));
  }
  const Metric* cov = find_metric(profile.latency, "cov");
  if (cov != nullptr && cov->value) text += str(", CoV ", fixed(*cov->value, 3));
  return text + str(", n ", typical->n, "; ", mode_name(profile.mode));
}

std::string phases_text(const Profile& profile) {
  std::vector<std::string> parts;
  for (const Metric& phase : profile.phases) {
    if (phase.value) parts.push_back(str(phase.name, " ", human_duration(*phase.value * 1e-3)));
  }
  if (parts.empty()) return "";
  // Those of a modelled run are of the machine that models it.
  const bool modelled = profile.mode != Mode::Measured;
  if (!modelled) parts.push_back(str("steady ", human_duration(median_ms(profile) * 1e-3)));
  return str(join(parts), modelled ? " (measured here)" : "");
}

Blocks latency_blocks(const ReportRun& run, const ShowOptions& show) {
  const Profile& profile = run.profile;
  Facts facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.items.emplace_back(name, value);
  };
  add("latency", latency_text(profile));
  add("phases", phases_text(profile));
  add("copies", profile.copies);
  if (show.page && profile.unstable.empty()) add("stability", stability(profile));
  return facts.items.empty() ? Blocks{} : Blocks{facts};
}

}  // namespace

extern const SectionDef section_latency = {.title = "Latency", .of_run = latency_blocks};

}  // namespace hone
