// Networks of "NAS-Bench-201: Extending the Scope of Reproducible Neural Architecture Search"
// (2020) for CIFAR-10.
#pragma once

#include <string_view>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// `cell` is written as the benchmark writes it: per node the operators on the results of the nodes
// before it, "|nor_conv_3x3~0|+|none~0|skip_connect~1|+|nor_conv_1x1~0|none~1|avg_pool_3x3~2|"; or
// short, as a digit for each: none 0, skip_connect 1, nor_conv_1x1 2, nor_conv_3x3 3, avg_pool_3x3
// 4, "301204".
Result<Graph> build_nas201(std::string_view cell, uint64_t seed);

}  // namespace hone
