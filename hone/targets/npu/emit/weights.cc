#include "hone/targets/npu/emit/weights.h"

#include <algorithm>

namespace hone::npu {
namespace {

uint64_t constants_size(const Layer& layer, const Block& block) {
  if (layer.product() == nullptr) return layer.constants.size();
  return static_cast<uint64_t>(sim::weight_block_bytes(block.count, layer.weights.products));
}

void add_image(Emission& emission, sim::Address at, const Layer& layer, const Block& block) {
  if (!emission.plan.with_images) return;
  emission.schedule.stream.images.push_back(
      {at, layer.product() == nullptr
               ? layer.constants
               : weight_block(layer, block.first, block.first + block.count)});
}

sim::Address keep(Emission& emission, LayerState& state, const Block& block) {
  const uint64_t size = constants_size(state.layer, block);
  const uint64_t room = aligned(static_cast<int64_t>(size));
  const sim::Address at{sim::kSramSpace, emission.plan.kept_offsets[state.step] + state.kept_used};
  state.kept_used += room;
  emission.schedule.kept_bytes += room;
  emission.schedule.weight_bytes += size;
  add_image(emission, at, state.layer, block);
  return at;
}

void place_image(Emission& emission, const Layer& layer, Block& block) {
  const uint64_t size = constants_size(layer, block);
  const auto space = static_cast<uint8_t>(kMemory + emission.npu.weight_memory);
  uint64_t& end = emission.schedule.stream.space_bytes[space];
  block.image = {space, aligned(static_cast<int64_t>(end))};
  end = block.image.offset + size;
  emission.schedule.weight_bytes += size;
  add_image(emission, block.image, layer, block);
}

sim::Address load(Emission& emission, const LayerState& state, const Block& block, Job& job) {
  if (!state.weights_at) emission.weight_slot = 1 - emission.weight_slot;
  const uint64_t slot = static_cast<uint64_t>(emission.weight_slot) * emission.plan.weight_slot;
  const auto size = static_cast<int64_t>(constants_size(state.layer, block));
  sim::View from = view_of({1, 1, size}), to = from;
  from.at = block.image;
  to.at = {sim::kSramSpace, state.weights_at.value_or(slot)};
  job.loads.push_back(transfer(emission.npu, sim::Role::Weights, from, to, state.step));
  return to.at;
}

}  // namespace

bool has_constants(const Layer& layer) {
  return layer.product() != nullptr || !layer.constants.empty();
}

std::vector<Block> blocks_of(const Layer& layer, const Cut& cut) {
  const int64_t per_group = layer.output.image.channels / layer.groups;
  const int64_t depth = layer.inputs[0].image.channels / layer.groups;
  std::vector<Block> blocks;
  for (int64_t group = 0; group < layer.groups; ++group) {
    for (int64_t c = 0; c < per_group; c += cut.channels) {
      const int64_t count = std::min(cut.channels, per_group - c);
      Block block{.first = group * per_group + c,
                  .count = count,
                  .first_input = group * depth,
                  .inputs = depth};
      if (layer.cuts_channels) {
        block.first_input = block.first;
        block.inputs = count;
      }
      blocks.push_back(block);
    }
  }
  return blocks;
}

sim::Address bring_constants(Emission& emission, LayerState& state, Block& block, Job& job) {
  if (emission.plan.kept[state.step]) return keep(emission, state, block);
  if (block.image.space == sim::kSramSpace) place_image(emission, state.layer, block);
  return state.plan.streams ? block.image : load(emission, state, block, job);
}

void share_constants(const Emission& emission, const LayerState& state,
                     std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    block.image = blocks[0].image;
    block.at = blocks[0].at;
    block.ready = emission.plan.kept[state.step];
  }
}

uint64_t room_for_constants(const NpuSpec& npu, const ProgramStep& step) {
  uint64_t bytes = 0;
  for (const Layer& layer : step.layers) {
    if (layer.product() == nullptr) {
      bytes += aligned(std::ssize(layer.constants));
      continue;
    }
    const int64_t blocks = layer.groups + layer.weights.channels / npu.matrix.columns;
    bytes += static_cast<uint64_t>(
        sim::weight_block_bytes(layer.weights.channels, layer.weights.products));
    bytes += static_cast<uint64_t>(blocks) * 2 * kBufferAlignment;
  }
  return bytes;
}

}  // namespace hone::npu
