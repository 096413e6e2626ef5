#include "hone/targets/hexagon/hexagon_target.h"

#include <algorithm>

#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/c_code/reference_tests.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/emulation/emulate.h"
#include "hone/targets/emulation/writable_code.h"
#include "hone/targets/hexagon/dsp_program.h"
#include "hone/targets/hexagon/dsp_run.h"

namespace hone {
namespace {

class HexagonProgram final : public emulation::WritableCode {
 public:
  HexagonProgram(std::unique_ptr<Program> predicted, Graph given, Result<c_code::Plan> plan,
                 const Device& device)
      : WritableCode(std::move(predicted), std::move(given), std::move(plan), device) {
    if (plan_) estimated_ = hexagon::make_estimated_dsp(predicted_, plan_, device_);
  }

  // As it is written, where C has kernels for all of it; a roofline elsewhere.
  const Graph& graph() const override { return told().graph(); }
  std::vector<StepInfo> steps() const override { return told().steps(); }
  std::optional<MemorySummary> memory() const override { return told().memory(); }
  std::optional<ModelledRun> modelled() const override { return told().modelled(); }
  std::vector<Placement> placements() const override {
    return estimated_ ? estimated_->placements() : predicted_->placements();
  }

  Result<Emulation> emulate(const std::vector<Item>& inputs) const override {
    const std::optional<DspSpec>& dsp = device_.analytic()->dsp;
    if (!dsp || !modelled()->misfit.empty()) return Emulation{};
    if (!plan_) return not_run(no_plan_.message);
    HONE_TRY(const auto tests,
             c_code::reference_tests(given_, *plan_, {c_code::as_bytes(inputs, *plan_)}));
    if (const std::string missing = hexagon::missing_tools(); !missing.empty()) {
      HONE_TRY(const bool right, emulation::test_on_host(*plan_, names(), tests));
      return not_run(right ? missing +
                                 "; built for this machine, with plain C in place of its "
                                 "vectors, it gives the reference's bytes"
                           : missing);
    }
    HONE_TRY(hexagon::DspRun run, hexagon::run_on_dsp(*plan_, names(), tests, *dsp));
    return Emulation{hexagon::make_emulated_dsp(predicted_, plan_, std::move(run), device_)};
  }

  Result<emulation::PartedRun> run_parts(const emulation::PartedProgram& program) const override {
    HONE_RETURN_IF_ERROR(check_writable());
    const std::optional<DspSpec>& dsp = device_.analytic()->dsp;
    if (!dsp)
      return unsupported(device_.name, ": its file names no core to emulate, expected [dsp]");
    if (const std::string missing = hexagon::missing_tools(); !missing.empty()) {
      return out_of_resource(missing);
    }
    return hexagon::run_parts_on_dsp(*plan_, names(), program, *dsp);
  }

  c_code::ProjectNames names() const override {
    const std::optional<DspSpec>& dsp = device_.analytic()->dsp;
    return {.model = given_.name.empty() ? "a network" : given_.name,
            .device = device_.name,
            .prefix = c_code::prefix_of(given_),
            .core = dsp ? dsp->core : "",
            .core_flags = dsp ? hexagon::core_flags(*dsp) : "",
            .toolchain = c_code::Toolchain::Hexagon};
  }

 private:
  const Program& told() const { return estimated_ ? *estimated_ : *predicted_; }

  Emulation not_run(const std::string& why) const {
    return {.why_not = str(estimated_ ? "packets are estimated" : "times are those of a roofline",
                           "; the code itself was not run: ", why)};
  }

  std::unique_ptr<Program> estimated_;
};

class HexagonTarget final : public Target {
 public:
  explicit HexagonTarget(const Device& device)
      : device_(device), analytic_(make_analytic_target(device)) {}

  Support supports(const Node& node) const override { return analytic_->supports(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    std::unique_ptr<Graph> given = graph.clone();
    HONE_TRY(auto predicted, analytic_->compile(std::move(graph), options));
    // Whoever asks for values sees them as this CPU makes them.
    if (options.keep_values) return predicted;
    HONE_TRY(const c_code::CoreKernels core, core_of(options));
    auto plan = c_code::make_plan(std::move(*given->clone()), options, core);
    // What has no room does not run; what has no kernel is told beside what it would take.
    if (!plan.ok() && plan.error().kind == ErrorKind::Resource) return plan.error();
    return {std::make_unique<HexagonProgram>(std::move(predicted), std::move(*given),
                                             std::move(plan), device_)};
  }

 private:
  // One thread unless more are asked for: several need a function of the product that runs them.
  Result<c_code::CoreKernels> core_of(const CompileOptions& options) const {
    const std::optional<DspSpec>& dsp = device_.analytic()->dsp;
    if (!dsp) return c_code::CoreKernels{.hvx = true};
    const int64_t threads = std::max(options.threads, 1);
    if (threads > dsp->threads) {
      return bad_input("there are ", threads, " threads to compute with, but ", device_.name,
                       " has ", dsp->threads);
    }
    const int64_t contexts = dsp->hvx_contexts > 0 ? dsp->hvx_contexts : dsp->threads;
    return c_code::CoreKernels{.hvx = dsp->hvx,
                               .vtcm_bytes = static_cast<size_t>(dsp->vtcm_kib) * 1024,
                               .threads = static_cast<size_t>(threads),
                               .contexts = static_cast<size_t>(contexts),
                               .wake_cycles = dsp->wake_cycles};
  }

  Device device_;
  std::unique_ptr<Target> analytic_;
};

}  // namespace

std::unique_ptr<Target> make_hexagon_target(const Device& device) {
  return std::make_unique<HexagonTarget>(device);
}

}  // namespace hone
