#include "hone/targets/npu/emit/tiles.h"

#include "hone/sim/vector_op.h"

namespace hone::npu {
namespace {

bool resident(const Emission& emission, const Value* value) {
  return emission.plan.sram.resident[emission.program.storages.of(value).storage];
}

// Where a value that has a place of its own in a space begins, and all of it as an image.
struct Place {
  const Value* value;
  Image image;
  uint8_t space;
};

sim::View view_in(const Emission& emission, const Place& place, Rows rows, int64_t first_channel,
                  int64_t channels) {
  const Part& part = emission.program.storages.of(place.value);
  const uint64_t base =
      place.space == sim::kSramSpace
          ? emission.plan.activations_at + emission.plan.sram.offsets[part.storage]
          : emission.schedule.memory_offsets[part.storage];
  return part_view(part, place.image, {place.space, base}, rows, first_channel, channels);
}

// A resident that came from outside.
void bring_whole(Emission& emission, size_t step, size_t storage, Job& job) {
  const auto bytes = static_cast<int64_t>(emission.program.storages.all[storage].bytes);
  sim::View from = view_of({1, 1, bytes}), to = from;
  from.at = {kMemory, emission.schedule.memory_offsets[storage]};
  to.at = {sim::kSramSpace, emission.plan.activations_at + emission.plan.sram.offsets[storage]};
  job.loads.push_back(transfer(emission.npu, sim::Role::Input, from, to, step));
  emission.in_sram[storage] = true;
}

bool holds(const TileBuffer& buffer, const sim::View& from) {
  return buffer.filled && buffer.from.at.offset == from.at.offset &&
         buffer.from.height == from.height && buffer.from.channels == from.channels;
}

sim::View next_output_buffer(Emission& emission, const LayerState& state, Rows rows,
                             const Block& block) {
  emission.output_buffer = (emission.output_buffer + 1) % state.plan.buffers;
  const uint64_t size = aligned(output_tile_bytes(state.layer, state.plan.cut));
  const uint64_t at = emission.plan.activations_at + state.plan.output_buffer +
                      static_cast<uint64_t>(emission.output_buffer) * size;
  return dense_view(at, rows.count(), state.layer.output.image.width, block.count);
}

// Of the value a layer writes to, which a copy writes only a part of.
int64_t value_channels(const Layer& layer) {
  const bool copy = layer.vector() != nullptr && layer.vector()->op == &sim::vector_op_copy;
  return copy ? layer.output.value->type.tensor.shape.back() : layer.output.image.channels;
}

}  // namespace

sim::View input_tile(Emission& emission, LayerState& state, size_t input, Rows rows,
                     int64_t first_channel, int64_t channels, Job& job) {
  if (input == 0 && state.link_in) return *state.link_in;
  const Operand& operand = state.layer.inputs[input];
  if (resident(emission, operand.value)) {
    const size_t storage = emission.program.storages.of(operand.value).storage;
    if (!emission.in_sram[storage]) bring_whole(emission, state.step, storage, job);
    return view_in(emission, {operand.value, operand.image, sim::kSramSpace}, rows, first_channel,
                   channels);
  }
  const sim::View from =
      view_in(emission, {operand.value, operand.image, kMemory}, rows, first_channel, channels);
  TileBuffer& buffer = state.tiles[input];
  if (holds(buffer, from)) return buffer.tile;
  buffer.index = (buffer.index + 1) % state.plan.buffers;
  const uint64_t size = aligned(input_tile_bytes(state.layer, operand, state.plan.cut));
  const uint64_t at = emission.plan.activations_at + state.plan.input_buffers[input] +
                      static_cast<uint64_t>(buffer.index) * size;
  buffer.tile = dense_view(at, rows.count(), operand.image.width, channels);
  buffer.from = from;
  buffer.filled = true;
  job.loads.push_back(transfer(emission.npu, sim::Role::Input, from, buffer.tile, state.step));
  return buffer.tile;
}

sim::View output_tile(Emission& emission, LayerState& state, Rows rows, const Block& block,
                      Job& job) {
  if (state.link_out) return *state.link_out;
  const Layer& layer = state.layer;
  const Value* value = layer.output.value;
  Image whole = layer.output.image;
  whole.channels = value_channels(layer);
  const auto view = [&](uint8_t space) {
    return view_in(emission, {value, whole, space}, rows, layer.output_channel + block.first,
                   block.count);
  };
  const size_t storage = emission.program.storages.of(value).storage;
  const bool stays = resident(emission, value);
  const sim::View tile =
      stays ? view(sim::kSramSpace) : next_output_buffer(emission, state, rows, block);
  if (!stays || emission.program.storages.all[storage].in_memory) {
    job.stores.push_back(
        transfer(emission.npu, sim::Role::Output, tile, view(kMemory), state.step));
  }
  return tile;
}

}  // namespace hone::npu
