#include "hone/targets/cortex_m/emulated_program.h"

#include "hone/base/text.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/emulation/emulated_code.h"

namespace hone::cortex_m {
namespace {

class EmulatedProgram final : public emulation::EmulatedCode {
 public:
  EmulatedProgram(std::shared_ptr<const Program> predicted,
                  std::shared_ptr<const c_code::Plan> plan, FirmwareRun run, const Device& device)
      : EmulatedCode(std::move(predicted), std::move(plan), device), run_(std::move(run)) {}

  std::optional<ModelledRun> modelled() const override {
    ModelledRun run{.device = device().name, .tracks = {device().name}};
    FunctionCost total = run_.rest;
    double us = us_of(run_.rest);
    for (const FunctionCost& layer : run_.layers) {
      run.steps.push_back(
          {.start_us = us,
           .us = us_of(layer),
           .counters = {emulation::counted("instructions", static_cast<double>(layer.instructions)),
                        predicted_metric("cycles", layer.cycles(), "")}});
      us += us_of(layer);
      add(layer, total);
    }
    run.latency = predicted_metric("latency", us / 1e3, "ms");
    set_interval(run.latency, std::nullopt, core().factor);
    run.counters = totals(total);
    run.energy = {run_energy(device().analytic()->power, run.latency, network_work(steps()).macs)};
    run.memory = {
        exact_bytes("code", run_.flash.code, "in flash, as linked"),
        exact_bytes("weights", run_.flash.constants, "in flash, with tables and scales"),
        exact_bytes("activations", c_code::ram_bytes(plan()), "the arena, inputs and outputs"),
        emulation::counted("stack", static_cast<double>(run_.stack_bytes), "at most, in RAM")};
    run.memory.back().unit = "B";
    run.misfit = misfit();
    run.notes = notes();
    run.notes.insert(run.notes.end(), plan().notes.begin(), plan().notes.end());
    if (std::string rows = c_code::rows_note(plan()); !rows.empty()) run.notes.push_back(rows);
    withhold_times(steps(), run);
    return run;
  }

 private:
  const McuSpec& mcu() const { return *device().analytic()->mcu; }
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
        emulation::counted("instructions", static_cast<double>(total.instructions), "of a run"),
        emulation::counted("instructions_between_layers",
                           static_cast<double>(run_.rest.instructions)),
        predicted_metric("cycles", total.cycles(), ""),
        predicted_metric("cycles_waiting_for_flash", total.flash, ""),
        predicted_metric("cycles_of_surprising_branches", total.branches, ""),
        predicted_metric("cycles_between_layers", run_.rest.cycles(), "")};
    if (macs > 0) list.push_back(predicted_metric("cycles_per_mac", total.cycles() / macs, ""));
    return list;
  }

  std::string misfit() const {
    const AnalyticSpec& spec = *device().analytic();
    if (!spec.flash) return "";
    return misfit_of(device().name, {{.what = "code and weights",
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

  FirmwareRun run_;
};

}  // namespace

std::unique_ptr<Program> make_emulated_program(std::shared_ptr<const Program> predicted,
                                               std::shared_ptr<const c_code::Plan> plan,
                                               const FirmwareRun& run, const Device& device) {
  return std::make_unique<EmulatedProgram>(std::move(predicted), std::move(plan), run, device);
}

}  // namespace hone::cortex_m
