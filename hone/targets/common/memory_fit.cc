#include "hone/targets/common/memory_fit.h"

#include <algorithm>
#include <unordered_map>

#include "hone/base/text.h"
#include "hone/targets/common/modelled_metrics.h"

namespace hone {
namespace {

std::string name_of(const Node& node) {
  return node.name.empty() ? node.outputs[0]->name : node.name;
}

uint64_t bytes_of(const Value& value) {
  const TensorType& type = value.type.tensor;
  return value.type.is_tensor() && type.known() ? type.bytes() : 0;
}

// What is in use at each step of a program.
class Lifetimes {
 public:
  explicit Lifetimes(const std::vector<StepInfo>& steps)
      : steps_(steps), change_(steps.size() + 1, 0) {
    for (size_t s = 0; s < steps.size(); ++s) step_of_[steps[s].node] = s;
  }

  void add(uint64_t bytes, size_t first, size_t last) {
    if (first >= steps_.size()) return;
    change_[first] += static_cast<int64_t>(bytes);
    change_[std::min(last + 1, steps_.size())] -= static_cast<int64_t>(bytes);
  }

  // Nodes that are no steps are views of what they read.
  std::optional<size_t> last_read(const Value& value) const {
    std::optional<size_t> last;
    for (const Use& use : value.users) {
      const auto found = step_of_.find(use.node);
      const auto read =
          found != step_of_.end() ? std::optional(found->second) : last_read(*use.node->outputs[0]);
      last = std::max(last, read);
    }
    return last;
  }
  std::optional<size_t> made_at(const Value& value) const {
    if (value.producer == nullptr) return std::nullopt;
    const auto found = step_of_.find(value.producer);
    if (found != step_of_.end()) return found->second;
    const auto& inputs = value.producer->inputs;
    return inputs.empty() || inputs[0] == nullptr ? std::nullopt : made_at(*inputs[0]);
  }

  LayerBytes most() const {
    LayerBytes most;
    int64_t live = 0;
    for (size_t s = 0; s < steps_.size(); ++s) {
      live += change_[s];
      const uint64_t bytes = static_cast<uint64_t>(live) + steps_[s].cost.body_live_bytes;
      if (bytes > most.bytes) most = {name_of(*steps_[s].node), bytes};
    }
    return most;
  }

 private:
  const std::vector<StepInfo>& steps_;
  std::unordered_map<const Node*, size_t> step_of_ = {};
  std::vector<int64_t> change_;
};

}  // namespace

LayerBytes most_weights(const std::vector<StepInfo>& steps) {
  LayerBytes most;
  for (const StepInfo& step : steps) {
    if (step.cost.stored_bytes > most.bytes) most = {name_of(*step.node), step.cost.stored_bytes};
  }
  return most;
}

LayerBytes most_live(const MemorySummary& memory, const std::vector<StepInfo>& steps,
                     const Graph& graph) {
  Lifetimes lifetimes(steps);
  for (const MemoryUse& use : memory.buffers) {
    lifetimes.add(use.bytes, use.first_step, use.last_step);
  }
  for (const Value* input : graph.inputs()) {
    if (const auto last = lifetimes.last_read(*input)) lifetimes.add(bytes_of(*input), 0, *last);
  }
  for (const Value* output : graph.outputs()) {
    const auto made = lifetimes.made_at(*output);
    if (made && !steps.empty()) lifetimes.add(bytes_of(*output), *made, steps.size() - 1);
  }
  return lifetimes.most();
}

std::string misfit_of(const std::string& device, const std::vector<MemoryDemand>& demands) {
  std::vector<std::string> misfits;
  for (const MemoryDemand& demand : demands) {
    if (demand.asked <= demand.there) continue;
    misfits.push_back(str(demand.what, " take ", human_bytes(demand.asked), ", ", device, " has ",
                          human_bytes(demand.there), " of ", demand.where));
    if (!demand.most.layer.empty()) {
      misfits.back() +=
          str(", most in '", demand.most.layer, "', ", human_bytes(demand.most.bytes));
    }
  }
  return misfits.empty() ? "" : str("does not fit: ", join(misfits, "; "));
}

namespace {

bool is_open_input(const Value* value) {
  return value != nullptr && value->producer == nullptr && value->type.is_tensor() &&
         !value->type.tensor.known();
}

bool reads_open_input(const std::vector<StepInfo>& steps) {
  return std::ranges::any_of(
      steps, [](const StepInfo& s) { return std::ranges::any_of(s.node->inputs, is_open_input); });
}

}  // namespace

std::string unknown_extents(const std::vector<StepInfo>& steps) {
  const auto count = std::ranges::count_if(steps, [](const StepInfo& s) { return !s.cost.known; });
  if (count == 0) return "";
  return str(count, count == 1 ? " layer" : " layers",
             reads_open_input(steps)
                 ? " of unknown extent, since inputs leave theirs open"
                 : " of extents or repetitions that follow from values, which only a run tells");
}

void withhold_times(const std::vector<StepInfo>& steps, ModelledRun& run) {
  const std::string why = run.misfit.empty() ? unknown_extents(steps) : run.misfit;
  if (why.empty()) return;
  if (run.misfit.empty() && reads_open_input(steps)) run.hint = {HintKind::Extents};
  withhold(run.latency, why);
  for (Metric& energy : run.energy) withhold(energy, run.misfit.empty() ? why : "does not fit");
}

}  // namespace hone
