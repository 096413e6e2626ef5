#include "hone/targets/hexagon/emulated_dsp.h"

#include "hone/base/text.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"

namespace hone::hexagon {
namespace {

// No board was measured beside it: caches that are missed, and contexts that threads share, are not in it.
constexpr double kFactor = 2;

Metric counted(std::string name, double value, std::string note = "") {
  return {.name = std::move(name), .value = value, .mode = Mode::Emulated, .note = std::move(note)};
}

StepFamily family_of(const c_code::Step& step) {
  const std::string_view kernel = step.calls[0].kernel;
  if (kernel.find("depthwise") != std::string_view::npos) return StepFamily::Depthwise;
  return node_cost(*step.node).macs > 0 ? StepFamily::Product : StepFamily::Other;
}

class EmulatedDsp final : public Program {
 public:
  EmulatedDsp(std::shared_ptr<const Program> predicted, std::shared_ptr<const c_code::Plan> plan,
              DspRun run, const Device& device)
      : predicted_(std::move(predicted)),
        plan_(std::move(plan)),
        run_(std::move(run)),
        device_(device) {}

  std::unique_ptr<Session> open() const override { return predicted_->open(); }
  const Graph& graph() const override { return plan_->graph; }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (size_t s = 0; s < plan_->steps.size(); ++s) {
      const c_code::Step& step = plan_->steps[s];
      std::string_view kernel = step.calls[0].kernel;
      kernel.remove_prefix(std::string_view("hone_").size());
      infos.push_back({.node = step.node,
                       .kind = {.family = family_of(step),
                                .work = std::string(kernel),
                                .precision = Arithmetic::Int8},
                       .cost = node_cost(*step.node),
                       .packed_bytes = c_code::constants_of(step),
                       .scratch_bytes = plan_->live_bytes[s]});
    }
    return infos;
  }

  std::optional<MemorySummary> memory() const override {
    MemorySummary summary;
    summary.arena_bytes = plan_->arena_bytes;
    summary.weight_bytes = plan_->constant_bytes;
    return summary;
  }

  std::optional<ModelledRun> modelled() const override {
    ModelledRun run{.device = device_.name, .tracks = {device_.name}};
    PacketCost total = run_.rest;
    double us = us_of(run_.rest);
    for (size_t s = 0; s < run_.layers.size(); ++s) {
      const PacketCost& layer = run_.layers[s];
      run.steps.push_back({.start_us = us,
                           .us = us_of(layer),
                           .counters = counters_of(layer, node_cost(*plan_->steps[s].node).macs)});
      us += us_of(layer);
      add(layer, total);
    }
    run.latency = predicted_metric("latency", us / 1e3, "ms");
    set_interval(run.latency, std::nullopt, kFactor);
    run.counters = counters_of(total, network_work(steps()).macs);
    run.energy = {run_energy(device_.analytic()->power, run.latency, network_work(steps()).macs)};
    run.memory = {
        exact_bytes("code", run_.code_bytes, "as linked"),
        exact_bytes("weights", run_.constant_bytes, "with tables and scales"),
        exact_bytes("activations", c_code::ram_bytes(*plan_), "the arena, inputs and outputs")};
    run.notes = notes();
    run.notes.insert(run.notes.end(), plan_->notes.begin(), plan_->notes.end());
    withhold_times(steps(), run);
    return run;
  }

 private:
  const DspSpec& dsp() const { return *device_.analytic()->dsp; }
  double us_of(const PacketCost& cost) const { return cost.cycles() / dsp().clock_mhz; }

  static void add(const PacketCost& cost, PacketCost& total) {
    total.packets += cost.packets;
    total.vectors += cost.vectors;
    total.multiplies += cost.multiplies;
    total.stalls += cost.stalls;
  }

  static std::vector<Metric> counters_of(const PacketCost& cost, double macs) {
    const auto packets = static_cast<double>(cost.packets);
    std::vector<Metric> list = {
        counted("packets", packets),
        counted("vector_instructions", static_cast<double>(cost.vectors)),
        counted("vector_multiplies", static_cast<double>(cost.multiplies), "of two a packet"),
        predicted_metric("stalls", static_cast<double>(cost.stalls), ""),
        predicted_metric("cycles", cost.cycles(), "")};
    if (macs > 0 && packets > 0) list.push_back(counted("macs_per_packet", macs / packets));
    return list;
  }

  std::vector<std::string> notes() const {
    return {str("the code ran on qemu-hexagon, built for ", dsp().core,
                " by clang with -O2: every byte of the result is the reference's, packets are "
                "counted"),
            str("cycles are packets of one thread and what they wait for vectors that the packet "
                "before makes, at ",
                fixed(dsp().clock_mhz, 0),
                " MHz; misses of caches and what threads share are not in them")};
  }

  std::shared_ptr<const Program> predicted_;
  std::shared_ptr<const c_code::Plan> plan_;
  DspRun run_;
  Device device_;
};

}  // namespace

std::unique_ptr<Program> make_emulated_dsp(std::shared_ptr<const Program> predicted,
                                           std::shared_ptr<const c_code::Plan> plan, DspRun run,
                                           const Device& device) {
  return std::make_unique<EmulatedDsp>(std::move(predicted), std::move(plan), std::move(run),
                                       device);
}

}  // namespace hone::hexagon
