// What a node costs on the NPU, on its host, and between the two, before anything is scheduled.
#pragma once

#include "hone/device/npu_spec.h"
#include "hone/targets/npu/layer.h"

namespace hone::npu {

// Of the engines with everything in SRAM.
double engine_us(const NpuSpec& npu, const Layer& layer);
// Of the weights on their way into the SRAM.
double weights_us(const NpuSpec& npu, const Layer& layer);
// Whichever is more, as if an SRAM that keeps weights kept all of them.
double layer_us(const NpuSpec& npu, const Layer& layer);
// Cycles of one tile: `rows` output rows, `channels` output channels.
double tile_cycles(const NpuSpec& npu, const Layer& layer, int64_t rows, int64_t channels);

// Requires check_host.
double host_us(const NpuSpec& npu, const Node& node);
// BadInput where the host names no processor of the catalog.
Status check_host(const NpuSpec& npu);
// To bring a value from the NPU to its host, or the other way; waking the host is apart.
double to_host_us(const NpuSpec& npu, uint64_t bytes);
double to_npu_us(const NpuSpec& npu, uint64_t bytes);

}  // namespace hone::npu
