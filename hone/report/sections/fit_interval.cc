#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/fitted_device.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks fit_interval_blocks(const FittedDevice& fit, const ShowOptions&) {
  const CalibrationFit& found = *fit.device.fit;
  const auto count = [](double x) { return human_count(static_cast<int64_t>(x)); };
  Facts facts;
  for (const FittedInterval& interval : fit.intervals) {
    facts.items.push_back(
        {interval.of.empty() ? "interval" : str("interval, ", interval.of),
         str("a factor of ", fixed(1 + interval.error, 3), " either way: ", interval.how)});
  }
  // Devices of a class say with every prediction how far it is from what was seen.
  if (found.most_macs > 0) {
    facts.items.push_back(
        {"covers", str(count(found.least_macs), " to ", count(found.most_macs), " MACs, ",
                       count(found.least_bytes), " to ", count(found.most_bytes),
                       " bytes moved; predictions outside of that say so")});
  }
  Sentences notes;
  for (const std::string& note : fit.notes) notes.lines.push_back("note: " + note);
  return {facts, notes};
}

}  // namespace

extern const SectionDef section_fit_interval = {.title = "How far predictions may be off",
                                                .of_fit = fit_interval_blocks};

}  // namespace hone
