#include <algorithm>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Of a layer's time, what it takes longer than if all threads that can compute it had as much of it each and were
// there at once.
double idle_us(const Evidence& in, size_t s) {
  constexpr double kMuch = 0.2;  // Of a layer's cycles.
  const double threads = dsp_count(in, s, "threads");
  if (threads <= 1) return 0;
  const double cycles = dsp_count(in, s, "cycles");
  const double busy = packets_of(in, s) + dsp_count(in, s, "stalls");
  const double idle = cycles - dsp_count(in, s, "waits") - busy / threads;
  return idle > kMuch * cycles ? in.step(s).us * idle / cycles : 0;
}

void check_dsp_thread_imbalance(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) { return idle_us(in, s) > 0; });
  double idle = 0;
  for (const size_t s : steps) idle += idle_us(in, s);
  if (idle <= 0) return;
  const auto whole =
      std::ranges::count_if(steps, [&](size_t s) { return dsp_count(in, s, "parts") <= 1; });
  const auto uneven = std::ssize(steps) - whole;
  Finding finding;
  finding.title =
      str("threads stand idle ", share_of_run(in, idle),
          " of the run: ", count_of(static_cast<size_t>(whole), "layer"), " on one of them, ",
          count_of(static_cast<size_t>(uneven), "layer"), " in uneven or short parts");
  finding.evidence = {time_evidence("time", sum_us(in, steps)), time_evidence("idle", idle),
                      emulated_evidence("packets", dsp_count(in, steps, "packets"))};
  finding.steps = steps;
  finding.fix =
      "rows of images that the threads divide evenly, or as many panels of 128 channels as there "
      "are threads; layers on one thread have neither, or are too short to pay for waking others: "
      "join them with their neighbours, or run the network on fewer threads and several at a time";
  finding.gain = predicted_gain(idle, 2);
  finding.formula = str("all of ", fixed(idle, 1),
                        " us by which they take longer than their packets shared out evenly");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_thread_imbalance = {
    .id = "dsp_thread_imbalance",
    .summary = "Layers that the threads of a DSP share unevenly, or that one computes alone.",
    .bound = Bound::Imbalance,
    .on = RuleFor::Dsp,
    .check = check_dsp_thread_imbalance,
};

}  // namespace hone
