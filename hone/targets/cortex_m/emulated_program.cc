#include "hone/targets/cortex_m/emulated_program.h"

#include "hone/base/text.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"

namespace hone::cortex_m {
namespace {

Metric counted(std::string name, double value, std::string note = "") {
  return {.name = std::move(name), .value = value, .mode = Mode::Emulated, .note = std::move(note)};
}

StepFamily family_of(const c_code::Step& step) {
  const std::string_view kernel = step.calls[0].kernel;
  if (kernel.starts_with("hone_depthwise")) return StepFamily::Depthwise;
  return node_cost(*step.node).macs > 0 ? StepFamily::Product : StepFamily::Other;
}

class EmulatedProgram final : public Program {
 public:
  EmulatedProgram(std::shared_ptr<const Program> predicted,
                  std::shared_ptr<const c_code::Plan> plan, FirmwareRun run, const Device& device)
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
    FunctionCost total = run_.rest;
    double us = us_of(run_.rest);
    for (const FunctionCost& layer : run_.layers) {
      run.steps.push_back(
          {.start_us = us,
           .us = us_of(layer),
           .counters = {counted("instructions", static_cast<double>(layer.instructions)),
                        predicted_metric("cycles", layer.cycles(), "")}});
      us += us_of(layer);
      add(layer, total);
    }
    run.latency = predicted_metric("latency", us / 1e3, "ms");
    set_interval(run.latency, std::nullopt, core().factor);
    run.counters = totals(total);
    run.energy = {run_energy(device_.analytic()->power, run.latency, network_work(steps()).macs)};
    run.memory = {
        exact_bytes("code", run_.flash.code, "in flash, as linked"),
        exact_bytes("weights", run_.flash.constants, "in flash, with tables and scales"),
        exact_bytes("activations", c_code::ram_bytes(*plan_), "the arena, inputs and outputs"),
        counted("stack", static_cast<double>(run_.stack_bytes), "at most, in RAM")};
    run.memory.back().unit = "B";
    run.misfit = misfit();
    run.notes = notes();
    run.notes.insert(run.notes.end(), plan_->notes.begin(), plan_->notes.end());
    if (std::string rows = c_code::rows_note(*plan_); !rows.empty()) run.notes.push_back(rows);
    withhold_times(steps(), run);
    return run;
  }

 private:
  const McuSpec& mcu() const { return *device_.analytic()->mcu; }
  const Core& core() const { return *find_core(mcu().core); }
  double us_of(const FunctionCost& cost) const { return cost.cycles() / mcu().clock_mhz; }

  static void add(const FunctionCost& cost, FunctionCost& total) {
    total.instructions += cost.instructions;
    total.issue += cost.issue;
    total.branches += cost.branches;
    total.flash += cost.flash;
  }

  std::vector<Metric> totals(const FunctionCost& total) const {
    const double macs = network_work(steps()).macs;
    std::vector<Metric> list = {
        counted("instructions", static_cast<double>(total.instructions), "of a run"),
        counted("instructions_between_layers", static_cast<double>(run_.rest.instructions)),
        predicted_metric("cycles", total.cycles(), ""),
        predicted_metric("cycles_waiting_for_flash", total.flash, ""),
        predicted_metric("cycles_of_surprising_branches", total.branches, ""),
        predicted_metric("cycles_between_layers", run_.rest.cycles(), "")};
    if (macs > 0) list.push_back(predicted_metric("cycles_per_mac", total.cycles() / macs, ""));
    return list;
  }

  std::string misfit() const {
    const AnalyticSpec& spec = *device_.analytic();
    if (!spec.flash) return "";
    return misfit_of(device_.name, {{.what = "code and weights",
                                     .asked = run_.flash.all(),
                                     .where = "flash",
                                     .there = static_cast<uint64_t>(spec.flash->bytes)}});
  }

  std::vector<std::string> notes() const {
    return {
        str("the firmware ran on ", run_.emulator, ", built for a ", core().built_as,
            " with -O3: every byte of the result is the reference's, ", "instructions are counted"),
        str("cycles are those of an in-order pipeline (", core().source,
            ") and of lines of flash that are in no cache, activations in memory without wait "
            "states; at ",
            fixed(mcu().clock_mhz, 0), " MHz")};
  }

  std::shared_ptr<const Program> predicted_;
  std::shared_ptr<const c_code::Plan> plan_;
  FirmwareRun run_;
  Device device_;
};

}  // namespace

std::unique_ptr<Program> make_emulated_program(std::shared_ptr<const Program> predicted,
                                               std::shared_ptr<const c_code::Plan> plan,
                                               const FirmwareRun& run, const Device& device) {
  return std::make_unique<EmulatedProgram>(std::move(predicted), std::move(plan), run, device);
}

}  // namespace hone::cortex_m
