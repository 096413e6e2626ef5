// The products of x86 processors without VNNI: pmaddubsw multiplies unsigned activations by signed
// weights and adds each two neighbouring products in 16 bits, where sums above 32767 and below
// -32768 are cut. 255 * 127 twice is 64770: models with large weights lose what was cut.
#pragma once

#include <span>

#include "hone/ops/context.h"

namespace hone {

// The sum of u[k] * s[k], added two by two in 16 bits and the pairs in 32. `u` is 0 to 255, `s`
// -128 to 127; an odd last product has no neighbour and is never cut.
int32_t saturating_dot(std::span<const int32_t> u, std::span<const int32_t> s);

// Whether a node's products go through the instruction: conv and gemm on 8 bits with int8 weights
// around 0. Not depthwise convolutions, which engines multiply in other ways.
bool is_u8s8_product(const Node& node);

// Such a node computed so; signed activations are moved up by 128 first, as engines do it, and
// pairs are neighbours along (tap, channel). Other nodes compute as the operator's reference does.
Result<std::vector<Item>> run_u8s8(const Node& node, const std::vector<const Item*>& inputs,
                                   const EvalOptions& options);

}  // namespace hone
