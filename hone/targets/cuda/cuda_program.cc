// A loaded plan and the sessions that run it. A stage on the GPU is recorded once, copies and all,
// and run by one call.

#include "hone/targets/cuda/cuda_program.h"

#include <algorithm>
#include <cstring>

#include "hone/ops/interpreter.h"

namespace hone::cuda {
namespace {

constexpr unsigned kRecordedEvent = 1;  // CU_EVENT_RECORD_EXTERNAL

class CudaSession final : public Session {
 public:
  explicit CudaSession(std::shared_ptr<const Loaded> loaded)
      : loaded_(std::move(loaded)),
        plan_(*loaded_->plan),
        gpu_(*loaded_->gpu),
        pinned_(plan_.slots.size()),
        items_(plan_.slots.size()),
        recordings_(plan_.stages.size()),
        watched_(plan_.stages.size()),
        events_(plan_.stages.size()),
        ends_(plan_.stages.size()),
        hosts_(plan_.steps.size()) {}

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    HONE_RETURN_IF_ERROR(begin(inputs));
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].host) {
        HONE_RETURN_IF_ERROR(wait());
        HONE_RETURN_IF_ERROR(run_host(plan_.stages[s], nullptr));
      } else {
        HONE_RETURN_IF_ERROR(launch(recordings_[s]));
      }
    }
    HONE_RETURN_IF_ERROR(wait());
    return give(outputs);
  }

  std::optional<double> device_seconds() const override {
    double sum = 0;
    for (const auto& [begin, end] : ends_) {
      float elapsed = 0;
      if (!begin || gpu_.driver().cuEventElapsedTime(&elapsed, begin.get(), end.get()) != 0)
        continue;
      sum += elapsed * 1e-3;
    }
    return sum;
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    HONE_RETURN_IF_ERROR(begin(inputs));
    HONE_RETURN_IF_ERROR(prepare_watching());
    observer.begin();
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].host) {
        HONE_RETURN_IF_ERROR(run_host(plan_.stages[s], &observer));
        continue;
      }
      HONE_RETURN_IF_ERROR(launch(watched_[s]));
      HONE_RETURN_IF_ERROR(wait());
      HONE_TRY(const std::vector<double> seconds, seconds_of(s));
      observer.steps_done(plan_.stages[s].first, seconds, {});
    }
    return give(outputs);
  }

 private:
  // Everything is made at the first run, where failing has somewhere to go.
  Status prepare() {
    if (stream_) return Done{};
    HONE_TRY(Stream stream, make_stream(gpu_));
    HONE_TRY(arena_, allocate(gpu_, plan_.arena_bytes, "activations"));
    for (Slot slot = 0; slot < plan_.slots.size(); ++slot) {
      const SlotInfo& info = plan_.slots[slot];
      if (info.root != slot || !info.on_host || info.boxed || info.constant) continue;
      HONE_TRY(pinned_[slot], allocate_pinned(gpu_, info.bytes, "inputs and outputs"));
    }
    addresses_ = addresses_of(plan_, arena_.get(), loaded_->constants.get());
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].host) continue;
      HONE_TRY(ends_[s].first, make_event(gpu_));
      HONE_TRY(ends_[s].second, make_event(gpu_));
      HONE_TRY(recordings_[s], record(gpu_, stream, [&] { return put_stage(s, stream, false); }));
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.host_nodes[s]) hosts_[s] = plan_.host_nodes[s]->program().open();
    }
    stream_ = std::move(stream);
    return Done{};
  }

  Status prepare_watching() {
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].host || watched_[s]) continue;
      for (size_t i = 0; i < plan_.stages[s].count + 2; ++i) {
        HONE_TRY(Event event, make_event(gpu_));
        events_[s].push_back(std::move(event));
      }
      HONE_TRY(watched_[s], record(gpu_, stream_, [&] { return put_stage(s, stream_, true); }));
    }
    return Done{};
  }

  // Copies in, kernels, copies out. With marks around the kernels; where it is watched, with two
  // before the first step, which tell what a mark takes, and one behind each.
  Status put_stage(size_t index, const Stream& stream, bool watched) {
    const Stage& stage = plan_.stages[index];
    const std::vector<Event>& marks = events_[index];
    for (const Slot slot : stage.to_gpu) HONE_RETURN_IF_ERROR(put_copy_in(slot, stream));
    HONE_RETURN_IF_ERROR(mark(watched ? marks[0] : ends_[index].first, stream));
    if (watched) HONE_RETURN_IF_ERROR(mark(marks[1], stream));
    for (size_t i = 0; i < stage.count; ++i) {
      HONE_RETURN_IF_ERROR(put_step(stage.first + i, stream, !watched, i > 0));
      if (watched) HONE_RETURN_IF_ERROR(mark(marks[i + 2], stream));
    }
    if (!watched) HONE_RETURN_IF_ERROR(mark(ends_[index].second, stream));
    for (const Slot slot : stage.to_host) HONE_RETURN_IF_ERROR(put_copy_out(slot, stream));
    return Done{};
  }

  // `early`: kernels may begin while those before them end; the very first has none before it.
  Status put_step(size_t step, const Stream& stream, bool early, bool follows) {
    const std::vector<Launch>& launches = plan_.steps[step].variant().launches;
    for (size_t l = 0; l < launches.size(); ++l) {
      HONE_RETURN_IF_ERROR(put(gpu_, stream, launches[l], loaded_->kernels[step][l], addresses_,
                               early && (follows || l > 0)));
    }
    return Done{};
  }

  Status put_copy_in(Slot slot, const Stream& stream) {
    return check(gpu_.driver().cuMemcpyHtoDAsync_v2(addresses_[slot], pinned_[slot].get(),
                                                    plan_.slots[slot].bytes, stream.get()),
                 "copying to the GPU");
  }

  Status put_copy_out(Slot slot, const Stream& stream) {
    return check(gpu_.driver().cuMemcpyDtoHAsync_v2(pinned_[slot].get(), addresses_[slot],
                                                    plan_.slots[slot].bytes, stream.get()),
                 "copying from the GPU");
  }

  Status mark(const Event& event, const Stream& stream) {
    return check(gpu_.driver().cuEventRecordWithFlags(event.get(), stream.get(), kRecordedEvent),
                 "marking a step");
  }

  Status begin(const std::vector<Item>& inputs) {
    HONE_RETURN_IF_ERROR(gpu_.use());
    HONE_RETURN_IF_ERROR(prepare());
    if (inputs.size() != plan_.inputs.size()) {
      return bad_input("the model has ", plan_.inputs.size(), " inputs, got ", inputs.size());
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      HONE_TRY(Item bound, bind_input(*plan_.graph.inputs()[i], inputs[i]));
      const Slot slot = plan_.inputs[i];
      if (plan_.slots[slot].boxed) {
        items_[slot] = std::move(bound);
      } else if (plan_.slots[slot].bytes > 0) {
        std::memcpy(pinned_[slot].get(), bound.tensor.bytes().data(), plan_.slots[slot].bytes);
      }
    }
    return Done{};
  }

  Status launch(const Recording& recording) {
    return check(gpu_.driver().cuGraphLaunch(recording.get(), stream_.get()), "running on the GPU");
  }

  Status wait() {
    return check(gpu_.driver().cuStreamSynchronize(stream_.get()), "running on the GPU");
  }

  // Of every step of a watched stage that has run: between the marks around it, less what a mark
  // takes.
  Result<std::vector<double>> seconds_of(size_t stage) {
    const std::vector<Event>& marks = events_[stage];
    std::vector<double> between;
    for (size_t i = 0; i + 1 < marks.size(); ++i) {
      float elapsed = 0;
      HONE_RETURN_IF_ERROR(
          check(gpu_.driver().cuEventElapsedTime(&elapsed, marks[i].get(), marks[i + 1].get()),
                "timing steps"));
      between.push_back(elapsed * 1e-3);
    }
    std::vector<double> seconds;
    for (size_t i = 1; i < between.size(); ++i) {
      seconds.push_back(std::max(0.0, between[i] - between[0]));
    }
    return seconds;
  }

  Status run_host(const Stage& stage, StepObserver* observer) {
    for (size_t s = stage.first; s < stage.first + stage.count; ++s) {
      HONE_RETURN_IF_ERROR(run_host_step(s));
      if (observer != nullptr) observer->step_done(s, {});
    }
    return Done{};
  }

  Status run_host_step(size_t step) {
    const std::vector<Slot>& writes = plan_.steps[step].writes;
    // What lives in a box may share its elements with an operand, whose memory is used again.
    const bool boxes =
        std::ranges::any_of(writes, [&](Slot slot) { return plan_.slots[slot].boxed; });
    std::vector<Item> inputs;
    for (const Slot slot : plan_.steps[step].reads) {
      HONE_TRY(Item item, host_item(slot, boxes));
      inputs.push_back(std::move(item));
    }
    std::vector<Item> results;
    HONE_RETURN_IF_ERROR(hosts_[step]->run(inputs, results));
    for (size_t i = 0; i < writes.size(); ++i) {
      const SlotInfo& info = plan_.slots[writes[i]];
      if (info.boxed) {
        items_[writes[i]] = std::move(results[i]);
      } else if (info.bytes > 0) {
        std::memcpy(pinned_[info.root].get(), results[i].tensor.bytes().data(), info.bytes);
      }
    }
    return Done{};
  }

  Result<Item> host_item(Slot slot, bool copied) {
    const SlotInfo& info = plan_.slots[slot];
    if (info.boxed) return items_[slot];
    const auto* memory = static_cast<const std::byte*>(pinned_[info.root].get());
    if (!copied) {
      HONE_TRY(Tensor view, Tensor::view(info.type, {nullptr, {memory, info.bytes}}));
      return Item(std::move(view));
    }
    Tensor copy(info.type);
    if (info.bytes > 0) std::memcpy(copy.mutable_bytes().data(), memory, info.bytes);
    return Item(std::move(copy));
  }

  Status give(std::vector<Item>& outputs) {
    outputs.resize(plan_.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const SlotInfo& info = plan_.slots[plan_.outputs[i]];
      if (info.boxed) {
        outputs[i] = items_[plan_.outputs[i]];
        continue;
      }
      if (info.constant) {
        outputs[i] = *info.constant;
        continue;
      }
      if (!outputs[i].is_tensor() || outputs[i].tensor.type() != info.type) {
        outputs[i] = Tensor(info.type);
      }
      if (info.bytes == 0) continue;
      std::memcpy(outputs[i].tensor.mutable_bytes().data(), pinned_[info.root].get(), info.bytes);
    }
    return Done{};
  }

  std::shared_ptr<const Loaded> loaded_;
  const Plan& plan_;
  const Gpu& gpu_;
  Stream stream_;
  DeviceMemory arena_;
  std::vector<PinnedMemory> pinned_;  // By slot; of roots that the host sees.
  std::vector<Item> items_;           // By slot; of boxed values.
  std::vector<uint64_t> addresses_;
  std::vector<Recording> recordings_;  // By stage.
  std::vector<Recording> watched_;     // The same with marks between steps.
  std::vector<std::vector<Event>> events_;
  std::vector<std::pair<Event, Event>> ends_;    // By stage: around its kernels.
  std::vector<std::unique_ptr<Session>> hosts_;  // By step.
};

class CudaProgram final : public Program {
 public:
  explicit CudaProgram(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}

  std::unique_ptr<Session> open() const override { return std::make_unique<CudaSession>(loaded_); }
  const Graph& graph() const override { return loaded_->plan->graph; }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (const Step& step : loaded_->plan->steps) {
      infos.push_back({.node = step.node,
                       .kind = step.kind,
                       .cost = step.cost,
                       .packed_bytes = step.weight_bytes});
    }
    return infos;
  }

  std::vector<Placement> placements() const override {
    std::vector<Placement> placements;
    for (const Step& step : loaded_->plan->steps) {
      placements.push_back(
          {.node = step.node, .on_target = !step.on_host(), .reason = step.reason});
    }
    return placements;
  }

  std::optional<MemorySummary> memory() const override {
    const Plan& plan = *loaded_->plan;
    MemorySummary summary;
    summary.arena_bytes = plan.arena_bytes;
    summary.largest_live_bytes = plan.largest_live_bytes;
    summary.weight_bytes = plan.constant_bytes;
    for (Slot slot = 0; slot < plan.slots.size(); ++slot) {
      const SlotInfo& info = plan.slots[slot];
      if (info.root != slot || !info.on_gpu || info.constant) continue;
      const std::string name = info.value == nullptr ? "(scratch)" : info.value->name;
      summary.buffers.push_back(
          {name, text_of(info.type), info.offset, info.bytes, info.first_step, info.last_step});
    }
    return summary;
  }

 private:
  std::shared_ptr<const Loaded> loaded_;
};

}  // namespace

std::unique_ptr<Program> make_cuda_program(std::shared_ptr<const Loaded> loaded) {
  return std::make_unique<CudaProgram>(std::move(loaded));
}

}  // namespace hone::cuda
