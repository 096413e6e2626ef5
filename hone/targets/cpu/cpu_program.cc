// A plan and the sessions that run it.

#include "hone/targets/cpu/cpu_program.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "hone/base/aligned.h"
#include "hone/ops/interpreter.h"

namespace hone::cpu {
namespace {

using Home = SlotInfo::Home;
using Clock = std::chrono::steady_clock;

// The memory of one run at a time.
class CpuSession final : public Session {
 public:
  explicit CpuSession(std::shared_ptr<const Plan> plan)
      : plan_(std::move(plan)),
        workers_(plan_->options.threads),
        arena_(plan_->arena_bytes),
        pointers_(plan_->slots.size()),
        items_(plan_->slots.size()),
        bound_(plan_->inputs.size()) {
    part_seconds_.reserve(Chain::kMostParts * workers_.threads() + 1);
    follow_seconds_.reserve(workers_.threads());
    for (size_t slot = 0; slot < pointers_.size(); ++slot) {
      const SlotInfo& info = plan_->slots[slot];
      const SlotInfo& root = plan_->slots[info.root];
      if (root.in_arena()) pointers_[slot] = arena_.data() + root.offset + info.within;
      if (root.home == Home::Input || root.home == Home::Output) {
        sharers_[info.root].push_back(slot);
      }
      if (root.home == Home::Constant) {
        pointers_[slot] = const_cast<std::byte*>(root.constant.bytes().data());
        items_[slot] = root.constant;
      }
    }
  }

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    HONE_RETURN_IF_ERROR(bind_inputs(inputs));
    bind_outputs(outputs);
    const Frame frame = frame_of_run();
    for (const Stage& stage : plan_->stages) {
      if (stage.chain != nullptr) {
        stage.chain->run(frame, nullptr);
      } else {
        HONE_RETURN_IF_ERROR(plan_->steps[stage.first_step]->run(frame));
      }
    }
    copy_outputs(outputs);
    let_inputs_go();
    return Done{};
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    HONE_RETURN_IF_ERROR(bind_inputs(inputs));
    bind_outputs(outputs);
    const Frame frame = frame_of_run();
    workers_.record_busy(true);
    observer.begin();
    for (const Stage& stage : plan_->stages) {
      if (stage.steps() > 1) {
        HONE_RETURN_IF_ERROR(run_together(frame, stage));
        observer.steps_done(stage.first_step, part_seconds_, workers_.busy_seconds());
      } else {
        HONE_RETURN_IF_ERROR(plan_->steps[stage.first_step]->run(frame));
        observer.step_done(stage.first_step, workers_.busy_seconds());
      }
    }
    workers_.record_busy(false);
    copy_outputs(outputs);
    let_inputs_go();
    return Done{};
  }

  std::optional<Tensor> peek(const Value* value) const override {
    const auto found = plan_->slot_of.find(value);
    if (found == plan_->slot_of.end()) return std::nullopt;
    const SlotInfo& info = plan_->slots[found->second];
    if (info.home == Home::Boxed || info.home == Home::Rows || info.rows_apart > 1) {
      return std::nullopt;
    }
    const auto view = Tensor::view(info.type, {nullptr, {pointers_[found->second], info.bytes}});
    return view.ok() ? std::optional(*view) : std::nullopt;
  }

 private:
  Frame frame_of_run() { return {pointers_.data(), &items_, arena_.data(), &workers_}; }

  // No clock is so coarse that there is nothing to divide.
  static constexpr double kShortest = 1e-9;

  // Leaves in part_seconds_ how the time of the whole stage divides among its steps.
  Status run_together(Frame frame, const Stage& stage) {
    const size_t parts = stage.parts();
    part_seconds_.assign(parts * workers_.threads(), kShortest);
    follow_seconds_.assign(workers_.threads(), {kShortest, kShortest});
    frame.follow_seconds = follow_seconds_.data();
    const Clock::time_point start = Clock::now();
    if (stage.chain != nullptr) {
      stage.chain->run(frame, part_seconds_.data());
    } else {
      HONE_RETURN_IF_ERROR(plan_->steps[stage.first_step]->run(frame));
    }
    const double whole = std::chrono::duration<double>(Clock::now() - start).count();
    for (size_t i = parts; i < part_seconds_.size(); ++i) {
      part_seconds_[i % parts] += part_seconds_[i];
    }
    part_seconds_.resize(parts);
    const double all = std::accumulate(part_seconds_.begin(), part_seconds_.end(), 0.0);
    for (double& part : part_seconds_) part *= whole / all;
    if (stage.followed) divide_last();
    return Done{};
  }

  // The time of the last part is also that of what follows it.
  void divide_last() {
    FollowSeconds all;
    for (const FollowSeconds& worker : follow_seconds_) {
      all.leader += worker.leader;
      all.follower += worker.follower;
    }
    const double both = part_seconds_.back();
    part_seconds_.back() = both * all.leader / (all.leader + all.follower);
    part_seconds_.push_back(both - part_seconds_.back());
  }

  Status bind_inputs(const std::vector<Item>& inputs) {
    if (inputs.size() != bound_.size()) {
      return bad_input("the model has ", bound_.size(), " inputs, got ", inputs.size());
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      HONE_TRY(bound_[i], bind_input(*plan_->graph.inputs()[i], inputs[i]));
      const Slot slot = plan_->inputs[i];
      if (plan_->slots[slot].home == Home::Boxed) {
        items_[slot] = bound_[i];
      } else {
        point(slot, const_cast<std::byte*>(bound_[i].tensor.bytes().data()));
      }
    }
    return Done{};
  }

  // What is the caller's is not kept until the next run.
  void let_inputs_go() {
    for (size_t i = 0; i < bound_.size(); ++i) {
      bound_[i] = {};
      const Slot slot = plan_->inputs[i];
      if (plan_->slots[slot].home == Home::Boxed) items_[slot] = {};
    }
  }

  // The tensors that the steps write into: those of the last run, if they still fit.
  void bind_outputs(std::vector<Item>& outputs) {
    outputs.resize(plan_->outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const SlotInfo& slot = plan_->slots[plan_->outputs[i]];
      if (slot.home == Home::Boxed) continue;
      if (!outputs[i].is_tensor() || outputs[i].tensor.type() != slot.type) {
        outputs[i] = Tensor(slot.type);
      }
      const SlotInfo& root = plan_->slots[slot.root];
      if (root.home == Home::Output && root.index == i) {
        point(slot.root, outputs[i].tensor.mutable_bytes().data());
      }
    }
  }

  void copy_outputs(std::vector<Item>& outputs) {
    for (const OutputCopy& copy : plan_->copies) {
      const SlotInfo& slot = plan_->slots[copy.from];
      Item& to = outputs[copy.output];
      if (slot.home == Home::Boxed || slot.type.dtype == DType::String) {
        to = items_[copy.from];
      } else if (slot.bytes > 0) {
        std::memcpy(to.tensor.mutable_bytes().data(), pointers_[copy.from], slot.bytes);
      }
    }
  }

  // The slot and all that share its memory.
  void point(Slot root, std::byte* memory) {
    for (const Slot slot : sharers_[root]) pointers_[slot] = memory + plan_->slots[slot].within;
  }

  std::shared_ptr<const Plan> plan_;
  Workers workers_;
  AlignedArray<std::byte> arena_;
  std::vector<std::byte*> pointers_;
  std::vector<Item> items_;
  std::vector<double> part_seconds_;  // Of a stage, by worker and part.
  std::vector<FollowSeconds> follow_seconds_;
  std::vector<Item> bound_;  // Keeps the inputs alive during a run.
  // By the root slots that live in a caller's tensor: all that share its memory.
  std::unordered_map<Slot, std::vector<Slot>> sharers_;
};

class CpuProgram final : public Program {
 public:
  explicit CpuProgram(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  std::unique_ptr<Session> open() const override { return std::make_unique<CpuSession>(plan_); }

  const Graph& graph() const override { return plan_->graph; }

  std::vector<StepInfo> steps() const override {
    const auto threads = static_cast<size_t>(plan_->options.threads);
    std::vector<StepInfo> infos;
    for (const auto& step : plan_->steps) {
      infos.push_back({.node = step->node,
                       .kind = step->kind,
                       .cost = step->cost,
                       .packed_bytes = step->weight_bytes,
                       .scratch_bytes = step->all_scratch_bytes(threads)});
    }
    return infos;
  }

  std::optional<MemorySummary> memory() const override {
    MemorySummary summary;
    summary.arena_bytes = plan_->arena_bytes;
    summary.largest_live_bytes = plan_->largest_live_bytes;
    for (size_t slot = 0; slot < plan_->slots.size(); ++slot) {
      const SlotInfo& info = plan_->slots[slot];
      if (info.home == Home::Constant) summary.weight_bytes += info.bytes;
      if (info.root != slot) note_shared(info, summary);
      if (!info.in_arena() || info.root != slot) continue;
      summary.buffers.push_back({info.value->name, text_of(info.type), info.offset, info.bytes,
                                 info.first_step, info.last_step, info.home == Home::Rows});
    }
    for (const auto& step : plan_->steps) {
      const size_t scratch = step->all_scratch_bytes(static_cast<size_t>(plan_->options.threads));
      if (scratch > 0) ++summary.scratch.steps;
      summary.scratch.most_bytes = std::max(summary.scratch.most_bytes, scratch);
      summary.weight_bytes += step->weight_bytes + body_weight_bytes(*step->node);
      summary.body_bytes = std::max<size_t>(summary.body_bytes, step->cost.body_live_bytes);
    }
    return summary;
  }

 private:
  // Rows that lie apart count as if those of each part were together.
  void note_shared(const SlotInfo& info, MemorySummary& summary) const {
    const SlotInfo& root = plan_->slots[info.root];
    if (!root.in_arena()) return;
    const size_t last = root.bytes - std::min(info.bytes, root.bytes);
    summary.shared[info.value->name] = root.offset + std::min(info.within * info.rows_apart, last);
  }

  std::shared_ptr<const Plan> plan_;
};

}  // namespace

std::unique_ptr<Program> make_cpu_program(std::shared_ptr<const Plan> plan) {
  return std::make_unique<CpuProgram>(std::move(plan));
}

}  // namespace hone::cpu
