#include "hone/targets/npu/tile_choice.h"

#include <algorithm>
#include <bit>

#include "hone/sim/timing.h"
#include "hone/targets/npu/layer_cost.h"

namespace hone::npu {

std::vector<int64_t> row_choices(const Layer& layer) {
  const int64_t rows = layer.output.image.height;
  std::vector<int64_t> choices = {rows};
  for (int64_t parts = 2; layer.cuts_rows && choices.back() > 1; parts += (parts + 1) / 2) {
    choices.push_back((rows + parts - 1) / parts);
  }
  return choices;
}

TileChoice::TileChoice(const NpuSpec& npu, const ProgramOutline& program,
                       const std::vector<bool>& resident, uint64_t weight_slot,
                       double bytes_per_cycle)
    : npu_(npu), program_(program), resident_(resident), weight_slot_(weight_slot) {
  for (NpuMemory& memory : npu_.memories) {
    memory.read_bytes_per_second = memory.write_bytes_per_second = bytes_per_cycle * npu_.clock_hz;
  }
}

bool TileChoice::resident(const Operand& operand) const {
  return resident_[program_.storages.of(operand.value).storage];
}

uint64_t TileChoice::tile_bytes(const Layer& layer, const Cut& cut, int buffers) const {
  uint64_t bytes = 0;
  for (const Operand& operand : layer.inputs) {
    if (!resident(operand)) bytes += aligned(input_tile_bytes(layer, operand, cut));
  }
  if (!resident(layer.output)) bytes += aligned(output_tile_bytes(layer, cut));
  return bytes * static_cast<uint64_t>(buffers);
}

int64_t TileChoice::block_channels(const Layer& layer, bool streams) const {
  const int64_t all = layer.output.image.channels / layer.groups;
  if (layer.product() == nullptr || streams) return all;
  return std::min(all, channels_that_fit(npu_, layer, weight_slot_));
}

std::optional<LayerPlan> TileChoice::choose(const Layer& layer, uint64_t room) const {
  std::optional<LayerPlan> best;
  double best_cycles = 0;
  const auto consider = [&](LayerPlan plan) {
    if (tile_bytes(layer, plan.cut, plan.buffers) > room) return false;
    const double cycles = estimate(layer, plan);
    if (best && cycles >= best_cycles) return true;
    best = plan;
    best_cycles = cycles;
    return true;
  };
  for (const bool streams : {true, false}) {
    if (streams && !can_stream(npu_, layer)) continue;
    for (const int64_t channels : channel_choices(layer, streams)) {
      for (const int64_t rows : row_choices(layer)) {
        LayerPlan plan{.cut = {rows, channels}, .streams = streams};
        if (!consider(plan)) {
          plan.buffers = 1;
          consider(plan);
        }
        if (everything_resident(layer)) break;
      }
    }
  }
  return best;
}

std::vector<int64_t> TileChoice::channel_choices(const Layer& layer, bool streams) const {
  const int64_t most = block_channels(layer, streams);
  std::vector<int64_t> choices = {most};
  if (most == 0) return {};
  const bool cuts = layer.cuts_channels || layer.product() != nullptr;
  const int64_t step = layer.product() != nullptr ? npu_.matrix.columns : 1;
  for (int64_t c = most / 2; cuts && !everything_resident(layer) && c >= step; c /= 2) {
    choices.push_back((c + step - 1) / step * step);
  }
  return choices;
}

bool TileChoice::everything_resident(const Layer& layer) const {
  return resident(layer.output) && std::ranges::all_of(layer.inputs, [&](const Operand& operand) {
           return resident(operand);
         });
}

// Of a tile that is `part` of its pixels' channels wide: pixels are runs unless it is all.
double TileChoice::transfer_cycles(int64_t bytes, int64_t part, int64_t all) const {
  sim::Transfer transfer{.from = {1, 0}, .to = {0, 0}, .row_bytes = bytes, .from_stride = bytes};
  if (part < all) {
    transfer.rows = bytes / part;
    transfer.row_bytes = part;
    transfer.from_stride = all;
  }
  const sim::TransferTime time = sim::transfer_time(npu_, transfer);
  return time.bus_cycles + time.request_cycles / npu_.dma.channels;
}

double TileChoice::input_cycles(const Layer& layer, const Operand& operand, const Cut& cut) const {
  const int64_t all = operand.image.channels;
  const int64_t part = layer.cuts_channels ? cut.channels : all / layer.groups;
  return transfer_cycles(input_tile_bytes(layer, operand, cut), part, all);
}

// Of the weights of a block, on their memory's bus.
double TileChoice::weight_cycles(const Layer& layer, int64_t channels) const {
  if (npu_.sram.keeps_weights) return 0;
  const NpuMemory& memory = npu_.memories[static_cast<size_t>(npu_.weight_memory)];
  const auto bytes = static_cast<double>(sim::weight_block_bytes(channels, layer.weights.products));
  return bytes * npu_.matrix.weight_compression * npu_.clock_hz / memory.read_bytes_per_second;
}

// Transfers behind computing, the first and the last alone. Sets which loop is outside.
double TileChoice::estimate(const Layer& layer, LayerPlan& plan) const {
  const Image& image = layer.output.image;
  const auto parts = [](int64_t all, int64_t part) {
    return static_cast<double>((all + part - 1) / part);
  };
  const double tiles = parts(image.height, plan.cut.rows);
  const double blocks =
      static_cast<double>(layer.groups) * parts(image.channels / layer.groups, plan.cut.channels);
  double in = 0, out = 0;
  for (const Operand& operand : layer.inputs) {
    if (!resident(operand)) in += input_cycles(layer, operand, plan.cut);
  }
  if (!resident(layer.output)) {
    out = transfer_cycles(output_tile_bytes(layer, plan.cut), plan.cut.channels, image.channels);
  }
  double weights = 0;
  if (layer.product() != nullptr) weights = weight_cycles(layer, plan.cut.channels);
  const bool own_inputs = layer.cuts_channels || layer.groups > 1;  // Each block reads its own.
  const double input_repeats = own_inputs ? 1 : blocks;
  const double weight_repeats = plan.streams ? tiles * blocks : blocks;
  const double weights_outside = tiles * input_repeats * in + weight_repeats * weights;
  const double tiles_outside = tiles * in + tiles * blocks * weights;
  plan.weights_outer = weights_outside <= tiles_outside;
  const double moved = std::min(weights_outside, tiles_outside) + tiles * blocks * out;
  const double computed =
      tiles * blocks *
      (tile_cycles(npu_, layer, plan.cut.rows, plan.cut.channels) + npu_.queue.issue_cycles);
  const double edge = in + out;
  return plan.buffers == 2 ? std::max(moved, computed) + edge : moved + computed;
}

bool can_stream(const NpuSpec& npu, const Layer& layer) {
  return npu.matrix.streams_weights && layer.product() != nullptr &&
         !sim::runs_on_vector(npu, *layer.product());
}

int64_t channels_that_fit(const NpuSpec& npu, const Layer& layer, uint64_t slot) {
  const int64_t all = layer.weights.channels / layer.groups;
  int64_t channels = 0;
  // Blocks grow with their channels, so the largest is found by halving steps.
  for (int64_t step = std::bit_ceil(static_cast<uint64_t>(all)); step > 0; step /= 2) {
    if (channels + step > all) continue;
    const int64_t bytes = sim::weight_block_bytes(channels + step, layer.weights.products);
    if (static_cast<uint64_t>(bytes) <= slot) channels += step;
  }
  const int64_t columns = npu.matrix.columns;
  return channels < all && channels > columns ? channels / columns * columns : channels;
}

}  // namespace hone::npu
