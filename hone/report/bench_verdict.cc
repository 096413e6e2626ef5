#include "hone/report/bench_verdict.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

std::string ms_of(const BenchedNetwork& network) {
  return human_duration(*network.result->latency.value * 1e-3);
}

// The fastest first.
std::vector<const BenchedNetwork*> by_time(const BenchRun& run) {
  std::vector<const BenchedNetwork*> timed;
  for (const BenchedNetwork& network : run.networks) {
    if (network.result && network.result->latency.value.value_or(0) > 0) timed.push_back(&network);
  }
  std::ranges::stable_sort(
      timed, {}, [](const BenchedNetwork* network) { return *network->result->latency.value; });
  return timed;
}

// Whether the first is faster than the second beyond what runs differ by.
std::string chance_clause(const BenchResult& first, const BenchResult& second) {
  if (!certain_range(first) || !certain_range(second)) return "";
  return surely_faster(first, second)
             ? "; their 95 % intervals part: this is no chance"
             : "; their 95 % intervals overlap: which of the two is faster may be chance";
}

std::string alone_text(const BenchedNetwork& network) {
  const auto range = certain_range(*network.result);
  return str(label_of(network), " takes ", ms_of(network),
             range ? str(" (", interval_text(range->low_ms, range->high_ms), ")") : "");
}

// Of networks that nothing tells apart.
std::string alike_text(const std::vector<const BenchedNetwork*>& timed) {
  return str("none of the ", timed.size(), " is surely the fastest: their 95 % intervals overlap, ",
             label_of(*timed.front()), " ", ms_of(*timed.front()), " to ", label_of(*timed.back()),
             " ", ms_of(*timed.back()));
}

std::string fastest_text(const std::vector<const BenchedNetwork*>& timed) {
  const BenchedNetwork &first = *timed[0], &second = *timed[1];
  if (!surely_faster(*first.result, *timed.back()->result)) return alike_text(timed);
  const double times = *second.result->latency.value / *first.result->latency.value;
  return str(label_of(first), " is the fastest of ", timed.size(), ", ", ms_of(first), ", and ",
             fixed(times, 2), " times as fast as ", label_of(second), ", ", ms_of(second),
             chance_clause(*first.result, *second.result));
}

}  // namespace

std::string label_of(const BenchedNetwork& network) {
  const bool known = network.result && !network.result->precision.empty();
  return known ? str(network.model, " in ", network.result->precision) : network.model;
}

std::string bench_verdict(const BenchRun& run) {
  const std::vector<const BenchedNetwork*> timed = by_time(run);
  const size_t failed = run.networks.size() - timed.size();
  if (timed.empty()) return "no network could be timed";
  return str(timed.size() == 1 ? alone_text(*timed[0]) : fastest_text(timed), "; ",
             mode_name(run.mode), " on ", run.machine.empty() ? run.target : run.machine,
             failed == 0 ? "" : str("; ", failed, " could not be timed"));
}

}  // namespace hone
