#include "hone/targets/hexagon/emulated_dsp.h"

#include "hone/base/text.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/emulation/emulated_code.h"

namespace hone::hexagon {
namespace {

class EmulatedDsp final : public emulation::EmulatedCode {
 public:
  EmulatedDsp(std::shared_ptr<const Program> predicted, std::shared_ptr<const c_code::Plan> plan,
              DspRun run, const Device& device)
      : EmulatedCode(std::move(predicted), std::move(plan), device), run_(std::move(run)) {}

  std::optional<ModelledRun> modelled() const override {
    ModelledRun run{.device = device().name, .tracks = {device().name}};
    PacketCost total = run_.rest;
    double us = us_of(run_.rest);
    for (size_t s = 0; s < run_.layers.size(); ++s) {
      const PacketCost& layer = run_.layers[s];
      run.steps.push_back({.start_us = us,
                           .us = us_of(layer),
                           .counters = counters_of(layer, node_cost(*plan().steps[s].node).macs)});
      us += us_of(layer);
      add(layer, total);
    }
    run.latency = predicted_metric("latency", us / 1e3, "ms");
    set_interval(run.latency, std::nullopt, kCyclesFactor);
    run.counters = counters_of(total, network_work(steps()).macs);
    run.energy = {run_energy(device().analytic()->power, run.latency, network_work(steps()).macs)};
    run.memory = {
        exact_bytes("code", run_.code_bytes, "of the network"),
        exact_bytes("weights", run_.constant_bytes, "with tables and scales"),
        exact_bytes("activations", c_code::ram_bytes(plan()), "the arena, inputs and outputs")};
    run.notes = notes();
    run.notes.insert(run.notes.end(), plan().notes.begin(), plan().notes.end());
    withhold_times(steps(), run);
    return run;
  }

 private:
  const DspSpec& dsp() const { return *device().analytic()->dsp; }
  double us_of(const PacketCost& cost) const { return cost.cycles() / dsp().clock_mhz; }

  static void add(const PacketCost& cost, PacketCost& total) {
    total.packets += cost.packets;
    total.vectors += cost.vectors;
    total.multiplies += cost.multiplies;
    total.unaligned += cost.unaligned;
    total.stalls += cost.stalls;
  }

  static std::vector<Metric> counters_of(const PacketCost& cost, double macs) {
    const auto packets = static_cast<double>(cost.packets);
    std::vector<Metric> list = {
        emulation::counted("packets", packets),
        emulation::counted("vector_instructions", static_cast<double>(cost.vectors)),
        emulation::counted("vector_multiplies", static_cast<double>(cost.multiplies),
                           "of two a packet"),
        emulation::counted("unaligned_accesses", static_cast<double>(cost.unaligned),
                           "vectors that are loaded or stored wherever they lie"),
        predicted_metric("stalls", static_cast<double>(cost.stalls), ""),
        predicted_metric("cycles", cost.cycles(), "")};
    if (macs > 0 && packets > 0)
      list.push_back(emulation::counted("macs_per_packet", macs / packets));
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

  DspRun run_;
};

}  // namespace

std::unique_ptr<Program> make_emulated_dsp(std::shared_ptr<const Program> predicted,
                                           std::shared_ptr<const c_code::Plan> plan, DspRun run,
                                           const Device& device) {
  return std::make_unique<EmulatedDsp>(std::move(predicted), std::move(plan), std::move(run),
                                       device);
}

}  // namespace hone::hexagon
