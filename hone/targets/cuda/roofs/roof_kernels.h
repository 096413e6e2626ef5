// Kernels that do one thing as fast as a GPU can: what its roofs are measured with.
#pragma once

#include <string>
#include <vector>

#include "hone/cuda/kernels.h"

namespace hone::cuda {

// Arithmetic of one instruction.
struct MathKernel {
  std::string precision;    // "fp32", "tf32", "fp16", "bf16", "int8".
  std::string instruction;  // "ffma", "mma m16n8k16", "wgmma m64n256k16".
  KernelSource kernel;      // Takes an address that it never writes to.
  unsigned block = 0;
  unsigned blocks_at_once = 1;  // Of a multiprocessor.
  unsigned shared_bytes = 0;
  double operations = 0;  // Of a block; a multiply-add is two.
};

// One for each precision that the GPU has instructions for, its fastest; on tensor cores but for
// fp32, whose products the cuda target computes on cores, too.
std::vector<MathKernel> math_kernels(const GpuInfo& gpu);

enum class Traffic { Read, Write, Copy };

// Goes over memory `rounds` times. Takes its address and how many pieces of 16 bytes there are.
inline constexpr unsigned kMemoryBlockThreads = 512;
KernelSource memory_kernel(Traffic traffic, int64_t rounds);

// Does nothing.
KernelSource empty_kernel();

}  // namespace hone::cuda
