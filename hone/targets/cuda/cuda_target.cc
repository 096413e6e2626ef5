// NVIDIA GPUs: kernels compiled for the network at hand, chosen by measurement, run as one graph.

#include "hone/base/text.h"
#include "hone/cuda/compiler.h"
#include "hone/cuda/probe.h"
#include "hone/targets/common/reference_support.h"
#include "hone/targets/cuda/cuda_program.h"
#include "hone/targets/cuda/roofs/measure_roofs.h"

namespace hone {
namespace {

class CudaTarget final : public Target {
 public:
  Support supports(const Node& node) const override { return reference_support(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    HONE_TRY(const cuda::Gpu* gpu, cuda::Gpu::open());
    const bool newer = options.precision == Precision::BF16 || options.precision == Precision::TF32;
    if (newer && gpu->info().major < 8) {
      return unsupported(gpu->info().name, " computes in fp32 or fp16, not in ",
                         name_of(options.precision))
          .needs({HintKind::Precision});
    }
    HONE_RETURN_IF_ERROR(cuda::find_compiler());
    HONE_TRY(std::unique_ptr<cuda::Plan> plan,
             cuda::make_plan(std::move(graph), options, gpu->info()));
    const size_t needed = plan->arena_bytes + plan->constant_bytes;
    if (needed > gpu->info().memory_bytes) {
      return out_of_resource("the network needs ", human_bytes(needed), " of the GPU's memory, ",
                             gpu->info().name, " has ", human_bytes(gpu->info().memory_bytes));
    }
    HONE_TRY(auto loaded, cuda::load_plan(*gpu, std::move(plan)));
    return cuda::make_cuda_program(std::move(loaded));
  }
};

// What kernels are there for. Parts of a concatenation that differ in scale have none.
const IntegerSupport kCudaIntegers = {
    .ops = {"conv", "gemm", "matmul", "add", "sub", "mul", "global_average_pool", "reduce_mean",
            "average_pool", "max_pool", "reshape", "flatten", "squeeze", "unsqueeze", "transpose"},
    .tables = true,
    .activations = {DType::I8, DType::U8},
};

Support cuda_is_here() {
  const auto gpu = cuda::Gpu::open();
  if (!gpu.ok()) return Support::no(gpu.error().message);
  const Status compiler = cuda::find_compiler();
  return compiler.ok() ? Support::yes() : Support::no(compiler.error().message);
}

Result<std::string> probe_cuda() {
  HONE_TRY(std::string gpu, cuda::probe_gpu());
  HONE_RETURN_IF_ERROR(cuda::find_compiler());
  return gpu;
}

std::string gpu_name() {
  const auto gpu = cuda::Gpu::open();
  return gpu.ok() ? (*gpu)->info().name : "no GPU";
}

std::string gpu_driver() {
  const auto gpu = cuda::Gpu::open();
  return gpu.ok() ? cuda::driver_text((*gpu)->info()) : "";
}

}  // namespace

extern const TargetDef target_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs: kernels compiled for the network and chosen by measurement.",
    .mode = Mode::Measured,
    .open = [] { return std::unique_ptr<Target>(std::make_unique<CudaTarget>()); },
    .integers = &kCudaIntegers,
    .here = cuda_is_here,
    .probe = probe_cuda,
    .device = gpu_name,
    .driver = gpu_driver,
    .measure_roofs = cuda::measure_roofs,
};

}  // namespace hone
