#include "hone/targets/npu/emitter.h"

#include <algorithm>
#include <cmath>

#include "hone/sim/vector_op.h"
#include "hone/targets/npu/job.h"
#include "hone/targets/npu/layer_cost.h"

namespace hone::npu {
namespace {

constexpr uint8_t kMemory = 1;  // Memory 0's space.

class Emitter {
 public:
  Emitter(const NpuSpec& npu, const ProgramOutline& program, EmitPlan plan)
      : npu_(npu), program_(program), plan_(std::move(plan)) {
    schedule_.sram = plan_.sram;
    schedule_.kept = plan_.kept;
    schedule_.weight_slot = plan_.weight_slot;
    schedule_.stream.space_bytes.assign(1 + npu.memories.size(), 0);
    schedule_.stream.space_bytes[sim::kSramSpace] = static_cast<uint64_t>(npu.sram.bytes);
    schedule_.stream.steps = program.steps.size();
    in_sram_.assign(program.storages.all.size(), false);
    for (size_t i = 0; i < in_sram_.size(); ++i) {
      in_sram_[i] = plan_.sram.resident[i] && program.storages.all[i].written_by_npu;
    }
  }

  Schedule make() {
    MemoryPlaces places = place_in_memory(program_, plan_.sram);
    schedule_.memory_offsets = std::move(places.offsets);
    schedule_.stream.space_bytes[kMemory] = places.bytes;
    for (step_ = 0; step_ < program_.steps.size(); ++step_) {
      const ProgramStep& step = program_.steps[step_];
      if (const Cascade* cascade = cascade_at(step_)) {
        add_cascade(*cascade);
        step_ = cascade->last_step;
      } else if (step.on_npu) {
        for (size_t l = 0; l < step.layers.size(); ++l) add_layer(step.layers[l], l);
      } else {
        add_host(step);
      }
    }
    schedule_.stream.commands = order_jobs(npu_, std::move(jobs_));
    return std::move(schedule_);
  }

 private:
  struct Block {
    int64_t first;  // Output channel.
    int64_t count;
    int64_t first_input;  // Input channel.
    int64_t inputs;
    sim::Address image = {};  // In memory; SRAM while there is none.
    sim::Address at = {};     // Where the engine reads it.
    bool ready = false;
  };

  void add_image(sim::Address at, const Layer& layer, const Block& block) {
    if (!plan_.with_images) return;
    schedule_.stream.images.push_back({at, constants_of(layer, block)});
  }

  bool resident(const Value* value) const {
    return plan_.sram.resident[program_.storages.of(value).storage];
  }

  // Where rows and channels of a value lie when it has a place of its own, in SRAM or memory.
  sim::View view_in(const Value* value, const Image& image, uint8_t space, Rows rows,
                    int64_t first_channel, int64_t channels) const {
    const Part& part = program_.storages.of(value);
    const uint64_t base = space == sim::kSramSpace
                              ? plan_.activations_at + plan_.sram.offsets[part.storage]
                              : schedule_.memory_offsets[part.storage];
    return part_view(part, image, {space, base}, rows, first_channel, channels);
  }

  Draft move(sim::Role role, const sim::View& from, const sim::View& to) const {
    return transfer(npu_, role, from, to, step_);
  }

  // The operand in SRAM for one tile. `job` gets the transfer that brings it.
  sim::View input_view(const Layer& layer, size_t input, const LayerPlan& plan, Rows rows,
                       int64_t first_channel, int64_t channels, Job& job) {
    if (input == 0 && link_in_) return *link_in_;
    const Operand& operand = layer.inputs[input];
    const Part& part = program_.storages.of(operand.value);
    if (resident(operand.value)) {
      if (!in_sram_[part.storage]) bring_whole(part.storage, job);
      return view_in(operand.value, operand.image, sim::kSramSpace, rows, first_channel, channels);
    }
    // In memory: the same tile may be there already.
    const sim::View from =
        view_in(operand.value, operand.image, kMemory, rows, first_channel, channels);
    TileBuffer& buffer = tile_buffers_[input];
    if (!buffer.filled || buffer.from.at.offset != from.at.offset ||
        buffer.from.height != from.height || buffer.from.channels != from.channels) {
      buffer.index = (buffer.index + 1) % plan.buffers;
      const auto size = aligned(input_tile_bytes(layer, operand, plan.cut));
      const uint64_t at = plan_.activations_at + plan.input_buffers[input] +
                          static_cast<uint64_t>(buffer.index) * size;
      buffer.tile = dense_view(at, rows.count(), operand.image.width, channels);
      buffer.from = from;
      buffer.filled = true;
      job.loads.push_back(move(sim::Role::Input, from, buffer.tile));
    }
    return buffer.tile;
  }

  // A resident that came from outside.
  void bring_whole(size_t storage, Job& job) {
    const auto bytes = static_cast<int64_t>(program_.storages.all[storage].bytes);
    sim::View from = view_of({1, 1, bytes}), to = from;
    from.at = {kMemory, schedule_.memory_offsets[storage]};
    to.at = {sim::kSramSpace, plan_.activations_at + plan_.sram.offsets[storage]};
    job.loads.push_back(move(sim::Role::Input, from, to));
    in_sram_[storage] = true;
  }

  sim::View output_view(const Layer& layer, const LayerPlan& plan, Rows rows, int64_t first_channel,
                        int64_t channels, Job& job) {
    if (link_out_) return *link_out_;
    const Value* value = layer.output.value;
    Image whole = layer.output.image;
    whole.channels = value_channels(layer);
    const int64_t channel = layer.output_channel + first_channel;
    const Storage& storage = program_.storages.all[program_.storages.of(value).storage];
    sim::View view;
    if (resident(value)) {
      view = view_in(value, whole, sim::kSramSpace, rows, channel, channels);
    } else {
      const auto size = aligned(output_tile_bytes(layer, plan.cut));
      output_index_ = (output_index_ + 1) % plan.buffers;
      view = dense_view(
          plan_.activations_at + plan.output_buffer + static_cast<uint64_t>(output_index_) * size,
          rows.count(), layer.output.image.width, channels);
    }
    if (!resident(value) || storage.in_memory) {
      job.stores.push_back(
          move(sim::Role::Output, view, view_in(value, whole, kMemory, rows, channel, channels)));
    }
    return view;
  }

  // Of the value a layer writes to, which a copy writes only a part of.
  static int64_t value_channels(const Layer& layer) {
    const bool copy = layer.vector() != nullptr && layer.vector()->op == &sim::vector_op_copy;
    return copy ? layer.output.value->type.tensor.shape.back() : layer.output.image.channels;
  }

  // The constants of a job in SRAM, or where the engine streams them from.
  sim::Address constants(const Layer& layer, Block& block, bool streams, Job& job) {
    const uint64_t size = constants_size(layer, block);
    if (plan_.kept[step_]) {
      const sim::Address at{sim::kSramSpace, plan_.kept_offsets[step_] + kept_used_};
      kept_used_ += aligned(static_cast<int64_t>(size));
      schedule_.kept_bytes += aligned(static_cast<int64_t>(size));
      schedule_.weight_bytes += size;
      add_image(at, layer, block);
      return at;
    }
    if (block.image.space == sim::kSramSpace) {
      const auto space = static_cast<uint8_t>(kMemory + npu_.weight_memory);
      uint64_t& end = schedule_.stream.space_bytes[space];
      block.image = {space, aligned(static_cast<int64_t>(end))};
      end = block.image.offset + size;
      schedule_.weight_bytes += size;
      add_image(block.image, layer, block);
    }
    if (streams) return block.image;
    if (own_weights_) return load_weights(block.image, size, *own_weights_, job);
    slot_ = 1 - slot_;
    return load_weights(block.image, size, static_cast<uint64_t>(slot_) * plan_.weight_slot, job);
  }

  static uint64_t constants_size(const Layer& layer, const Block& block) {
    if (layer.product() == nullptr) return layer.constants.size();
    return static_cast<uint64_t>(sim::weight_block_bytes(block.count, layer.weights.products));
  }

  sim::Address load_weights(sim::Address image, uint64_t size, uint64_t to_offset, Job& job) {
    sim::View from = view_of({1, 1, static_cast<int64_t>(size)}), to = from;
    from.at = image;
    to.at = {sim::kSramSpace, to_offset};
    job.loads.push_back(move(sim::Role::Weights, from, to));
    return to.at;
  }

  std::vector<Block> blocks_of(const Layer& layer, const LayerPlan& plan) const {
    const int64_t per_group = layer.output.image.channels / layer.groups;
    const int64_t depth = layer.inputs[0].image.channels / layer.groups;
    std::vector<Block> blocks;
    for (int64_t group = 0; group < layer.groups; ++group) {
      for (int64_t c = 0; c < per_group; c += plan.cut.channels) {
        const int64_t count = std::min(plan.cut.channels, per_group - c);
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

  void add_layer(const Layer& layer, size_t index) {
    const LayerPlan& plan = plan_.sram.layers[step_][index];
    std::vector<Block> blocks = blocks_of(layer, plan);
    tile_buffers_.assign(layer.inputs.size(), {});
    output_index_ = 0;
    kept_used_ = 0;
    npu_worked_ = true;
    const int64_t height = layer.output.image.height;
    const auto tiles = static_cast<size_t>((height + plan.cut.rows - 1) / plan.cut.rows);
    const size_t outer = plan.weights_outer ? blocks.size() : tiles;
    const size_t inner = plan.weights_outer ? tiles : blocks.size();
    for (size_t o = 0; o < outer; ++o) {
      for (size_t i = 0; i < inner; ++i) {
        Block& block = blocks[plan.weights_outer ? o : i];
        const auto tile = static_cast<int64_t>(plan.weights_outer ? i : o);
        const Rows rows{tile * plan.cut.rows, std::min(height, (tile + 1) * plan.cut.rows)};
        jobs_.push_back(make_job(layer, plan, rows, block, !plan.weights_outer || i == 0));
        if (o == 0 && i == 0 && layer.product() == nullptr) share_constants(blocks);
      }
    }
  }

  // A table is the same for all channels.
  void share_constants(std::vector<Block>& blocks) const {
    for (Block& block : blocks) {
      block.image = blocks[0].image;
      block.at = blocks[0].at;
      block.ready = plan_.kept[step_];
    }
  }

  Job make_job(const Layer& layer, const LayerPlan& plan, Rows rows, Block& block, bool new_block) {
    Job job;
    const bool loaded = !plan_.kept[step_] && !plan.streams;
    if (has_constants(layer) && (!block.ready || (new_block && loaded))) {
      block.at = constants(layer, block, plan.streams, job);
      block.ready = true;
    }
    if (layer.product() != nullptr) {
      add_product(layer, plan, rows, block, job);
    } else {
      add_vector(layer, plan, rows, block, job);
    }
    return job;
  }

  const Cascade* cascade_at(size_t step) const {
    for (const Cascade& cascade : plan_.sram.cascades) {
      if (cascade.first_step == step) return &cascade;
    }
    return nullptr;
  }

  // Stripe by stripe, each through all layers.
  void add_cascade(const Cascade& cascade) {
    const size_t layers = cascade.last_step - cascade.first_step + 1;
    std::vector<Block> blocks;
    std::vector<std::vector<TileBuffer>> tiles(layers);
    std::vector<int64_t> held(layers, 0);  // The row at the front of each link's buffer.
    for (size_t i = 0; i < layers; ++i) {
      const size_t step = cascade.first_step + i;
      blocks.push_back(
          blocks_of(program_.steps[step].layers[0], plan_.sram.layers[step][0]).front());
      tiles[i].resize(program_.steps[step].layers[0].inputs.size());
    }
    npu_worked_ = true;
    Stripes stripes(program_, cascade);
    while (const auto stripe = stripes.next()) {
      for (size_t i = 0; i < layers; ++i) {
        if (stripe->output[i].count() == 0) continue;
        step_ = cascade.first_step + i;
        const Layer& layer = program_.steps[step_].layers[0];
        if (i + 1 < layers) make_room(cascade, i, *stripe, held[i]);
        link_in_ = i == 0 ? std::nullopt
                          : std::optional(link_view(cascade, i - 1, stripe->input[i], held[i - 1]));
        link_out_ = i + 1 == layers
                        ? std::nullopt
                        : std::optional(link_view(cascade, i, stripe->output[i], held[i]));
        own_weights_ = plan_.activations_at + cascade.weights_at[i];
        std::swap(tile_buffers_, tiles[i]);
        kept_used_ = 0;
        jobs_.push_back(
            make_job(layer, plan_.sram.layers[step_][0], stripe->output[i], blocks[i], false));
        std::swap(tile_buffers_, tiles[i]);
      }
    }
    link_in_ = link_out_ = std::nullopt;
    own_weights_ = std::nullopt;
  }

  sim::View link_view(const Cascade& cascade, size_t link, Rows rows, int64_t held) const {
    const Image& image = program_.steps[cascade.first_step + link].layers[0].output.image;
    const int64_t row_bytes = image.width * image.channels;
    return dense_view(plan_.activations_at + cascade.link_at[link] +
                          static_cast<uint64_t>((rows.first - held) * row_bytes),
                      rows.count(), image.width, image.channels);
  }

  // Moves the rows of a link that the stripe needs again to the front.
  void make_room(const Cascade& cascade, size_t link, const StripeRows& stripe, int64_t& held) {
    const int64_t fresh = stripe.output[link].first;
    const Rows kept{std::min(stripe.input[link + 1].first, fresh), fresh};
    if (kept.first > held && kept.count() > 0) {
      sim::VectorCommand copy{.op = &sim::vector_op_copy};
      copy.a = link_view(cascade, link, kept, held);
      copy.output = link_view(cascade, link, kept, kept.first);
      Job job;
      job.work = {{.work = copy, .step = step_}, {span_of(copy.a)}, {span_of(copy.output)}};
      jobs_.push_back(std::move(job));
    }
    held = kept.first;
  }

  static bool has_constants(const Layer& layer) {
    return layer.product() != nullptr || !layer.constants.empty();
  }

  static std::vector<std::byte> constants_of(const Layer& layer, const Block& block) {
    if (layer.product() == nullptr) return layer.constants;
    return weight_block(layer, block.first, block.first + block.count);
  }

  void add_product(const Layer& layer, const LayerPlan& plan, Rows rows, const Block& block,
                   Job& job) {
    sim::Product product = *layer.product();
    const Rows needed = input_rows(layer, layer.inputs[0], rows);
    product.input = input_view(layer, 0, plan, needed, block.first_input, block.inputs, job);
    product.output = output_view(layer, plan, rows, block.first, block.count, job);
    product.window.pad_top = pad_above(layer, rows);
    product.weights = block.at;
    const Range weights{block.at, static_cast<uint64_t>(sim::weight_block_bytes(
                                      block.count, layer.weights.products))};
    job.work = {{.work = product, .step = step_},
                {span_of(product.input), weights},
                {span_of(product.output)}};
  }

  void add_vector(const Layer& layer, const LayerPlan& plan, Rows rows, const Block& block,
                  Job& job) {
    sim::VectorCommand command = *layer.vector();
    const auto operand = [&](size_t input) {
      const Operand& of = layer.inputs[input];
      const Rows needed = input_rows(layer, of, rows);
      const int64_t first = layer.cuts_channels ? block.first_input : 0;
      const int64_t channels = layer.cuts_channels ? block.inputs : of.image.channels;
      return input_view(layer, input, plan, needed, first, channels, job);
    };
    std::vector<Range> reads;
    const sim::View a = operand(0);
    reads.push_back(span_of(a));
    set_operand(layer, 0, a, rows, command.a);
    if (layer.inputs.size() > 1) {
      const sim::View b = operand(1);
      reads.push_back(span_of(b));
      set_operand(layer, 1, b, rows, command.b);
    }
    if (!layer.constants.empty()) {
      reads.push_back({block.at, layer.constants.size()});
      if (layer.constant_is_operand) {
        // Rows of a constant that is as high as the output lie as far down as the tile.
        const int64_t skip = rows.first * command.b.row_stride;
        command.b.at = {block.at.space, block.at.offset + static_cast<uint64_t>(skip)};
        command.b.height = rows.count();
      } else {
        command.constants = block.at;
      }
    }
    command.output = output_view(layer, plan, rows, block.first, block.count, job);
    if (layer.cuts_rows) command.window.pad_top = pad_above(layer, rows);
    job.work = {{.work = command, .step = step_}, std::move(reads), {span_of(command.output)}};
  }

  // A broadcast operand keeps its zero strides and takes the tile's extents.
  static void set_operand(const Layer& layer, size_t input, const sim::View& view, Rows rows,
                          sim::View& into) {
    if (layer.inputs[input].whole) {
      into.at = view.at;
      into.height = rows.count();
      return;
    }
    into = view;
  }

  void add_host(const ProgramStep& step) {
    Job job;
    sim::HostCall call{.call = step_, .us = host_us(npu_, *step.node)};
    call.wakes = npu_worked_;
    npu_worked_ = false;
    job.work.command = {.work = call, .step = step_};
    const auto range = [&](const Value* value) -> std::vector<Range> {
      if (value == nullptr || !program_.storages.part_of.contains(value)) return {};
      const size_t storage = program_.storages.of(value).storage;
      return {{{kMemory, schedule_.memory_offsets[storage]}, program_.storages.all[storage].bytes}};
    };
    for (const Value* input : step.node->inputs) {
      for (const Range& r : range(input)) job.work.reads.push_back(r);
    }
    for (const Value* output : step.node->outputs) {
      for (const Range& r : range(output)) job.work.writes.push_back(r);
      if (!program_.storages.part_of.contains(output)) continue;
      in_sram_[program_.storages.of(output).storage] = false;
    }
    jobs_.push_back(std::move(job));
  }

  struct TileBuffer {
    int index = 0;
    bool filled = false;
    sim::View from = {};
    sim::View tile = {};
  };

  const NpuSpec& npu_;
  const ProgramOutline& program_;
  EmitPlan plan_;
  Schedule schedule_;
  std::vector<Job> jobs_;
  std::vector<bool> in_sram_;  // By storage: a resident's bytes are there.
  std::vector<TileBuffer> tile_buffers_;
  // Inside of a cascade: where the first input and the output are, and the weights' own place.
  std::optional<sim::View> link_in_;
  std::optional<sim::View> link_out_;
  std::optional<uint64_t> own_weights_;
  size_t step_ = 0;
  int output_index_ = 0;
  int slot_ = 0;
  uint64_t kept_used_ = 0;
  bool npu_worked_ = false;
};

}  // namespace

Schedule emit(const NpuSpec& npu, const ProgramOutline& program, EmitPlan plan) {
  return Emitter(npu, program, std::move(plan)).make();
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
