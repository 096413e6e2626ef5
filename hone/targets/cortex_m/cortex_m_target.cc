#include "hone/targets/cortex_m/cortex_m_target.h"

#include <algorithm>

#include "hone/base/short_name.h"
#include "hone/base/text.h"
#include "hone/targets/analytic/analytic_memory.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/c_code/reference_tests.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/cortex_m/core.h"
#include "hone/targets/cortex_m/emulated_program.h"
#include "hone/targets/emulation/writable_code.h"

namespace hone {
namespace {

// The layer with the most constants.
LayerBytes most_constants(const c_code::Plan& plan) {
  LayerBytes most;
  for (const c_code::Step& step : plan.steps) {
    const size_t bytes = c_code::constants_of(step);
    if (bytes > most.bytes) most = {c_code::name_of(step), bytes};
  }
  return most;
}

// What the device has where no less is allowed, so that layers run by rows where it is too little.
CompileOptions within_device(CompileOptions options, const Device& device) {
  const auto there = static_cast<uint64_t>(device.analytic()->memory_bytes);
  uint64_t& ram = options.firmware.max_ram;
  if (ram == 0 || ram > there) ram = there;
  return options;
}

// As compilers name it; where the device does not say, one that most have the instructions of.
std::string core_of(const Device& device) {
  if (device.analytic()->mcu) return device.analytic()->mcu->core;
  const auto& membership = device.analytic()->membership;
  const bool told = membership && membership->group.starts_with("cortex-m");
  return told ? membership->group : "cortex-m4";
}

class CortexMProgram final : public emulation::WritableCode {
 public:
  CortexMProgram(std::unique_ptr<Program> predicted, Graph given, Result<c_code::Plan> plan,
                 const FirmwareOptions& firmware, const Device& device)
      : WritableCode(std::move(predicted), std::move(given), std::move(plan), device),
        firmware_(firmware) {}

  std::optional<ModelledRun> modelled() const override {
    std::optional<ModelledRun> run = predicted_->modelled();
    if (run && plan_) set_memory(*run);
    if (run && !plan_ && run->misfit.empty()) {
      run->notes.push_back(str("Hone writes no firmware of it: ", no_plan_.message));
    }
    return run;
  }

  Result<Emulation> emulate(const std::vector<Item>& inputs) const override {
    const std::optional<McuSpec>& mcu = device_.analytic()->mcu;
    if (!mcu || !modelled()->misfit.empty()) return Emulation{};
    const cortex_m::Core* core = cortex_m::find_core(mcu->core);
    if (core == nullptr) {
      return not_run(
          str("no timing of a ", mcu->core, ", expected one of ", join(cortex_m::core_names())));
    }
    if (!plan_) return not_run("none is written");
    HONE_TRY(const auto tests,
             c_code::reference_tests(given_, *plan_, {c_code::as_bytes(inputs, *plan_)}));
    if (const std::string missing = cortex_m::missing_tools(); !missing.empty()) {
      HONE_TRY(const bool right, emulation::test_on_host(*plan_, names(), tests));
      return not_run(right ? missing + "; built for this machine it gives the reference's bytes"
                           : missing);
    }
    HONE_TRY(const cortex_m::FirmwareRun run,
             cortex_m::run_firmware(*plan_, names(), tests, *core, *mcu));
    return Emulation{cortex_m::make_emulated_program(predicted_, plan_, run, device_)};
  }

  // Code is known when it is linked, where there is a compiler.
  Status check_linked() const {
    const std::optional<McuSpec>& mcu = device_.analytic()->mcu;
    const cortex_m::Core* core = mcu ? cortex_m::find_core(mcu->core) : nullptr;
    if (firmware_.max_flash == 0 || core == nullptr) return Done{};
    HONE_TRY(const auto tests,
             c_code::reference_tests(given_, *plan_, c_code::noise_inputs(*plan_, 1)));
    HONE_TRY(const auto flash, cortex_m::linked_flash(*plan_, names(), tests, *core, *mcu));
    if (!flash || flash->all() <= firmware_.max_flash) return Done{};
    return out_of_resource("code and constants take ", flash->all(), " bytes of flash as linked, ",
                           flash->code, " of them code; allowed are ", firmware_.max_flash);
  }

  Result<emulation::PartedRun> run_parts(const emulation::PartedProgram& program) const override {
    HONE_RETURN_IF_ERROR(check_writable());
    const std::optional<McuSpec>& mcu = device_.analytic()->mcu;
    const cortex_m::Core* core = mcu ? cortex_m::find_core(mcu->core) : nullptr;
    if (core == nullptr) {
      return unsupported(device_.name,
                         ": its file names no core to emulate, expected [mcu] with one of ",
                         join(cortex_m::core_names()));
    }
    if (const std::string missing = cortex_m::missing_tools(); !missing.empty()) {
      return out_of_resource(missing);
    }
    return cortex_m::run_parts(*plan_, names(), program, *core, *mcu);
  }

  c_code::ProjectNames names() const override {
    const AnalyticSpec& spec = *device_.analytic();
    const cortex_m::Core* core = cortex_m::find_core(core_of(device_));
    return {.model = given_.name.empty() ? "a network" : given_.name,
            .device = device_.name,
            .prefix = c_code::prefix_of(given_),
            .flash_bytes = spec.flash ? static_cast<size_t>(spec.flash->bytes) : 0,
            .ram_bytes = static_cast<size_t>(spec.memory_bytes),
            .max_flash_bytes = firmware_.max_flash,
            .max_ram_bytes = firmware_.max_ram,
            .core = core == nullptr ? core_of(device_) : std::string(core->built_as),
            .core_flags = core == nullptr ? "" : join(core->flags, " ")};
  }

 private:
  static Emulation not_run(const std::string& why) {
    return {.why_not =
                str("times are those of tuned libraries; the firmware itself was not run: ", why)};
  }

  // That of the program as it is written, code apart.
  void set_memory(ModelledRun& run) const {
    set_analytic_memory(
        {.weights = plan_->constant_bytes,
         .heaviest = most_constants(*plan_),
         .live = {c_code::name_of(c_code::fullest_step(*plan_)), c_code::ram_bytes(*plan_)}},
        device_, run);
    add_parts(run);
    if (std::string rows = c_code::rows_note(*plan_); !rows.empty()) run.notes.push_back(rows);
    withhold_times(steps(), run);
    if (run.misfit.empty() && !run.latency.value) withhold_what_rows_hide(run);
  }

  // Where the network as libraries would run it does not fit, but the firmware does.
  void withhold_what_rows_hide(ModelledRun& run) const {
    const std::string why = str(
        "not predicted of networks that fit ",
        plan_->chains.empty() ? "with floats at their ends left to the caller" : "by row buffering",
        " alone");
    withhold(run.latency, why);
    for (Metric& energy : run.energy) withhold(energy, why);
  }

  // What RAM and flash are made of, and how much of them is allowed.
  void add_parts(ModelledRun& run) const {
    const auto allowed = [](uint64_t bytes) {
      return bytes == 0 ? "" : str(human_bytes(bytes), " allowed");
    };
    const bool code_known = firmware_.max_flash == 0 || cortex_m::can_link();
    for (Metric& metric : run.memory) {
      const bool flash = metric.name == "weights";
      metric.note = allowed(flash ? firmware_.max_flash : firmware_.max_ram);
      if (flash && !code_known) metric.note += ", of which no compiler here tells what code takes";
    }
    run.memory.push_back(exact_bytes(
        "arena", plan_->arena_bytes,
        str("most in use in '", short_name(c_code::name_of(c_code::fullest_step(*plan_))), "'")));
    run.memory.push_back(exact_bytes("inputs", c_code::input_bytes(*plan_),
                                     firmware_.inputs_in_arena ? "in the arena" : ""));
    run.memory.push_back(exact_bytes("outputs", c_code::output_bytes(*plan_)));
  }

  FirmwareOptions firmware_;
};

class CortexMTarget final : public Target {
 public:
  explicit CortexMTarget(const Device& device)
      : device_(device), analytic_(make_analytic_target(device)) {}

  Support supports(const Node& node) const override { return analytic_->supports(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    std::unique_ptr<Graph> given = graph.clone();
    HONE_TRY(auto predicted, analytic_->compile(std::move(graph), options));
    // Whoever asks for values sees them as this CPU makes them.
    if (options.keep_values) return predicted;
    auto plan = c_code::make_plan(std::move(*given->clone()), within_device(options, device_),
                                  cortex_m::kernels_for(core_of(device_)));
    if (options.firmware.asked()) {
      if (!plan.ok()) return emulation::of_device(plan.error(), device_);
      HONE_RETURN_IF_ERROR(c_code::check_budget(*plan, *given, options));
    }
    auto program = std::make_unique<CortexMProgram>(std::move(predicted), std::move(*given),
                                                    std::move(plan), options.firmware, device_);
    HONE_RETURN_IF_ERROR(program->check_linked());
    return {std::move(program)};
  }

 private:
  Device device_;
  std::unique_ptr<Target> analytic_;
};

}  // namespace

std::unique_ptr<Target> make_cortex_m_target(const Device& device) {
  return std::make_unique<CortexMTarget>(device);
}

}  // namespace hone
