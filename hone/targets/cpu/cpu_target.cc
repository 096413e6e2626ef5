// Hone's own engine for this CPU: a plan made once, kernels chosen by what the CPU has, one arena.

#include "hone/targets/common/reference_support.h"
#include "hone/targets/cpu/cpu_program.h"
#include "hone/targets/cpu/precision.h"

namespace hone {
namespace {

class CpuTarget final : public Target {
 public:
  Support supports(const Node& node) const override { return reference_support(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    CompileOptions usable = options;
    usable.precision = cpu::kernel_precision(options.precision);
    HONE_TRY(std::unique_ptr<cpu::Plan> plan, cpu::make_plan(std::move(graph), usable));
    return cpu::make_cpu_program(std::move(plan));
  }
};

// What fuse_qdq turns into integer operators, and kernels are there for.
const IntegerSupport kIntegers = {
    .ops = {"conv", "gemm", "matmul", "add", "sub", "mul", "global_average_pool", "reduce_mean",
            "average_pool", "max_pool", "concat", "reshape", "flatten", "squeeze", "unsqueeze",
            "transpose", "resize"},
    .tables = true,
    .activations = {DType::I8, DType::U8, DType::I16},
};

}  // namespace

extern const TargetDef target_cpu = {
    .name = "cpu",
    .summary = "Hone's own kernels on this CPU, planned once and run by threads.",
    .mode = Mode::Measured,
    .open = [] { return std::unique_ptr<Target>(std::make_unique<CpuTarget>()); },
    .integers = &kIntegers,
};

}  // namespace hone
