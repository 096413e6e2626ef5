// What diagnose says: one sentence with a number, the evidence, and what would fix it by how much.
#pragma once

#include <string>
#include <vector>

#include "hone/base/hint.h"
#include "hone/base/metric.h"

namespace hone {

// What holds a part of a run back.
enum class Bound {
  Compute,
  Memory,
  Launch,       // Starting work costs more than the work.
  Fallback,     // Runs somewhere slower than the target.
  Layout,       // Elements are moved into another order.
  Transfer,     // Copies between memories or devices.
  Conversion,   // Elements are turned into another type.
  Imbalance,    // Threads wait for each other.
  SmallWork,    // Too little work to fill vectors or threads.
  FirstRun,     // Only until the network is warm.
  Capacity,     // Memory that must be there at once.
  Measurement,  // Of the measurement itself.
};
std::string_view name_of(Bound bound);  // "compute", "small work", ...

struct Finding {
  std::string rule;   // "transposes_left": the rule's id.
  std::string title;  // "Transposes take 12 % of the run".
  // Of a title that says what would be saved, the subject: "computing in bf16". Once it was tried,
  // the title says what it did save.
  std::string subject;
  Bound bound = Bound::Compute;
  bool option = false;  // No flaw of this model: helps nearly every one, at a price in accuracy.
  std::vector<Metric> evidence;
  std::vector<size_t> steps;  // Into Profile::steps: where it happens.
  bool removes = false;       // The steps are not needed: no more than their time is saved.
  std::string fix;            // What to do, one sentence.
  // Of what a remedy would change all alike, the part that this is about: "swish". Empty: all.
  std::string part;
  Hint hint = {};  // How to do it, where the model itself need not change.
  // Of one run, in ms; predicted, or measured where it was tried, with an interval. Empty when the
  // rule cannot tell.
  Metric gain;
  std::string formula;     // Where the gain comes from, in words and numbers.
  std::string confidence;  // "high", "medium", "low".
};

}  // namespace hone
