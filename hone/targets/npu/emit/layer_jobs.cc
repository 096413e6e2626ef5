#include "hone/targets/npu/emit/layer_jobs.h"

#include <algorithm>

#include "hone/targets/npu/emit/tiles.h"
#include "hone/targets/npu/emit/weights.h"

namespace hone::npu {
namespace {

void add_product(Emission& emission, LayerState& state, Rows rows, const Block& block, Job& job) {
  const Layer& layer = state.layer;
  sim::Product product = *layer.product();
  const Rows needed = input_rows(layer, layer.inputs[0], rows);
  product.input = input_tile(emission, state, 0, needed, block.first_input, block.inputs, job);
  product.output = output_tile(emission, state, rows, block, job);
  product.window.pad_top = pad_above(layer, rows);
  product.weights = block.at;
  const Range weights{block.at, static_cast<uint64_t>(
                                    sim::weight_block_bytes(block.count, layer.weights.products))};
  job.work = {{.work = product, .step = state.step},
              {span_of(product.input), weights},
              {span_of(product.output)}};
}

// A broadcast operand keeps its zero strides and takes the tile's extents.
void set_operand(const Operand& operand, const sim::View& tile, Rows rows, sim::View& into) {
  if (!operand.whole) {
    into = tile;
    return;
  }
  into.at = tile.at;
  into.height = rows.count();
}

void set_constants(const Layer& layer, const Block& block, Rows rows, sim::VectorCommand& command) {
  if (!layer.constant_is_operand) {
    command.constants = block.at;
    return;
  }
  // Rows of a constant that is as high as the output lie as far down as the tile.
  const int64_t skip = rows.first * command.b.row_stride;
  command.b.at = {block.at.space, block.at.offset + static_cast<uint64_t>(skip)};
  command.b.height = rows.count();
}

void add_vector(Emission& emission, LayerState& state, Rows rows, const Block& block, Job& job) {
  const Layer& layer = state.layer;
  sim::VectorCommand command = *layer.vector();
  std::vector<Range> reads;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const Operand& operand = layer.inputs[i];
    const int64_t first = layer.cuts_channels ? block.first_input : 0;
    const int64_t channels = layer.cuts_channels ? block.inputs : operand.image.channels;
    const sim::View tile =
        input_tile(emission, state, i, input_rows(layer, operand, rows), first, channels, job);
    reads.push_back(span_of(tile));
    set_operand(operand, tile, rows, i == 0 ? command.a : command.b);
  }
  if (!layer.constants.empty()) {
    reads.push_back({block.at, layer.constants.size()});
    set_constants(layer, block, rows, command);
  }
  command.output = output_tile(emission, state, rows, block, job);
  if (layer.cuts_rows) command.window.pad_top = pad_above(layer, rows);
  job.work = {{.work = command, .step = state.step}, std::move(reads), {span_of(command.output)}};
}

}  // namespace

Job make_job(Emission& emission, LayerState& state, Rows rows, Block& block, bool new_block) {
  Job job;
  const bool loaded = !emission.plan.kept[state.step] && !state.plan.streams;
  if (has_constants(state.layer) && (!block.ready || (new_block && loaded))) {
    block.at = bring_constants(emission, state, block, job);
    block.ready = true;
  }
  const bool product = state.layer.product() != nullptr;
  (product ? add_product : add_vector)(emission, state, rows, block, job);
  return job;
}

void emit_layer(Emission& emission, size_t step, size_t index) {
  const Layer& layer = emission.program.steps[step].layers[index];
  const LayerPlan& plan = emission.plan.sram.layers[step][index];
  LayerState state{.step = step, .layer = layer, .plan = plan};
  std::vector<Block> blocks = blocks_of(layer, plan.cut);
  emission.npu_worked = true;
  emission.output_buffer = 0;
  const int64_t height = layer.output.image.height;
  const auto tiles = static_cast<size_t>((height + plan.cut.rows - 1) / plan.cut.rows);
  const size_t outer = plan.weights_outer ? blocks.size() : tiles;
  const size_t inner = plan.weights_outer ? tiles : blocks.size();
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      Block& block = blocks[plan.weights_outer ? o : i];
      const auto tile = static_cast<int64_t>(plan.weights_outer ? i : o);
      const Rows rows{tile * plan.cut.rows, std::min(height, (tile + 1) * plan.cut.rows)};
      const bool new_block = !plan.weights_outer || i == 0;
      emission.jobs.push_back(make_job(emission, state, rows, block, new_block));
      const bool first = o == 0 && i == 0;
      if (first && layer.product() == nullptr) share_constants(emission, state, blocks);
    }
  }
}

}  // namespace hone::npu
