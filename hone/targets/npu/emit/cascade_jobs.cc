#include "hone/targets/npu/emit/cascade_jobs.h"

#include <algorithm>

#include "hone/sim/vector_op.h"
#include "hone/targets/npu/emit/layer_jobs.h"
#include "hone/targets/npu/emit/weights.h"

namespace hone::npu {
namespace {

// A layer of a cascade. Its channels are one block.
struct CascadeLayer {
  LayerState state;
  Block block;
  int64_t held = 0;  // The row at the front of the buffer of the link behind it.
};

std::vector<CascadeLayer> layers_of(const Emission& emission, const Cascade& cascade) {
  std::vector<CascadeLayer> layers;
  for (size_t step = cascade.first_step; step <= cascade.last_step; ++step) {
    const Layer& layer = emission.program.steps[step].layers[0];
    const LayerPlan& plan = emission.plan.sram.layers[step][0];
    LayerState state{.step = step, .layer = layer, .plan = plan};
    state.weights_at = emission.plan.activations_at + cascade.weights_at[step - cascade.first_step];
    layers.push_back({std::move(state), blocks_of(layer, plan.cut).front()});
  }
  return layers;
}

// Rows of what lies between a layer and the next, in a buffer whose front is row `held`.
sim::View link_view(const Emission& emission, const Cascade& cascade, size_t link, Rows rows,
                    int64_t held) {
  const Image& image = emission.program.steps[cascade.first_step + link].layers[0].output.image;
  const int64_t row_bytes = image.width * image.channels;
  return dense_view(emission.plan.activations_at + cascade.link_at[link] +
                        static_cast<uint64_t>((rows.first - held) * row_bytes),
                    rows.count(), image.width, image.channels);
}

// Moves the rows of a link that the stripe needs again to the front.
void make_room(Emission& emission, const Cascade& cascade, size_t link, const StripeRows& stripe,
               int64_t& held) {
  const int64_t fresh = stripe.output[link].first;
  const Rows kept{std::min(stripe.input[link + 1].first, fresh), fresh};
  if (kept.first > held && kept.count() > 0) {
    sim::VectorCommand copy{.op = &sim::vector_op_copy};
    copy.a = link_view(emission, cascade, link, kept, held);
    copy.output = link_view(emission, cascade, link, kept, kept.first);
    Job job;
    job.work = {{.work = copy, .step = cascade.first_step + link},
                {span_of(copy.a)},
                {span_of(copy.output)}};
    emission.jobs.push_back(std::move(job));
  }
  held = kept.first;
}

}  // namespace

void emit_cascade(Emission& emission, const Cascade& cascade) {
  std::vector<CascadeLayer> layers = layers_of(emission, cascade);
  emission.npu_worked = true;
  Stripes stripes(emission.program, cascade);
  while (const auto stripe = stripes.next()) {
    for (size_t i = 0; i < layers.size(); ++i) {
      const Rows& rows = stripe->output[i];
      if (rows.count() == 0) continue;
      LayerState& state = layers[i].state;
      if (i > 0) {
        state.link_in = link_view(emission, cascade, i - 1, stripe->input[i], layers[i - 1].held);
      }
      if (i + 1 < layers.size()) {
        make_room(emission, cascade, i, *stripe, layers[i].held);
        state.link_out = link_view(emission, cascade, i, rows, layers[i].held);
      }
      emission.jobs.push_back(make_job(emission, state, rows, layers[i].block, false));
    }
  }
}

}  // namespace hone::npu
