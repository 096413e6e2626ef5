#include <algorithm>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Such a load or store takes both slots for memory, and what moves elements within vectors besides.
constexpr double kUnalignedMany = 0.1;  // Of packets.
constexpr double kUnalignedSaved = 0.5;

void check_dsp_unaligned(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return dsp_count(in, s, "unaligned_accesses") > kUnalignedMany * packets_of(in, s);
  });
  double saved = 0;
  for (const size_t s : steps) {
    saved += kUnalignedSaved * in.step(s).us * dsp_count(in, s, "unaligned_accesses") /
             packets_of(in, s);
  }
  if (saved <= 0) return;
  const double accesses = dsp_count(in, steps, "unaligned_accesses");
  const double packets = dsp_count(in, steps, "packets");
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "layer"), " load or store vectors that are not aligned in ",
          fixed(100 * accesses / packets, 0), " % of their packets");
  finding.evidence = {time_evidence("time", sum_us(in, steps)),
                      emulated_evidence("packets", packets),
                      emulated_evidence("unaligned_accesses", accesses)};
  finding.steps = steps;
  finding.fix =
      "channels in multiples of 128, or as many as make whole vectors of a row; inputs and outputs "
      "of the network aligned to "
      "128 bytes";
  finding.gain = predicted_gain(saved, 2);
  finding.formula = "half a packet for every such load or store";
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_unaligned = {
    .id = "dsp_unaligned",
    .summary =
        "Layers that load or store vectors which are not aligned in a tenth of their packets.",
    .bound = Bound::Memory,
    .on = RuleFor::Dsp,
    .check = check_dsp_unaligned,
};

}  // namespace hone
