#include "hone/targets/hexagon/emulated_dsp.h"

#include "hone/base/text.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/c_code/vtcm_text.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/emulation/emulated_code.h"
#include "hone/targets/hexagon/dsp_timeline.h"

namespace hone::hexagon {
namespace {

class EmulatedDsp final : public emulation::EmulatedCode {
 public:
  EmulatedDsp(std::shared_ptr<const Program> predicted, std::shared_ptr<const c_code::Plan> plan,
              DspRun run, const Device& device)
      : EmulatedCode(std::move(predicted), std::move(plan), device),
        run_(std::move(run)),
        traffic_(traffic_of(this->plan(), dsp())),
        times_(timeline_of(traffic_.slots, computing_of(run_), dsp())) {}

  std::optional<ModelledRun> modelled() const override {
    ModelledRun run{.device = device().name, .tracks = {device().name}};
    PacketCost total = run_.rest;
    LayerTraffic bytes;
    LayerTimes times{.computing = run_.rest.cycles()};
    for (size_t s = 0; s < run_.layers.size(); ++s) {
      const PacketCost& layer = run_.layers[s];
      run.steps.push_back({.start_us = us_of(times.cycles()),
                           .us = us_of(times_[s].cycles()),
                           .counters = counters_of(
                               layer, static_cast<double>(node_cost(*plan().steps[s].node).macs),
                               traffic_.layers[s], times_[s])});
      add(layer, total);
      add(traffic_.layers[s], bytes);
      add(times_[s], times);
    }
    run.latency = latency_of(times);
    run.counters = counters_of(total, network_work(steps()).macs, bytes, times);
    run.energy = {run_energy(device().analytic()->power, run.latency, network_work(steps()).macs)};
    run.memory = {
        exact_bytes("code", run_.code_bytes, "of the network"),
        exact_bytes("weights", run_.constant_bytes, "with tables and scales"),
        exact_bytes("activations", c_code::ram_bytes(plan()), "the arena, inputs and outputs")};
    if (plan().vtcm.bytes > 0) {
      run.memory.push_back(exact_bytes("vtcm", plan().vtcm.bytes, c_code::vtcm_note(plan())));
    }
    run.notes = notes();
    run.notes.insert(run.notes.end(), plan().notes.begin(), plan().notes.end());
    withhold_times(steps(), run);
    return run;
  }

 private:
  const DspSpec& dsp() const { return *device().analytic()->dsp; }
  double us_of(double cycles) const { return cycles / dsp().clock_mhz; }

  // What is computed lies within the factor, what is waited for within that factor of it: main memory is
  // assumed, and shared with others.
  Metric latency_of(const LayerTimes& times) const {
    Metric latency = predicted_metric("latency", us_of(times.cycles()) / 1e3, "ms");
    set_interval(latency, std::nullopt, kCyclesFactor);
    if (times.waits <= 0) return latency;
    const double wider = kCyclesFactor * kCyclesFactor;
    latency.low = us_of(times.computing / kCyclesFactor + times.waits / wider) / 1e3;
    latency.high = us_of(times.computing * kCyclesFactor + times.waits * wider) / 1e3;
    latency.note = str("expected within a factor of ", fixed(kCyclesFactor, 0), ", and of ",
                       fixed(wider, 0), " what is waited for main memory, ",
                       fixed(100 * times.waits / times.cycles(), 1), " % of it");
    return latency;
  }

  static std::vector<double> computing_of(const DspRun& run) {
    std::vector<double> cycles;
    for (const PacketCost& layer : run.layers) cycles.push_back(layer.cycles());
    return cycles;
  }

  static void add(const PacketCost& cost, PacketCost& total) {
    total.packets += cost.packets;
    total.vectors += cost.vectors;
    total.multiplies += cost.multiplies;
    total.unaligned += cost.unaligned;
    total.stalls += cost.stalls;
  }
  static void add(const LayerTraffic& layer, LayerTraffic& total) {
    total.vtcm += layer.vtcm;
    total.l2 += layer.l2;
    total.ddr += layer.ddr;
    total.spilled += layer.spilled;
    total.away += layer.away;
  }
  static void add(const LayerTimes& layer, LayerTimes& total) {
    total.computing += layer.computing;
    total.waits += layer.waits;
    total.fetching += layer.fetching;
  }

  static std::vector<Metric> counters_of(const PacketCost& cost, double macs,
                                         const LayerTraffic& bytes, const LayerTimes& times) {
    const auto packets = static_cast<double>(cost.packets);
    std::vector<Metric> list = {
        emulation::counted("packets", packets),
        emulation::counted("vector_instructions", static_cast<double>(cost.vectors)),
        emulation::counted("vector_multiplies", static_cast<double>(cost.multiplies),
                           "of two a packet"),
        emulation::counted("unaligned_accesses", static_cast<double>(cost.unaligned),
                           "vectors that are loaded or stored wherever they lie"),
        predicted_metric("stalls", static_cast<double>(cost.stalls), ""),
        predicted_metric("vtcm_bytes", bytes.vtcm, "B"),
        predicted_metric("l2_bytes", bytes.l2, "B"),
        predicted_metric("ddr_bytes", bytes.ddr, "B"),
        predicted_metric("fetch_cycles", times.fetching, ""),
        predicted_metric("waits", times.waits, ""),
        predicted_metric("cycles", times.cycles(), "")};
    if (bytes.spilled > 0) {
      list.push_back(exact_bytes("spilled_bytes", static_cast<size_t>(bytes.spilled),
                                 "of tensors that have no room in VTCM"));
    }
    if (bytes.away > 0) {
      list.push_back(exact_bytes("away_bytes", static_cast<size_t>(bytes.away),
                                 "of constants that have no room in VTCM"));
    }
    if (macs > 0 && packets > 0)
      list.push_back(emulation::counted("macs_per_packet", macs / packets));
    return list;
  }

  std::vector<std::string> notes() const {
    return {str("the code ran on qemu-hexagon, built for ", dsp().core,
                " by clang with -O2: every byte of the result is the reference's, packets are "
                "counted; copies into VTCM, which a DMA would make, are not among them"),
            str("cycles are packets of one thread, what they wait for vectors that the packet "
                "before makes, and what layers wait for main memory, at ",
                fixed(dsp().clock_mhz, 0),
                " MHz; what lies in no VTCM goes through a cache that keeps what was touched "
                "last, and is read ahead")};
  }

  DspRun run_;
  DspTraffic traffic_;
  std::vector<LayerTimes> times_;
};

}  // namespace

std::unique_ptr<Program> make_emulated_dsp(std::shared_ptr<const Program> predicted,
                                           std::shared_ptr<const c_code::Plan> plan, DspRun run,
                                           const Device& device) {
  return std::make_unique<EmulatedDsp>(std::move(predicted), std::move(plan), std::move(run),
                                       device);
}

}  // namespace hone::hexagon
