// What lowerings share.
#pragma once

#include <span>

#include "hone/passes/match.h"
#include "hone/targets/cuda/source.h"
#include "hone/targets/cuda/step.h"

namespace hone::cuda {

// Kernels count elements in 32 bits.
inline constexpr int64_t kMostElements = (int64_t{1} << 31) - 1;

// A tensor of 16 or 32-bit floats whose elements kernels can count; `constant` ones too.
bool is_float_tensor(const Value* value, const StepBuilder& builder);

// Whether a lowering of this name takes the node: conv, gemm, pools over windows, resizes that only
// repeat elements, concat.
bool takes_conv(const Node& node, const StepBuilder& builder);
bool takes_gemm(const Node& node, const StepBuilder& builder);
bool takes_pool(const Node& node, const StepBuilder& builder);
bool takes_repeats(const Node& node, const StepBuilder& builder);
bool takes_concat(const Node& node, const StepBuilder& builder);

StepKind kind_of_step(StepFamily family, std::string work, const Node& node);

// One launch of one kernel, `threads` of them in blocks.
Variant simple_variant(KernelSource kernel, int64_t threads, unsigned block,
                       std::vector<Slot> arguments);

// Elements that a thread takes at once: the most that divide `extents` and lie in 16 bytes.
int64_t pack_of(DType dtype, std::span<const int64_t> extents);

}  // namespace hone::cuda
