#include "hone/targets/cpu/find_chains.h"

#include <algorithm>

#include "hone/device/machine.h"
#include "hone/targets/cpu/follower.h"
#include "hone/targets/cpu/plan.h"

namespace hone::cpu {
namespace {

const RowStep* row_step(const Plan& plan, size_t step) {
  const auto* rows = dynamic_cast<const RowStep*>(plan.steps[step].get());
  return rows == nullptr || rows->row_shape.images == 0 ? nullptr : rows;
}

// Whether the rows that one writes are those that the other reads.
bool same_rows(const RowShape& writer, const RowShape& reader) {
  return writer.images == reader.images && writer.height.out == reader.height.in &&
         writer.out_row_bytes == reader.in_row_bytes;
}

// Whether a step hands its one result, which nobody else reads, to the next one.
bool hands_on(const Plan& plan, size_t step) {
  if (plan.options.keep_values || plan.options.whole_values) return false;
  if (step + 1 == plan.steps.size()) return false;
  const Step& writer = *plan.steps[step];
  const Step& reader = *plan.steps[step + 1];
  if (writer.writes.size() != 1) return false;
  const Slot slot = writer.writes[0];
  const SlotInfo& value = plan.slots[slot];
  const auto reads =
      std::ranges::count_if(reader.reads, [&](Slot read) { return plan.slots[read].root == slot; });
  return std::ranges::count(reader.reads, slot) == 1 && reads == 1 &&
         value.home == SlotInfo::Home::Arena && value.root == slot && value.first_step == step &&
         value.last_step == step + 1;
}

bool is_link(const Plan& plan, size_t step, const ChainLimits& limits) {
  if (!hands_on(plan, step)) return false;
  const RowStep* writer = row_step(plan, step);
  const RowStep* reader = row_step(plan, step + 1);
  if (writer == nullptr || reader == nullptr || reader->reads_planes) return false;
  const Slot slot = writer->writes[0];
  return reader->reads[0] == slot && plan.slots[slot].bytes > limits.smallest_link &&
         same_rows(writer->row_shape, reader->row_shape);
}

// Whether the next step can run behind a step, block by block.
bool is_followed(const Plan& plan, size_t step) {
  if (!hands_on(plan, step)) return false;
  const auto* leader = dynamic_cast<const LeadingStep*>(plan.steps[step].get());
  const auto* follower = dynamic_cast<const Follower*>(plan.steps[step + 1].get());
  return leader != nullptr && follower != nullptr && follower->follows(leader->writes[0]);
}

// Weights are read once more for every stripe; what is handed on is neither written nor read far
// away.
bool pays(const Plan& plan, size_t first, const Chain& chain, const ChainLimits& limits) {
  size_t weights = 0, handed_on = 0;
  for (size_t part = 0; part < chain.parts(); ++part) {
    const Step& step = *plan.steps[first + part];
    weights += step.weight_bytes * chain.stripes();
    if (part + 1 < chain.parts()) handed_on += plan.slots[step.writes[0]].bytes;
  }
  return chain.rows_bytes() <= limits.most_rows && chain.overlap() <= limits.most_overlap &&
         static_cast<double>(weights) <= limits.most_weights * static_cast<double>(handed_on);
}

class StageFinder {
 public:
  StageFinder(const Plan& plan, const ChainLimits& limits) : plan_(plan), limits_(limits) {}

  std::vector<Stage> find() {
    for (size_t first = 0; first < plan_.steps.size();) {
      size_t last = first;
      while (is_link(plan_, last, limits_)) ++last;
      add(first, last);
      stages_.back().followed = limits_.followers && is_followed(plan_, last);
      first = stages_.back().last_step() + 1;
    }
    return std::move(stages_);
  }

 private:
  // Steps that could all be one chain: where they should not, the smallest link is cut.
  void add(size_t first, size_t last) {
    std::unique_ptr<Chain> chain = first == last ? nullptr : make_chain(first, last);
    if (first == last || chain != nullptr) {
      stages_.push_back({.first_step = first, .chain = std::move(chain)});
      return;
    }
    size_t cut = first;
    for (size_t step = first; step < last; ++step) {
      if (bytes_after(step) < bytes_after(cut)) cut = step;
    }
    add(first, cut);
    add(cut + 1, last);
  }

  size_t bytes_after(size_t step) const { return plan_.slots[plan_.steps[step]->writes[0]].bytes; }

  // Null where it would not pay.
  std::unique_ptr<Chain> make_chain(size_t first, size_t last) const {
    if (last - first >= Chain::kMostParts) return nullptr;
    std::vector<const RowStep*> parts;
    for (size_t step = first; step <= last; ++step) parts.push_back(row_step(plan_, step));
    auto chain = std::make_unique<Chain>(
        std::move(parts), static_cast<size_t>(plan_.options.threads), limits_.most_rows);
    return pays(plan_, first, *chain, limits_) ? std::move(chain) : nullptr;
  }

  const Plan& plan_;
  const ChainLimits& limits_;
  std::vector<Stage> stages_;
};

// Wide vectors are through with a sum of bytes before its operands have come from beyond the first
// cache. NEON takes over a cycle an element, whatever they come from: there a sum in between would
// only push the weights out of that cache (0.3 to 1 % of resnet50 on a Neoverse-V1).
#if defined(__x86_64__)
constexpr bool kSumsWaitForMemory = true;
#else
constexpr bool kSumsWaitForMemory = false;
#endif

// Eighths of the second-level cache. Found with mobilenet_v2 on a Neoverse-V1: smaller links cost as
// much as they save. Xeons write over what was in other cores' caches more slowly than they compute.
#if defined(__x86_64__)
constexpr size_t kSmallestLink = 3;
#else
constexpr size_t kSmallestLink = 6;
#endif

}  // namespace

ChainLimits usual_chain_limits() {
  const size_t cache = second_level_cache_bytes();
  return {.smallest_link = cache / 8 * kSmallestLink,
          .most_rows = cache / 8 * 5,
          .most_weights = 1,
          .most_overlap = 0.125,
          .followers = kSumsWaitForMemory};
}

std::vector<Stage> find_stages(const Plan& plan, const ChainLimits& limits) {
  return StageFinder(plan, limits).find();
}

}  // namespace hone::cpu
