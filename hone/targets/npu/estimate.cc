#include <algorithm>
#include <numeric>

#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/npu/layer_cost.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

// Of what the simulation says: estimates leave out what tiles and waits cost, and most of what
// overlaps.
constexpr double kFactor = 1.2;

// The steps of a run one after the other, for one use of the SRAM.
class StepTimes {
 public:
  // Without a use, all activations stay in the SRAM and no weights do.
  StepTimes(const NpuPlan& plan, const SramUse* use)
      : plan_(plan), use_(use), brought_(storages().size()) {}

  std::vector<double> all() {
    std::vector<double> times;
    for (size_t s = 0; s < plan_.program.steps.size(); ++s) {
      const ProgramStep& step = plan_.program.steps[s];
      times.push_back(step.on_npu ? npu_step(s) : host_step(*step.node));
    }
    return times;
  }

 private:
  const std::vector<Storage>& storages() const { return plan_.program.storages.all; }

  double npu_step(size_t step) {
    npu_worked_ = true;
    double us = 0;
    for (const Layer& layer : plan_.program.steps[step].layers) {
      const double weights = use_ != nullptr && use_->kept[step] ? 0 : weights_us(npu(), layer);
      double beside = weights;  // What is on its way while the engines work.
      for (const Operand& input : layer.inputs) us += bring(input, beside);
      us += send(layer.output, beside) + std::max(engine_us(npu(), layer), beside);
    }
    return us;
  }

  // Inputs that pass in tiles go beside; what stays is brought once, before its first use.
  double bring(const Operand& input, double& beside) {
    const size_t at = plan_.program.storages.of(input.value).storage;
    if (passes(at)) {
      beside += to_npu_us(npu(), static_cast<uint64_t>(input.image.bytes()));
      return 0;
    }
    if (!storages()[at].in_memory || storages()[at].written_by_npu || brought_[at]) return 0;
    brought_[at] = true;
    return to_npu_us(npu(), storages()[at].bytes);
  }

  double send(const Operand& output, double& beside) const {
    const size_t at = plan_.program.storages.of(output.value).storage;
    const double us = to_host_us(npu(), static_cast<uint64_t>(output.image.bytes()));
    if (passes(at)) beside += us;
    return !passes(at) && storages()[at].in_memory ? us : 0;
  }

  // Through the SRAM, for want of room.
  bool passes(size_t storage) const {
    return use_ != nullptr && !use_->activations.resident[storage] &&
           !use_->activations.linked[storage];
  }

  double host_step(const Node& node) {
    const double wake = npu_worked_ ? npu().host.dispatch_us : 0;
    npu_worked_ = false;
    return wake + host_us(npu(), node);
  }

  const NpuSpec& npu() const { return plan_.npu(); }

  const NpuPlan& plan_;
  const SramUse* use_;
  std::vector<bool> brought_;  // By storage.
  bool npu_worked_ = false;    // Since the host last did.
};

// By the use of the SRAM that takes least.
std::vector<double> step_times(const NpuPlan& plan, const std::vector<SramUse>& uses) {
  std::vector<double> best;
  const auto sum = [](const std::vector<double>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0);
  };
  for (const SramUse& use : uses) {
    std::vector<double> times = StepTimes(plan, &use).all();
    if (best.empty() || sum(times) < sum(best)) best = std::move(times);
  }
  return best.empty() ? StepTimes(plan, nullptr).all() : best;
}

bool spills_any(const NpuPlan& plan, const SramUse& use) {
  const std::vector<Storage>& all = plan.program.storages.all;
  for (size_t i = 0; i < all.size(); ++i) {
    if (spills(all[i], i, use.activations)) return true;
  }
  return false;
}

uint64_t activation_bytes(const NpuPlan& plan, const SramUse& use) {
  const uint64_t bytes = place_in_memory(plan.program, use.activations).bytes;
  if (!plan.npu().sram.is_first_memory) return bytes;
  return bytes + 2 * use.weight_slot + use.activations.bytes;
}

// What the first memory holds besides weights, by the use that asks for least of it. Where it is
// the SRAM nothing can spill from one to the other: if all uses would, the first tells how much.
MemoryDemand activation_demand(const NpuPlan& plan, const std::vector<SramUse>& uses) {
  const NpuMemory& memory = plan.npu().memories[0];
  MemoryDemand demand{
      .what = "activations", .where = memory.name, .there = static_cast<uint64_t>(memory.bytes)};
  if (!uses.empty()) demand.asked = activation_bytes(plan, uses[0]);
  for (const SramUse& use : uses) {
    if (plan.npu().sram.is_first_memory && spills_any(plan, use)) continue;
    demand.asked = std::min(demand.asked, activation_bytes(plan, use));
  }
  return demand;
}

}  // namespace

ModelledRun estimated_run(const NpuPlan& plan) {
  ModelledRun run;
  run.device = plan.device.name;
  double at = plan.npu().queue.start_us;
  const std::vector<SramUse> uses = sram_uses(plan.npu(), plan.program);
  for (const double us : step_times(plan, uses)) {
    run.steps.push_back({.start_us = at, .us = us});
    at += us;
  }
  run.latency = {.name = "latency", .value = at / 1e3, .unit = "ms", .mode = Mode::Predicted};
  if (plan.device.checked && !plan.device.fit) {
    set_interval(run.latency, *plan.device.checked, kFactor);
  } else {
    set_interval(run.latency, plan.device.fit, kFactor);
  }
  run.notes.emplace_back(
      "layer after layer from closed forms: engines with everything in SRAM, or weights and "
      "activations that do not stay there on their way, whichever takes longer; the way to the "
      "host "
      "and back, and the start of a run come on top");
  uint64_t weights = 0;
  for (size_t s = 0; s < plan.costs.size(); ++s) {
    if (plan.program.steps[s].on_npu) weights += plan.costs[s].stored_bytes;
  }
  run.misfit =
      misfit_of(plan.device.name, {weight_demand(plan, weights), activation_demand(plan, uses)});
  withhold_times(step_infos(plan), run);
  return run;
}

}  // namespace hone::npu
