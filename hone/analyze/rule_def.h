// Rules: each looks at a profile for one thing that costs time, and prices it.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "hone/analyze/finding.h"
#include "hone/device/device_file.h"
#include "hone/profile/profile.h"
#include "hone/targets/target.h"

namespace hone {

// What a rule may look at. Step s of the profile ran the node nodes[s].
struct Evidence {
  const Profile& profile;
  const DeviceFile& device;
  const CompileOptions& options;
  const Graph* graph = nullptr;         // As it ran; null for profiles of other tools.
  std::vector<const Node*> nodes = {};  // By step; empty without a graph.

  size_t steps() const { return profile.steps.size(); }
  const StepProfile& step(size_t s) const { return profile.steps[s]; }
  double run_us() const;  // Of the whole median run.
  // The step that made the value, or kNone for inputs, constants and values behind a view.
  static constexpr size_t kNone = ~size_t{0};
  size_t producer_of(const Value* value) const;
};

// Whose runs a rule knows something about.
enum class RuleFor {
  Any,
  Measured,   // A clock on this CPU, and its roofs.
  Processor,  // Kernels one behind the other, measured or predicted.
  Npu,        // Engines side by side, with their own counters.
  Gpu,        // Kernels that a host launches, as GPUs' own profilers tell of them.
  Dsp,        // Packets of instructions, as an emulator counts them.
};

struct RuleDef {
  std::string_view id;       // "transposes_left".
  std::string_view summary;  // One sentence, shown by `hone diagnose --rules`.
  Bound bound;
  // True for what would help nearly every network at a price in accuracy: options, not flaws.
  bool option = false;
  RuleFor on = RuleFor::Any;  // It is not asked about others.
  // Appends what it finds: nothing, one finding for all places, or one per place.
  void (*check)(const Evidence& in, std::vector<Finding>& out);
};

// In the order of rules.inc.
const std::vector<const RuleDef*>& all_rules();

// "computing in bf16 would save 41.0 % of the run".
std::string title_of_saving(const std::string& subject, double part);

// Flaws with the largest gain first, those behind whose gain may be a loss; then options, then what
// has no gain in ms.
void rank_findings(std::vector<Finding>& findings);
// Of a gain that was measured: no more than the steps take, where it comes of leaving them out.
void cap_at_steps(const Profile& profile, Finding& finding);

// All rules on one profile, ranked. Findings that gain less than `least_part` of the run are left
// out.
std::vector<Finding> diagnose(const Evidence& evidence, double least_part = 0.01);

}  // namespace hone
