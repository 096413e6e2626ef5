#include "hone/targets/npu/npu_target.h"

#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/common/reference_support.h"
#include "hone/targets/npu/npu_program.h"
#include "hone/targets/npu/placement.h"

namespace hone {
namespace npu {
namespace {

class NpuProgram final : public Program {
 public:
  explicit NpuProgram(std::shared_ptr<const NpuPlan> plan) : plan_(std::move(plan)) {}

  std::unique_ptr<Session> open() const override {
    HONE_CHECK(!plan_->options.estimate_only, "an estimate is no program to run");
    return open_session(plan_);
  }
  const Graph& graph() const override { return plan_->graph; }
  std::vector<Placement> placements() const override { return plan_->placed.placements; }
  std::optional<ModelledRun> modelled() const override {
    return plan_->options.estimate_only ? estimated_run(*plan_) : modelled_run(*plan_);
  }
  Status write(const std::filesystem::path& folder) const override {
    return write_program(*plan_, folder);
  }
  std::vector<std::string> files() const override { return program_files(); }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (size_t s = 0; s < plan_->program.steps.size(); ++s) {
      const ProgramStep& step = plan_->program.steps[s];
      infos.push_back({.node = step.node, .kind = kind_of(step), .cost = plan_->costs[s]});
    }
    return infos;
  }

  std::optional<MemorySummary> memory() const override {
    if (plan_->options.estimate_only) return std::nullopt;
    const SramPlan& sram = plan_->schedule.sram;
    MemorySummary summary;
    summary.arena_bytes = sram.bytes;
    summary.weight_bytes = plan_->schedule.weight_bytes;
    for (size_t i = 0; i < sram.resident.size(); ++i) {
      const Storage& storage = plan_->program.storages.all[i];
      if (!sram.resident[i]) continue;
      summary.buffers.push_back({storage.value->name, text_of(storage.value->type.tensor),
                                 sram.offsets[i], storage.bytes, storage.first_step,
                                 storage.last_step});
    }
    return summary;
  }

 private:
  StepKind kind_of(const ProgramStep& step) const {
    const Arithmetic precision = arithmetic_of(*step.node);
    if (!step.on_npu) return {.work = "host", .precision = precision, .on_host = true};
    StepKind kind{.work = "vector", .variant = "engine", .precision = precision};
    for (const Layer& layer : step.layers) {
      const sim::Product* product = layer.product();
      if (product == nullptr) continue;
      kind.family = product->depthwise ? StepFamily::Depthwise : StepFamily::Product;
      if (!sim::runs_on_vector(plan_->npu(), *product)) kind.work = "matrix";
    }
    return kind;
  }

  std::shared_ptr<const NpuPlan> plan_;
};

class NpuTarget final : public Target {
 public:
  explicit NpuTarget(const Device& device) : device_(device) {}

  Support supports(const Node& node) const override {
    const Support anywhere = reference_support(node);
    if (!anywhere.full || is_view(node)) return anywhere;
    const auto refusal = refuse(node, device_);
    return refusal ? Support::no(refusal->reason) : Support::yes();
  }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    HONE_TRY(auto plan, make_npu_plan(std::move(graph), device_, options));
    return {std::make_unique<NpuProgram>(std::move(plan))};
  }

 private:
  Device device_;
};

}  // namespace
}  // namespace npu

std::unique_ptr<Target> make_npu_target(const Device& device) {
  return std::make_unique<npu::NpuTarget>(device);
}

const IntegerSupport* npu_integers(const NpuSpec& npu) {
  static const IntegerSupport kPerChannel = {
      .ops = {"conv", "gemm", "matmul", "add", "sub", "mul", "global_average_pool", "reduce_mean",
              "average_pool", "max_pool", "concat", "reshape", "flatten", "squeeze", "unsqueeze",
              "resize"},
      .tables = true,
      .activations = {DType::I8, DType::U8},
  };
  static const IntegerSupport kPerTensor = [] {
    IntegerSupport support = kPerChannel;
    support.per_channel = false;
    return support;
  }();
  return npu.limits.per_channel ? &kPerChannel : &kPerTensor;
}

}  // namespace hone
