#include "hone/targets/cuda/roofs/roof_kernels.h"

#include <gtest/gtest.h>

#include "hone/cuda/compiler.h"

namespace hone::cuda {
namespace {

GpuInfo gpu_of(int capability) {
  GpuInfo gpu;
  gpu.major = capability / 10;
  gpu.minor = capability % 10;
  return gpu;
}

std::vector<std::string> precisions_of(const GpuInfo& gpu) {
  std::vector<std::string> precisions;
  for (const MathKernel& kernel : math_kernels(gpu)) precisions.push_back(kernel.precision);
  return precisions;
}

TEST(RoofKernels, AreThereForWhatAGpuMultiplies) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(precisions_of(gpu_of(75)), (Names{"fp32", "fp16", "int8"}));
  const Names all = {"fp32", "tf32", "fp16", "bf16", "int8"};
  EXPECT_EQ(precisions_of(gpu_of(80)), all);
  EXPECT_EQ(precisions_of(gpu_of(90)), all);
}

void expect_code(const KernelSource& kernel, const std::string& architecture) {
  const auto code = compile_source(kernel.name, kernel.text, architecture);
  EXPECT_TRUE(code.ok()) << architecture << ": " << code.error().message;
}

TEST(RoofKernels, Compile) {
  if (const Status here = find_compiler(); !here.ok()) GTEST_SKIP() << here.error().message;
  for (const int capability : {75, 80, 90, 100}) {
    const GpuInfo gpu = gpu_of(capability);
    const std::string architecture = architecture_name(gpu.major, gpu.minor);
    for (const MathKernel& kernel : math_kernels(gpu)) {
      SCOPED_TRACE(kernel.instruction);
      expect_code(kernel.kernel, architecture);
    }
    for (const Traffic traffic : {Traffic::Read, Traffic::Write, Traffic::Copy}) {
      expect_code(memory_kernel(traffic, 2), architecture);
    }
    expect_code(empty_kernel(), architecture);
  }
}

}  // namespace
}  // namespace hone::cuda
