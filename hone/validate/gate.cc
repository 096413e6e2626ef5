#include "hone/validate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/base/percent.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr int kDigits = 2;  // Of percentages: budgets are often of single percents.

std::string from(Mode mode, int64_t n) {
  return str(mode_name(mode), ", n ", n);
}

std::string joules(double value) {
  if (value >= 1) return str(fixed(value, 3), " J");
  return value >= 1e-3 ? str(fixed(1e3 * value, 3), " mJ") : str(fixed(1e6 * value, 3), " uJ");
}

}  // namespace

Verdict verdict_of(const std::vector<GateRow>& rows) {
  const auto any = [&](Verdict verdict) {
    return std::ranges::count(rows, verdict, &GateRow::verdict) > 0;
  };
  if (any(Verdict::Fail)) return Verdict::Fail;
  return any(Verdict::Inconclusive) ? Verdict::Inconclusive : Verdict::Pass;
}

Verdict verdict_of(const Validation& validation) {
  if (validation.expected && !validation.expected->within) return Verdict::Fail;
  return verdict_of(validation.gate);
}

std::string metric_number(double value) {
  if (!std::isfinite(value)) return str(value);
  const bool small = value != 0 && std::abs(value) < 1e-3;
  return small ? fmt::format("{:.2e}", value) : fixed(value, 4);
}

double drop_of(const Metric& metric, const Metric& reference, bool more_is_better) {
  const double change = *reference.value - *metric.value;
  return more_is_better ? change : -change;
}

GateRow accuracy_row(const Metric& metric, const Metric& reference, bool more_is_better,
                     const DropLimit& limit) {
  GateRow row{.what = "accuracy", .from = from(metric.mode, metric.n)};
  row.asked = str(more_is_better ? "drop of " : "rise of ", metric.name, " at most ", limit.text);
  const bool known = std::isfinite(*metric.value) && std::isfinite(*reference.value);
  // What is infinite both times, as the PSNR of equal images, has not changed.
  const double drop = known ? drop_of(metric, reference, more_is_better)
                      : *metric.value == *reference.value ? 0
                                                          : INFINITY;
  double reached = drop;
  if (limit.relative && drop != 0) reached = drop / std::abs(*reference.value);
  // The drop of a few samples of many is not exact in binary.
  row.verdict = reached <= limit.value + 1e-12 ? Verdict::Pass : Verdict::Fail;
  row.reached =
      str(limit.relative               ? percent(reached, kDigits)
          : limit.text.ends_with("pt") ? str(fixed(100 * reached, 2), " pt")
                                       : metric_number(reached),
          " (", metric_number(*reference.value), " -> ", metric_number(*metric.value), ")");
  return row;
}

std::string grain_note(const Metric& metric, const Metric& reference, const DropLimit& limit) {
  constexpr std::string_view kShares[] = {"top1", "top5", "agreement"};
  const bool share = std::ranges::find(kShares, metric.name) != std::end(kShares);
  if (!share || metric.n < 1) return "";
  const double one = 1 / static_cast<double>(metric.n);
  const double most = limit.relative ? limit.value * *reference.value : limit.value;
  if (one <= most) return "";
  return str("one of ", metric.n, metric.n == 1 ? " sample" : " samples", " is ",
             fixed(100 * one, 2), " pt of ", metric.name,
             ": so few do not tell whether the limit holds for others");
}

std::string chance_note(const Metric& agreement, const Metric& metric, const Metric& reference) {
  const double most = 1 - std::abs(*metric.value - *reference.value);
  if (!(*agreement.value < most / 2)) return "";
  return str(percent(*agreement.value), " of the samples have the reference's answer, where ",
             percent(most), " could: ", metric.name, " may hold by chance");
}

GateRow latency_row(const Latency& latency, double limit_seconds, Mode mode) {
  GateRow row{.what = "latency", .from = from(mode, latency.n)};
  row.asked = str("median at most ", human_duration(limit_seconds));
  row.reached = str(human_duration(1e-3 * latency.ms), " (", human_duration(1e-3 * latency.low),
                    " to ", human_duration(1e-3 * latency.high), ")");
  row.verdict = judge_interval(latency.low, latency.high, 1e3 * limit_seconds);
  if (row.verdict == Verdict::Inconclusive) {
    row.why =
        str("the limit is inside what the median may be: the program differs from itself by "
            "up to ",
            percent(latency.noise, kDigits));
  }
  return row;
}

GateRow modelled_latency_row(const Metric& latency, double limit_seconds,
                             const std::vector<std::string>& uncovered) {
  GateRow row{.what = "latency", .from = std::string(mode_name(latency.mode))};
  row.asked = str("at most ", human_duration(limit_seconds));
  if (!latency.value) {
    row.reached = "unknown";
    row.why = latency.note;
    return row;
  }
  const double low = latency.low.value_or(*latency.value);
  const double high = latency.high.value_or(*latency.value);
  row.reached = human_duration(1e-3 * *latency.value);
  if (low < high) {
    row.reached += str(" (", human_duration(1e-3 * low), " to ", human_duration(1e-3 * high), ")");
  }
  row.verdict = judge_interval(low, high, 1e3 * limit_seconds);
  if (row.verdict == Verdict::Inconclusive) {
    row.why = str("the limit is inside what the device's model may be off by: ", latency.note);
  }
  if (uncovered.empty()) return row;
  if (row.verdict == Verdict::Pass) row.verdict = Verdict::Inconclusive;
  row.why = row.why.empty() ? join(uncovered, "; ") : str(row.why, "; ", join(uncovered, "; "));
  return row;
}

GateRow fit_row(const std::string& misfit) {
  return {.what = "fit",
          .asked = "in the device's memory",
          .reached = "does not fit",
          .from = "exact",
          .verdict = Verdict::Fail,
          .why = misfit};
}

GateRow without_fit(GateRow row) {
  row.reached = "none: does not fit";
  row.verdict = Verdict::Fail;
  row.why.clear();
  return row;
}

GateRow slowdown_row(const Slowdown& slowdown, const SlowdownLimits& limits, const std::string& how,
                     Mode mode) {
  GateRow row{.what = "slowdown"};
  row.asked = str("at most ", percent(limits.part, kDigits));
  if (limits.ms > 0) row.asked += str(" if over ", human_duration(1e-3 * limits.ms));
  row.reached = str(percent(slowdown.part, kDigits),
                    slowdown.of_blocks ? ", median of ratios (medians " : " (",
                    human_duration(1e-3 * slowdown.base_ms), " -> ",
                    human_duration(1e-3 * slowdown.candidate_ms), ")");
  row.from = str(mode_name(mode), ", ", how);
  row.verdict = slowdown.verdict;
  row.why = slowdown.why;
  return row;
}

GateRow bytes_row(const std::string& what, std::optional<uint64_t> bytes, double limit,
                  const std::string& counted, const std::string& missing) {
  const auto text = [](uint64_t count) { return str(human_bytes(count), " (", count, " B)"); };
  GateRow row{.what = what, .from = "exact", .why = counted};
  row.asked = str("at most ", text(static_cast<uint64_t>(limit)));
  if (!bytes) {
    row.reached = "unknown";
    row.why = missing;
    return row;
  }
  row.reached = text(*bytes);
  row.verdict = static_cast<double>(*bytes) <= limit ? Verdict::Pass : Verdict::Fail;
  return row;
}

GateRow energy_row(const Metric& energy, double limit_joules) {
  GateRow row{.what = "energy"};
  row.asked = str("a run at most ", joules(limit_joules));
  row.from = from(energy.mode, energy.n);
  if (!energy.value) {
    row.reached = "unknown";
    row.from = "unavailable";
    row.why = energy.note;
    return row;
  }
  const double low = 1e-3 * energy.low.value_or(*energy.value);
  const double high = 1e-3 * energy.high.value_or(*energy.value);
  row.reached = joules(1e-3 * *energy.value);
  if (energy.low && energy.high) row.reached += str(" (", joules(low), " to ", joules(high), ")");
  row.verdict = judge_interval(low, high, limit_joules);
  row.why = energy.note;
  return row;
}

}  // namespace hone
