#include "hone/targets/hexagon/hexagon_target.h"

#include "hone/base/progress.h"
#include "hone/targets/analytic/analytic_memory.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/c_code/reference_tests.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/emulation/emulate.h"
#include "hone/targets/firmware_program.h"
#include "hone/targets/hexagon/dsp_run.h"
#include "hone/targets/hexagon/emulated_dsp.h"

namespace hone {
namespace {

constexpr size_t kDspSelfTests = 2;

// A predicted program that can be written, where C has kernels for all of it.
class HexagonProgram final : public Program, public FirmwareProgram {
 public:
  HexagonProgram(std::unique_ptr<Program> predicted, Graph given, Result<c_code::Plan> plan,
                 const Device& device)
      : predicted_(std::move(predicted)), given_(std::move(given)), device_(device) {
    if (plan.ok()) {
      plan_ = std::make_shared<const c_code::Plan>(*std::move(plan));
    } else {
      no_plan_ = plan.error();
      if (no_plan_.hint.kind == HintKind::QuantizedModel) no_plan_.hint.of = device_.name;
    }
  }

  std::unique_ptr<Session> open() const override { return predicted_->open(); }
  const Graph& graph() const override { return predicted_->graph(); }
  std::vector<StepInfo> steps() const override { return predicted_->steps(); }
  std::vector<Placement> placements() const override { return predicted_->placements(); }
  std::optional<MemorySummary> memory() const override { return predicted_->memory(); }

  // Memory is that of the program as it is written, code apart.
  std::optional<ModelledRun> modelled() const override {
    std::optional<ModelledRun> run = predicted_->modelled();
    if (run && plan_) {
      set_analytic_memory(
          {.weights = plan_->constant_bytes,
           .live = {c_code::name_of(c_code::fullest_step(*plan_)), c_code::ram_bytes(*plan_)}},
          device_, *run);
    }
    return run;
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

  std::vector<std::string> files() const override { return c_code::project_files(names()); }

  Status check_writable() const override {
    if (!plan_) return no_plan_;
    if (const auto run = modelled(); !run->misfit.empty()) return out_of_resource(run->misfit);
    return Done{};
  }

  Status write(const std::filesystem::path& folder) const override {
    HONE_RETURN_IF_ERROR(check_writable());
    for (const std::string& note : plan_->notes) say_on_stderr(note);
    HONE_TRY(const auto tests,
             c_code::reference_tests(given_, *plan_, c_code::noise_inputs(*plan_, kDspSelfTests)));
    return c_code::write_project(*plan_, names(), tests, folder);
  }

 private:
  c_code::ProjectNames names() const {
    const std::optional<DspSpec>& dsp = device_.analytic()->dsp;
    return {.model = given_.name.empty() ? "a network" : given_.name,
            .device = device_.name,
            .prefix = c_code::prefix_of(given_),
            .core = dsp ? dsp->core : "",
            .core_flags = dsp ? hexagon::core_flags(*dsp) : "",
            .toolchain = c_code::Toolchain::Hexagon};
  }

  static Emulation not_run(const std::string& why) {
    return {.why_not = str("times are those of a roofline; the code itself was not run: ", why)};
  }

  std::shared_ptr<const Program> predicted_;
  Graph given_;
  std::shared_ptr<const c_code::Plan> plan_;  // Null where C has no kernels for some of it,
  Error no_plan_ = {};                        // and which.
  Device device_;
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
    auto plan = c_code::make_plan(std::move(*given->clone()), options, {.hvx = true});
    return {std::make_unique<HexagonProgram>(std::move(predicted), std::move(*given),
                                             std::move(plan), device_)};
  }

 private:
  Device device_;
  std::unique_ptr<Target> analytic_;
};

}  // namespace

std::unique_ptr<Target> make_hexagon_target(const Device& device) {
  return std::make_unique<HexagonTarget>(device);
}

}  // namespace hone
