#include "hone/targets/analytic/analytic_target.h"

#include "hone/base/text.h"
#include "hone/targets/analytic/analytic_memory.h"
#include "hone/targets/analytic/learned_program.h"
#include "hone/targets/analytic/step_traits.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"

namespace hone {
namespace {

struct WorkKind {
  std::string_view name;  // A key of AnalyticSpec::efficiency.
  StepFamily family;
};

WorkKind work_kind(const StepInfo& step) {
  if (!step.node->op.starts_with("conv")) {
    return step.cost.macs > 0 ? WorkKind{"product", StepFamily::Product}
                              : WorkKind{"other", StepFamily::Other};
  }
  return is_depthwise(*step.node) ? WorkKind{"depthwise", StepFamily::Depthwise}
                                  : WorkKind{"dense", StepFamily::Product};
}

class AnalyticProgram final : public Program {
 public:
  AnalyticProgram(std::unique_ptr<Program> computes, const Device& device, Precision precision)
      : computes_(std::move(computes)),
        device_(device),
        work_(analytic_work(computes_->steps(), precision)) {}

  std::unique_ptr<Session> open() const override { return computes_->open(); }
  const Graph& graph() const override { return computes_->graph(); }
  std::optional<MemorySummary> memory() const override { return computes_->memory(); }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos = computes_->steps();
    for (size_t s = 0; s < infos.size(); ++s) {
      infos[s].kind = {
          .family = work_kind(infos[s]).family,
          .work = std::string(work_[s].kind),
          .variant = std::string(work_[s].precision),
          .precision = arithmetic_named(work_[s].precision).value_or(Arithmetic::Unknown)};
      infos[s].packed_bytes = infos[s].scratch_bytes = 0;
    }
    return infos;
  }

  std::optional<ModelledRun> modelled() const override {
    const AnalyticSpec& spec = *device_.analytic();
    ModelledRun run{.device = device_.name, .tracks = {device_.name}};
    double us = spec.run_us;
    for (const AnalyticStep& step : work_) {
      const StepPrediction prediction = predict_step(spec, step);
      run.steps.push_back(
          {.start_us = us,
           .us = prediction.us,
           .counters = {predicted_metric("arithmetic", prediction.arithmetic_us, "us"),
                        predicted_metric("memory", prediction.memory_us, "us")}});
      us += prediction.us;
    }
    run.latency = with_interval(predicted_metric("latency", us / 1e3, "ms"));
    run.energy = {run_energy(spec.power, run.latency, network_work(computes_->steps()).macs)};
    add_analytic_memory(*computes_, device_, run);
    run.notes.emplace_back("results are computed on this CPU; times are predicted");
    if (device_.fit) run.notes.push_back(fit_text(device_));
    run.uncovered = coverage_notes(device_.fit, network_work(computes_->steps()));
    run.notes.insert(run.notes.end(), run.uncovered.begin(), run.uncovered.end());
    withhold_times(computes_->steps(), run);
    return run;
  }

 private:
  Metric with_interval(Metric metric) const {
    set_interval(metric, device_.fit, device_.analytic()->factor);
    return metric;
  }

  std::unique_ptr<Program> computes_;
  Device device_;
  std::vector<AnalyticStep> work_;
};

class AnalyticTarget final : public Target {
 public:
  explicit AnalyticTarget(const Device& device)
      : device_(device), cpu_((*find_target("cpu"))->open()) {}

  Support supports(const Node& node) const override { return cpu_->supports(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    if (!options.keep_values) {
      HONE_RETURN_IF_ERROR(check_has_figures(device_, options.precision));
    }
    std::unique_ptr<Graph> copy;
    // Whoever asks for values sees them as this CPU makes them.
    const bool learned = device_.analytic()->membership.has_value() && !options.keep_values;
    if (learned) copy = graph.clone();
    CompileOptions computes = options;
    computes.whole_values = true;
    HONE_TRY(std::unique_ptr<Program> program, cpu_->compile(std::move(graph), computes));
    if (learned) {
      return make_learned_program(std::move(program), std::move(*copy), device_, options);
    }
    if (device_.analytic()->membership) return program;
    return {std::make_unique<AnalyticProgram>(std::move(program), device_, options.precision)};
  }

 private:
  Device device_;
  std::unique_ptr<Target> cpu_;
};

}  // namespace

std::vector<AnalyticStep> analytic_work(const std::vector<StepInfo>& steps, Precision precision) {
  std::vector<AnalyticStep> work;
  const std::string_view floats = precision == Precision::F16 ? "fp16" : "fp32";
  for (const StepInfo& step : steps) {
    work.push_back({.kind = work_kind(step).name,
                    .precision = precision_of(*step.node, floats),
                    .ops = static_cast<double>(step.cost.flops),
                    .bytes = static_cast<double>(step.cost.bytes())});
  }
  return work;
}

std::unique_ptr<Target> make_analytic_target(const Device& device) {
  return std::make_unique<AnalyticTarget>(device);
}

const IntegerSupport* analytic_integers(const Device& device) {
  const AnalyticSpec& spec = *device.analytic();
  const bool learned = spec.membership && spec.membership->classes.contains("int8");
  return learned || spec.peak_ops.contains("int8") ? (*find_target("cpu"))->integers : nullptr;
}

}  // namespace hone
