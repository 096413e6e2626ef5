#include "hone/targets/cpu/recurrent_step.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hone/kernels/rnn_gates/rnn_gates.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/packed_matrix.h"

namespace hone::cpu {
namespace {

using Cell = RecurrentSpec::Cell;

// The weights of one direction.
struct Direction {
  bool reverse;
  PackedMatrix w;
  PackedMatrix r;                         // Of all gates but those that `candidate` has.
  std::optional<PackedMatrix> candidate;  // Of a GRU whose reset gate comes before the product.
  std::vector<float> peephole;
};

struct Biases {
  std::vector<float> w;
  std::vector<float> r;
};

// Both go to the products with the input, which are taken ahead; but a GRU needs that of the state
// by itself.
Biases biases_of(const RecurrentSpec& spec, size_t direction) {
  const size_t width = spec.gates() * spec.hidden;
  Biases biases{std::vector<float>(width), std::vector<float>(width)};
  if (spec.bias == nullptr) return biases;
  const float* from = spec.bias->data<float>().data() + direction * 2 * width;
  std::copy_n(from, width, biases.w.begin());
  std::copy_n(from + width, width, biases.r.begin());
  if (spec.cell == Cell::Gru || spec.cell == Cell::GruLinear) return biases;
  for (size_t i = 0; i < width; ++i) biases.w[i] += std::exchange(biases.r[i], 0.0f);
  return biases;
}

Direction make_direction(const RecurrentSpec& spec, size_t index) {
  const size_t width = spec.gates() * spec.hidden;
  const float* w = spec.w->data<float>().data() + index * width * spec.inputs;
  const float* r = spec.r->data<float>().data() + index * width * spec.hidden;
  const size_t joint = spec.cell == Cell::Gru ? 2 * spec.hidden : width;
  const Biases biases = biases_of(spec, index);
  Direction direction{.reverse = spec.reverse || index == 1,
                      .w = PackedMatrix(w, biases.w.data(), width, spec.inputs),
                      .r = PackedMatrix(r, biases.r.data(), joint, spec.hidden),
                      .candidate = std::nullopt,
                      .peephole = {}};
  if (spec.cell == Cell::Gru) {
    direction.candidate.emplace(r + joint * spec.hidden, biases.r.data() + joint, spec.hidden,
                                spec.hidden);
  }
  if (spec.peephole != nullptr) {
    const float* p = spec.peephole->data<float>().data() + index * 3 * spec.hidden;
    direction.peephole.assign(p, p + 3 * spec.hidden);
  }
  return direction;
}

// Rows of `hidden` or more elements by time step and batch.
struct Grid {
  size_t step;   // Elements from one step to the next.
  size_t batch;  // From one sequence of the batch to the next.
};

class RecurrentStep final : public Step {
 public:
  RecurrentStep(const RecurrentSpec& spec, StepBuilder& builder)
      : cell_(spec.cell),
        steps_(spec.steps),
        batch_(spec.batch),
        inputs_(spec.inputs),
        hidden_(spec.hidden),
        width_(spec.gates() * spec.hidden),
        batch_first_(spec.batch_first),
        coupled_(spec.coupled),
        activation_(spec.activation),
        zeros_(spec.batch * spec.hidden) {
    for (size_t i = 0; i < spec.directions; ++i) {
      directions_.push_back(make_direction(spec, i));
      const Direction& made = directions_.back();
      weight_bytes += made.w.bytes() + made.r.bytes();
      if (made.candidate) weight_bytes += made.candidate->bytes();
    }
    kind = step_kind(StepFamily::Recurrent,
                     cell_ == Cell::Lstm  ? "lstm"
                     : cell_ == Cell::Rnn ? "rnn"
                                          : "gru",
                     kernel_name(directions_[0].w.kind()));
    // One memory for all workers, asked for in as many parts.
    const auto threads = static_cast<size_t>(builder.options().threads);
    scratch_bytes =
        (directions_.size() * direction_floats() * sizeof(float) + threads - 1) / threads;
    x_ = builder.read(spec.x);
    if (spec.initial_h != nullptr) initial_h_ = builder.read(spec.initial_h);
    if (spec.initial_c != nullptr) initial_c_ = builder.read(spec.initial_c);
    for (const Value* output : spec.outputs) outputs_.push_back(builder.write(output));
  }

  Status run(const Frame& frame) const override {
    constexpr size_t kRows = 48;
    const size_t rows = steps_ * batch_;
    const size_t blocks = (rows + kRows - 1) / kRows;
    frame.workers->run(directions_.size() * blocks, [&](size_t task, size_t) {
      const size_t first = task % blocks * kRows;
      const size_t index = task / blocks;
      directions_[index].w.multiply(
          {frame.in<float>(x_) + first * inputs_, inputs_, std::min(kRows, rows - first)},
          memory(frame, index) + first * width_, width_, false);
    });
    frame.workers->run(directions_.size(),
                       [&](size_t index, size_t) { run_direction(frame, index); });
    return Done{};
  }

 private:
  // Of a direction: gates by step and batch, then c, r and kept of the batch.
  size_t gate_floats() const { return steps_ * batch_ * width_; }
  size_t direction_floats() const { return gate_floats() + batch_ * (hidden_ + width_ + hidden_); }
  float* memory(const Frame& frame, size_t direction) const {
    return scratch<float>(frame, 0) + direction * direction_floats();
  }

  Grid gate_grid() const {
    return batch_first_ ? Grid{width_, steps_ * width_} : Grid{batch_ * width_, width_};
  }
  Grid output_grid() const {
    const size_t row = directions_.size() * hidden_;
    return batch_first_ ? Grid{row, steps_ * row} : Grid{batch_ * row, hidden_};
  }
  // Where a direction starts, among outputs of a step or among states.
  size_t direction_offset(size_t direction) const {
    return direction * hidden_ * (batch_first_ ? 1 : batch_);
  }
  size_t state_stride() const { return hidden_ * (batch_first_ ? directions_.size() : 1); }

  void run_direction(const Frame& frame, size_t index) const {
    const Direction& direction = directions_[index];
    float* c = memory(frame, index) + gate_floats();
    const size_t offset = direction_offset(index);
    for (size_t b = 0; b < batch_ && cell_ == Cell::Lstm; ++b) {
      const float* from =
          initial_c_ ? frame.in<float>(*initial_c_) + offset + b * state_stride() : zeros_.data();
      std::copy_n(from, hidden_, c + b * hidden_);
    }
    PackedMatrix::Rows h{zeros_.data(), hidden_, batch_};
    if (initial_h_) h = {frame.in<float>(*initial_h_) + offset, state_stride(), batch_};
    for (size_t i = 0; i < steps_; ++i) {
      const size_t t = direction.reverse ? steps_ - 1 - i : i;
      float* y = frame.out<float>(outputs_[0]) + offset + t * output_grid().step;
      float* gates = memory(frame, index) + t * gate_grid().step;
      run_step(direction, gates, h, c, y);
      h = {y, output_grid().batch, batch_};
    }
    if (outputs_.size() > 1) store_state(h, frame.out<float>(outputs_[1]) + offset);
    if (outputs_.size() > 2) {
      store_state({c, hidden_, batch_}, frame.out<float>(outputs_[2]) + offset);
    }
  }

  void store_state(const PackedMatrix::Rows& state, float* to) const {
    for (size_t b = 0; b < batch_; ++b) {
      std::copy_n(state.data + b * state.stride, hidden_, to + b * state_stride());
    }
  }

  // `c` is followed by the memory for r and kept.
  void run_step(const Direction& direction, float* gates, const PackedMatrix::Rows& h, float* c,
                float* y) const {
    const size_t gates_stride = gate_grid().batch;
    const size_t y_stride = output_grid().batch;
    if (cell_ == Cell::Gru || cell_ == Cell::GruLinear) {
      return run_gru(direction, gates, h, c + batch_ * hidden_, y);
    }
    direction.r.multiply(h, gates, gates_stride, true);
    if (cell_ == Cell::Rnn) {
      activate_(activation_, batch_, hidden_, gates, gates_stride, y, y_stride);
      return;
    }
    lstm_({.batch = batch_,
           .hidden = hidden_,
           .gates = gates,
           .gates_stride = gates_stride,
           .peepholes = direction.peephole.empty() ? nullptr : direction.peephole.data(),
           .coupled = coupled_,
           .c = c,
           .h = y,
           .h_stride = y_stride});
  }

  void run_gru(const Direction& direction, const float* gates, const PackedMatrix::Rows& h,
               float* r, float* y) const {
    using Part = GruGatesArgs::Part;
    float* kept = r + batch_ * width_;
    GruGatesArgs args{.part = Part::UpdateLinear,
                      .batch = batch_,
                      .hidden = hidden_,
                      .x = gates,
                      .x_stride = gate_grid().batch,
                      .r = r,
                      .r_stride = width_,
                      .h = h.data,
                      .h_stride = h.stride,
                      .y = kept,
                      .y_stride = hidden_};
    direction.r.multiply(h, r, width_, false);
    if (cell_ == Cell::Gru) {
      args.part = Part::Reset;
      gru_(args);
      direction.candidate->multiply({kept, hidden_, batch_}, r + 2 * hidden_, width_, false);
      args.part = Part::Update;
    }
    args.y = y;
    args.y_stride = output_grid().batch;
    gru_(args);
  }

  Cell cell_;
  size_t steps_, batch_, inputs_, hidden_;
  size_t width_;  // Of all gates.
  bool batch_first_;
  bool coupled_;
  Activation activation_;
  std::vector<float> zeros_;
  std::vector<Direction> directions_;
  ActivateF32 activate_ = best_activate<float>();
  LstmGates lstm_ = best_variant(lstm_gates_variants()).run;
  GruGates gru_ = best_variant(gru_gates_variants()).run;
  Slot x_ = 0;
  std::optional<Slot> initial_h_;
  std::optional<Slot> initial_c_;
  std::vector<Slot> outputs_;
};

}  // namespace

std::unique_ptr<Step> make_recurrent_step(const RecurrentSpec& spec, StepBuilder& builder) {
  return std::make_unique<RecurrentStep>(spec, builder);
}

}  // namespace hone::cpu
