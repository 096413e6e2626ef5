// Hone's own engine for this CPU: a plan made once, kernels chosen by what the CPU has, one arena.

#include <algorithm>
#include <cstring>

#include "hone/base/aligned.h"
#include "hone/ops/interpreter.h"
#include "hone/targets/common/reference_support.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/plan.h"
#include "hone/targets/cpu/precision.h"

namespace hone {
namespace {

using cpu::Plan;
using cpu::SlotInfo;
using Home = SlotInfo::Home;

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
    for (size_t slot = 0; slot < pointers_.size(); ++slot) {
      const SlotInfo& root = plan_->slots[plan_->slots[slot].root];
      if (root.home == Home::Arena) pointers_[slot] = arena_.data() + root.offset;
      if (root.home == Home::Input || root.home == Home::Output) {
        sharers_[plan_->slots[slot].root].push_back(slot);
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
    const cpu::Frame frame = frame_of_run();
    for (const auto& step : plan_->steps) HONE_RETURN_IF_ERROR(step->run(frame));
    copy_outputs(outputs);
    return Done{};
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    HONE_RETURN_IF_ERROR(bind_inputs(inputs));
    bind_outputs(outputs);
    const cpu::Frame frame = frame_of_run();
    workers_.record_busy(true);
    observer.begin();
    for (size_t s = 0; s < plan_->steps.size(); ++s) {
      HONE_RETURN_IF_ERROR(plan_->steps[s]->run(frame));
      observer.step_done(s, workers_.busy_seconds());
    }
    workers_.record_busy(false);
    copy_outputs(outputs);
    return Done{};
  }

  std::optional<Tensor> peek(const Value* value) const override {
    const auto found = plan_->slot_of.find(value);
    if (found == plan_->slot_of.end()) return std::nullopt;
    const SlotInfo& info = plan_->slots[found->second];
    if (info.home == Home::Boxed) return std::nullopt;
    const auto view = Tensor::view(info.type, {nullptr, {pointers_[found->second], info.bytes}});
    return view.ok() ? std::optional(*view) : std::nullopt;
  }

 private:
  cpu::Frame frame_of_run() { return {pointers_.data(), &items_, arena_.data(), &workers_}; }

  Status bind_inputs(const std::vector<Item>& inputs) {
    if (inputs.size() != bound_.size()) {
      return bad_input("the model has ", bound_.size(), " inputs, got ", inputs.size());
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      HONE_TRY(bound_[i], bind_input(*plan_->graph.inputs()[i], inputs[i]));
      const cpu::Slot slot = plan_->inputs[i];
      if (plan_->slots[slot].home == Home::Boxed) {
        items_[slot] = bound_[i];
      } else {
        point(slot, const_cast<std::byte*>(bound_[i].tensor.bytes().data()));
      }
    }
    return Done{};
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
    for (const cpu::OutputCopy& copy : plan_->copies) {
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
  void point(cpu::Slot root, std::byte* memory) {
    for (const cpu::Slot slot : sharers_[root]) pointers_[slot] = memory;
  }

  std::shared_ptr<const Plan> plan_;
  Workers workers_;
  AlignedArray<std::byte> arena_;
  std::vector<std::byte*> pointers_;
  std::vector<Item> items_;
  std::vector<Item> bound_;  // Keeps the inputs alive during a run.
  // By the root slots that live in a caller's tensor: all that share its memory.
  std::unordered_map<cpu::Slot, std::vector<cpu::Slot>> sharers_;
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
      if (info.home != Home::Arena || info.root != slot) continue;
      summary.buffers.push_back({info.value->name, text_of(info.type), info.offset, info.bytes,
                                 info.first_step, info.last_step});
    }
    for (const auto& step : plan_->steps) {
      summary.weight_bytes += step->weight_bytes + body_weight_bytes(*step->node);
      summary.body_bytes = std::max<size_t>(summary.body_bytes, step->cost.body_live_bytes);
    }
    return summary;
  }

 private:
  std::shared_ptr<const Plan> plan_;
};

class CpuTarget final : public Target {
 public:
  Support supports(const Node& node) const override { return reference_support(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    CompileOptions usable = options;
    usable.precision = cpu::kernel_precision(options.precision);
    HONE_TRY(std::shared_ptr<const Plan> plan, cpu::make_plan(std::move(graph), usable));
    return {std::make_unique<CpuProgram>(std::move(plan))};
  }
};

// What fuse_qdq turns into integer operators, and kernels are there for.
const IntegerSupport kIntegers = {
    .ops = {"conv", "gemm", "matmul", "add", "sub", "mul", "global_average_pool", "reduce_mean",
            "average_pool", "max_pool", "concat", "reshape", "flatten", "squeeze", "unsqueeze",
            "transpose", "resize"},
    .tables = true,
    .activations = {DType::I8, DType::U8, DType::I16},
};

}  // namespace

extern const TargetDef target_cpu = {
    .name = "cpu",
    .summary = "Hone's own kernels on this CPU, planned once and run by threads.",
    .mode = Mode::Measured,
    .open = [] { return std::unique_ptr<Target>(std::make_unique<CpuTarget>()); },
    .integers = &kIntegers,
};

}  // namespace hone
