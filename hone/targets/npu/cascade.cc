#include "hone/targets/npu/cascade.h"

#include <algorithm>

namespace hone::npu {
namespace {

// Whether the step can hand its output over row by row, and only to the next one.
bool links(const ProgramOutline& program, size_t step, const std::vector<bool>& spilled) {
  if (step + 1 >= program.steps.size()) return false;
  const ProgramStep& from = program.steps[step];
  const ProgramStep& to = program.steps[step + 1];
  const auto alone = [](const ProgramStep& one) {
    return one.on_npu && one.layers.size() == 1 && one.layers[0].cuts_rows &&
           one.layers[0].groups == 1;
  };
  if (!alone(from) || !alone(to)) return false;
  const Value* value = from.layers[0].output.value;
  const Storage& storage = program.storages.all[link_of(program, step)];
  const Operand& operand = to.layers[0].inputs[0];
  const Image& made = from.layers[0].output.image;
  return spilled[link_of(program, step)] && !storage.in_memory && storage.value == value &&
         value->users.size() == 1 && operand.value == value && !operand.whole &&
         program.storages.of(value).pixel_stride == 0 && operand.image.height == made.height &&
         operand.image.width == made.width;
}

std::vector<const Layer*> layers_of(const ProgramOutline& program, const Cascade& cascade) {
  std::vector<const Layer*> layers;
  for (size_t step = cascade.first_step; step <= cascade.last_step; ++step) {
    layers.push_back(&program.steps[step].layers[0]);
  }
  return layers;
}

}  // namespace

size_t link_of(const ProgramOutline& program, size_t step) {
  return program.storages.of(program.steps[step].layers[0].output.value).storage;
}

int64_t constant_bytes_of(const Layer& layer) {
  if (layer.product() == nullptr) return std::ssize(layer.constants);
  return sim::weight_block_bytes(layer.weights.channels, layer.weights.products);
}

Stripes::Stripes(const ProgramOutline& program, const Cascade& cascade)
    : layers_(layers_of(program, cascade)), rows_(cascade.rows), done_(layers_.size(), 0) {}

std::optional<StripeRows> Stripes::next() {
  const int64_t height = layers_.back()->output.image.height;
  if (at_ >= height) return std::nullopt;
  StripeRows stripe;
  stripe.output.resize(layers_.size());
  stripe.input.resize(layers_.size());
  Rows wanted{at_, std::min(height, at_ + rows_)};
  at_ = wanted.last;
  for (size_t i = layers_.size(); i-- > 0;) {
    const Rows fresh{done_[i], std::max(done_[i], wanted.last)};
    done_[i] = fresh.last;
    stripe.output[i] = fresh;
    if (fresh.count() == 0) break;  // Nothing is asked of the layers before it, either.
    wanted = stripe.input[i] = input_rows(*layers_[i], layers_[i]->inputs[0], fresh);
  }
  return stripe;
}

std::vector<Cascade> find_chains(const ProgramOutline& program, const std::vector<bool>& spilled) {
  std::vector<Cascade> chains;
  for (size_t step = 0; step < program.steps.size(); ++step) {
    const size_t first = step;
    while (links(program, step, spilled)) ++step;
    if (step > first) chains.push_back({.first_step = first, .last_step = step});
  }
  return chains;
}

bool size_links(const ProgramOutline& program, Cascade& cascade) {
  const size_t links = cascade.last_step - cascade.first_step;
  cascade.link_rows.assign(links, 0);
  std::vector<int64_t> held(links, 0);  // The row at the front of each buffer.
  Stripes stripes(program, cascade);
  while (const auto stripe = stripes.next()) {
    for (size_t i = 0; i < links; ++i) {
      const Rows& fresh = stripe->output[i];
      if (fresh.count() == 0) continue;
      const Rows& read = stripe->input[i + 1];
      const int64_t front = std::min(read.first, fresh.first);
      const int64_t kept = fresh.first - front;
      if (kept > 0 && front > held[i] && front - held[i] < kept) return false;
      held[i] = front;
      cascade.link_rows[i] = std::max(cascade.link_rows[i], fresh.last - front);
    }
  }
  return true;
}

}  // namespace hone::npu
