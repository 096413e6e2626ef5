#include "hone/targets/npu/layer_cost.h"

#include <algorithm>

#include "hone/sim/timing.h"

namespace hone::npu {

double weights_us(const NpuSpec& npu, const Layer& layer) {
  const NpuMemory& memory = npu.memories[static_cast<size_t>(npu.weight_memory)];
  double bytes = static_cast<double>(layer.constants.size());
  if (layer.product() != nullptr) {
    bytes = npu.matrix.weight_compression * static_cast<double>(sim::weight_block_bytes(
                                                layer.weights.channels, layer.weights.products));
  }
  return 1e6 * bytes / memory.read_bytes_per_second;
}

double tile_cycles(const NpuSpec& npu, const Layer& layer, int64_t rows, int64_t channels) {
  if (const sim::Product* whole = layer.product()) {
    sim::Product tile = *whole;
    tile.output.height = rows;
    tile.output.channels = channels;
    tile.input.height =
        std::min(tile.input.height, (rows - 1) * tile.window.stride_h +
                                        (tile.window.kernel_h - 1) * tile.window.dilation_h + 1);
    if (tile.depthwise) {
      tile.input.channels = channels;
    } else {
      tile.input.channels /= layer.groups;
    }
    return sim::product_time(npu, tile).cycles;
  }
  sim::VectorCommand tile = *layer.vector();
  tile.output.height = rows;
  tile.output.channels = channels;
  return sim::vector_time(npu, tile).cycles;
}

double engine_us(const NpuSpec& npu, const Layer& layer) {
  const Image& image = layer.output.image;
  const auto groups = static_cast<double>(layer.groups);
  const double cycles =
      groups * tile_cycles(npu, layer, image.height, image.channels / layer.groups);
  return npu.us(cycles + npu.queue.issue_cycles);
}

double layer_us(const NpuSpec& npu, const Layer& layer) {
  const double engines = engine_us(npu, layer);
  return npu.sram.keeps_weights ? engines : std::max(engines, weights_us(npu, layer));
}

double to_host_us(const NpuSpec& npu, uint64_t bytes) {
  const NpuMemory& memory = npu.memories[0];
  return memory.latency_ns / 1e3 + npu.us(npu.dma.setup_cycles) +
         1e6 * static_cast<double>(bytes) / memory.write_bytes_per_second;
}

double to_npu_us(const NpuSpec& npu, uint64_t bytes) {
  const NpuMemory& memory = npu.memories[0];
  return memory.latency_ns / 1e3 + npu.us(npu.dma.setup_cycles) +
         1e6 * static_cast<double>(bytes) / memory.read_bytes_per_second;
}

}  // namespace hone::npu
