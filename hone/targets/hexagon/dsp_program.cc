#include "hone/targets/hexagon/dsp_program.h"

#include <cmath>
#include <functional>

#include "hone/base/text.h"
#include "hone/targets/analytic/analytic_memory.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/c_code/part_text.h"
#include "hone/targets/c_code/scalar_text.h"
#include "hone/targets/c_code/vtcm_text.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/emulation/emulated_code.h"
#include "hone/targets/hexagon/dsp_threads.h"
#include "hone/targets/hexagon/dsp_timeline.h"

namespace hone::hexagon {
namespace {

// What is told of packets that were not counted may be off by so much, besides what cycles are.
constexpr double kPacketsFactor = 1.5;

enum class Packets { Counted, Estimated };

class DspProgram final : public emulation::EmulatedCode {
 public:
  DspProgram(std::shared_ptr<const Program> predicted, std::shared_ptr<const c_code::Plan> plan,
             DspRun run, const Device& device, Packets packets)
      : EmulatedCode(std::move(predicted), std::move(plan), device),
        run_(std::move(run)),
        counted_(packets == Packets::Counted),
        traffic_(traffic_of(this->plan(), dsp())),
        shares_(thread_shares(this->plan(), run_)),
        times_(timeline_of(traffic_.slots, computing_of(&ThreadShares::computing), dsp())) {}

  std::optional<ModelledRun> modelled() const override {
    ModelledRun run{.device = device().name, .tracks = {device().name}};
    PacketCost total = run_.rest;
    LayerTraffic bytes;
    LayerTimes times{.computing = run_.rest.cycles()};
    for (size_t s = 0; s < run_.layers.size(); ++s) {
      run.steps.push_back({.start_us = us_of(times.cycles()),
                           .us = us_of(times_[s].cycles()),
                           .counters = counters_of_layer(s)});
      total.add(run_.layers[s]);
      add(traffic_.layers[s], bytes);
      add(times_[s], times);
    }
    run.latency = latency_of(times);
    run.counters = counters_of(total, network_work(steps()).macs, bytes, times);
    const LayerTimes alone = times_alone();
    if (has_threads()) widen(latency_of(alone), run.latency);
    add_threads(alone.cycles() / times.cycles(), run.counters);
    run.energy = {energy_of(alone)};
    add_memory(run);
    run.notes = notes();
    const auto scalar = c_code::scalar_notes(plan(), packets_of_layers());
    run.notes.insert(run.notes.end(), scalar.begin(), scalar.end());
    const auto groups = c_code::group_notes(plan());
    run.notes.insert(run.notes.end(), groups.begin(), groups.end());
    run.notes.insert(run.notes.end(), plan().notes.begin(), plan().notes.end());
    withhold_times(steps(), run);
    return run;
  }

 private:
  void add_memory(ModelledRun& run) const {
    if (counted_) {
      run.memory = {
          exact_bytes("code", run_.code_bytes, "of the network"),
          exact_bytes("weights", run_.constant_bytes, "with tables and scales"),
          exact_bytes("activations", c_code::ram_bytes(plan()), "the arena, inputs and outputs")};
    } else {
      set_analytic_memory(
          {.weights = plan().constant_bytes,
           .live = {c_code::name_of(c_code::fullest_step(plan())), c_code::ram_bytes(plan())}},
          device(), run);
    }
    if (plan().vtcm.bytes > 0) {
      run.memory.push_back(exact_bytes("vtcm", plan().vtcm.bytes, c_code::vtcm_note(plan())));
    }
  }

  const DspSpec& dsp() const { return *device().analytic()->dsp; }
  double us_of(double cycles) const { return cycles / dsp().clock_mhz; }

  // What is computed lies within the factor, what is waited for within kCyclesFactor more: main memory is
  // assumed, and shared with others.
  Metric latency_of(const LayerTimes& times) const {
    const double factor = counted_ ? kCyclesFactor : kCyclesFactor * kPacketsFactor;
    Metric latency = predicted_metric("latency", us_of(times.cycles()) / 1e3, "ms");
    set_interval(latency, std::nullopt, factor);
    if (times.waits <= 0) return latency;
    const double wider = factor * kCyclesFactor;
    latency.low = us_of(times.computing / factor + times.waits / wider) / 1e3;
    latency.high = us_of(times.computing * factor + times.waits * wider) / 1e3;
    latency.note = str("expected within a factor of ", fixed(factor, 0), ", and of ",
                       fixed(wider, 0), " what is waited for main memory, ",
                       fixed(100 * times.waits / times.cycles(), 1), " % of it");
    return latency;
  }

  // Threads that hold one another up are as slow as one at worst.
  static void widen(const Metric& alone, Metric& latency) {
    latency.high = alone.high;
    latency.note += "; at most what one thread would take, should threads hold one another up";
  }

  template <class Cycles>
  std::vector<double> computing_of(Cycles of) const {
    std::vector<double> cycles;
    for (const ThreadShares& layer : shares_) cycles.push_back(std::invoke(of, layer));
    return cycles;
  }

  std::vector<double> packets_of_layers() const {
    std::vector<double> packets;
    for (const PacketCost& layer : run_.layers) {
      packets.push_back(static_cast<double>(layer.packets));
    }
    return packets;
  }

  bool has_threads() const { return c_code::has_parts(plan()); }

  // Of one thread, which runs the same parts one after another.
  LayerTimes times_alone() const {
    LayerTimes times{.computing = run_.rest.cycles()};
    for (const LayerTimes& layer :
         timeline_of(traffic_.slots, computing_of(&ThreadShares::busy), dsp())) {
      add(layer, times);
    }
    return times;
  }

  // Threads draw for what they compute, however many of them do.
  Metric energy_of(const LayerTimes& alone) const {
    Metric energy =
        run_energy(device().analytic()->power, latency_of(alone), network_work(steps()).macs);
    if (has_threads()) energy.note += "; as long as one thread would take";
    return energy;
  }

  std::vector<Metric> counters_of_layer(size_t s) const {
    std::vector<Metric> list =
        counters_of(run_.layers[s], static_cast<double>(node_cost(*plan().steps[s].node).macs),
                    traffic_.layers[s], times_[s]);
    if (!has_threads()) return list;
    const size_t workers = c_code::workers_for(plan().steps[s], plan().options.core);
    list.push_back(exact_count("parts", shares_[s].parts));
    list.push_back(exact_count("threads", workers, "that could compute it together"));
    list.push_back(predicted_metric("imbalance", shares_[s].imbalance(), ""));
    return list;
  }

  void add_threads(double faster, std::vector<Metric>& list) const {
    if (!has_threads()) return;
    list.push_back(exact_count("threads", plan().options.core.threads, c_code::parts_note(plan())));
    list.push_back(predicted_metric("speedup", faster, ""));
    list.back().note = "of the threads, against the same parts one after another";
  }

  static Metric exact_count(std::string name, size_t count, std::string note = "") {
    return {.name = std::move(name),
            .value = static_cast<double>(count),
            .mode = Mode::Exact,
            .note = std::move(note)};
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

  std::vector<Metric> packets_of(const PacketCost& cost) const {
    const auto packets = static_cast<double>(cost.packets);
    if (!counted_) return {predicted_metric("packets", packets, "")};
    return {emulation::counted("packets", packets),
            emulation::counted("vector_instructions", static_cast<double>(cost.vectors)),
            emulation::counted("vector_multiplies", static_cast<double>(cost.multiplies),
                               "of two a packet"),
            emulation::counted("unaligned_accesses", static_cast<double>(cost.unaligned),
                               "vectors that are loaded or stored wherever they lie"),
            predicted_metric("stalls", static_cast<double>(cost.stalls), "")};
  }

  std::vector<Metric> counters_of(const PacketCost& cost, double macs, const LayerTraffic& bytes,
                                  const LayerTimes& times) const {
    std::vector<Metric> list = packets_of(cost);
    for (const Metric& metric : {predicted_metric("vtcm_bytes", bytes.vtcm, "B"),
                                 predicted_metric("l2_bytes", bytes.l2, "B"),
                                 predicted_metric("ddr_bytes", bytes.ddr, "B"),
                                 predicted_metric("fetch_cycles", times.fetching, ""),
                                 predicted_metric("waits", times.waits, ""),
                                 predicted_metric("cycles", times.cycles(), "")}) {
      list.push_back(metric);
    }
    if (bytes.spilled > 0) {
      list.push_back(exact_bytes("spilled_bytes", static_cast<size_t>(bytes.spilled),
                                 "of tensors that have no room in VTCM"));
    }
    if (bytes.away > 0) {
      list.push_back(exact_bytes("away_bytes", static_cast<size_t>(bytes.away),
                                 "of constants that have no room in VTCM"));
    }
    if (counted_ && macs > 0 && cost.packets > 0) {
      list.push_back(
          emulation::counted("macs_per_packet", macs / static_cast<double>(cost.packets)));
    }
    return list;
  }

  std::vector<std::string> notes() const {
    return {counted_
                ? str("the code ran on qemu-hexagon, built for ", dsp().core,
                      " by clang with -O2: every byte of the result is the reference's, packets "
                      "are counted; copies into VTCM, which a DMA would make, are not among them")
                : "the code was not run: packets are those that layers of their kind take "
                  "(predicted)",
            str("cycles are packets of ",
                has_threads() ? "the thread that has most of a layer, what waking threads takes"
                              : "one thread",
                ", what they wait for vectors that the packet "
                "before makes, and what layers wait for main memory, at ",
                fixed(dsp().clock_mhz, 0),
                " MHz; what lies in no VTCM goes through a cache that keeps what was touched "
                "last, and is read ahead")};
  }

  DspRun run_;
  bool counted_;
  DspTraffic traffic_;
  std::vector<ThreadShares> shares_;
  std::vector<LayerTimes> times_;
};

PacketCost estimated_cost(double packets) {
  return {.packets = static_cast<uint64_t>(std::llround(packets))};
}

// Parts of a layer are taken to be alike.
DspRun estimated_run(const c_code::Plan& plan) {
  const std::vector<double> packets = c_code::estimated_packets(plan);
  DspRun run;
  for (size_t s = 0; s < packets.size(); ++s) {
    const size_t parts = s < plan.parts.size() && plan.parts[s].cut() ? plan.parts[s].count : 0;
    run.layers.push_back(estimated_cost(packets[s]));
    run.parts.emplace_back(
        parts, estimated_cost(packets[s] / static_cast<double>(std::max<size_t>(1, parts))));
  }
  return run;
}

}  // namespace

std::unique_ptr<Program> make_emulated_dsp(std::shared_ptr<const Program> predicted,
                                           std::shared_ptr<const c_code::Plan> plan, DspRun run,
                                           const Device& device) {
  return std::make_unique<DspProgram>(std::move(predicted), std::move(plan), std::move(run), device,
                                      Packets::Counted);
}

std::unique_ptr<Program> make_estimated_dsp(std::shared_ptr<const Program> predicted,
                                            std::shared_ptr<const c_code::Plan> plan,
                                            const Device& device) {
  if (!device.analytic()->dsp) return nullptr;
  DspRun run = estimated_run(*plan);
  return std::make_unique<DspProgram>(std::move(predicted), std::move(plan), std::move(run), device,
                                      Packets::Estimated);
}

}  // namespace hone::hexagon
