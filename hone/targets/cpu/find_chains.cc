#include "hone/targets/cpu/find_chains.h"

#include <algorithm>

#include "hone/device/machine.h"
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

// Whether a step hands its result, which nobody else reads, to the next one.
bool is_link(const Plan& plan, size_t step, const ChainLimits& limits) {
  if (plan.options.keep_values || step + 1 == plan.steps.size()) return false;
  const RowStep* writer = row_step(plan, step);
  const RowStep* reader = row_step(plan, step + 1);
  if (writer == nullptr || reader == nullptr || reader->reads_planes) return false;
  const Slot slot = writer->writes[0];
  const SlotInfo& value = plan.slots[slot];
  const auto reads = std::ranges::count_if(
      reader->reads, [&](Slot read) { return plan.slots[read].root == slot; });
  return writer->writes.size() == 1 && reader->reads[0] == slot && reads == 1 &&
         value.home == SlotInfo::Home::Arena && value.root == slot && value.first_step == step &&
         value.last_step == step + 1 && value.bytes > limits.smallest_link &&
         same_rows(writer->row_shape, reader->row_shape);
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
      first = last + 1;
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

}  // namespace

ChainLimits usual_chain_limits() {
  // Found with mobilenet_v2 on a Neoverse-V1: smaller links cost as much as they save.
  const size_t cache = second_level_cache_bytes();
  return {.smallest_link = cache / 4 * 3,
          .most_rows = cache / 8 * 5,
          .most_weights = 1,
          .most_overlap = 0.125};
}

std::vector<Stage> find_stages(const Plan& plan, const ChainLimits& limits) {
  return StageFinder(plan, limits).find();
}

}  // namespace hone::cpu
