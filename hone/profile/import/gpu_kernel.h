// What the name of a kernel of NVIDIA's libraries and of PyTorch tells of it.
#pragma once

#include <string>
#include <string_view>

#include "hone/targets/step_kind.h"

namespace hone {

// "cutlass_80_simt_sgemm_256x128_8x4_nn_align1" of "void cutlass::Kernel2<cutlass_80_...>(...)",
// "vectorized_elementwise_kernel CUDAFunctor_add" of
// "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<...>>(...)".
std::string short_kernel_name(std::string_view name);

// Whether a product computes on the cores for matrices: "tensor cores" or "fp32 cores" as the
// variant of its kind. Kernels that say nothing have no variant.
inline constexpr std::string_view kOnTensorCores = "tensor cores";
inline constexpr std::string_view kOnFp32Cores = "fp32 cores";

// What a copy between host and GPU is called, with its way as the variant: "HtoD, pageable".
inline constexpr std::string_view kCopyWork = "copy";

// Family, precision and variant as far as the name tells them; `work` is the short name.
StepKind kind_of_gpu_kernel(std::string_view name);

// Kernels that copy change types or only places, and their names do not always tell: that of the
// operator that the program called does.
void tell_copy_by_operator(std::string_view op, StepKind& kind);

}  // namespace hone
