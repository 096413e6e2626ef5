// A loaded plan and the sessions that run it. A stage on the GPU is recorded once, copies and all,
// and run by one call.

#include "hone/targets/cuda/cuda_program.h"

#include <algorithm>
#include <cstring>

#include "hone/cuda/counters.h"
#include "hone/ops/interpreter.h"
#include "hone/targets/cuda/launch_counters.h"
#include "hone/targets/cuda/stamps.h"

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
        stamps_(plan_.stages.size()),
        marks_(plan_.stages.size()),
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
    for (const Marks& marks : marks_) {
      if (!marks.kernels) continue;
      const Result<double> seconds = seconds_between(marks.kernels, marks.copies_out);
      sum += seconds.ok() ? *seconds : 0;
    }
    return sum;
  }

  Result<std::vector<std::vector<Metric>>> count() override {
    HONE_RETURN_IF_ERROR(gpu_.use());
    HONE_RETURN_IF_ERROR(prepare());
    size_t launches = 0;
    for (const Step& step : plan_.steps) {
      if (!step.on_host()) launches += step.variant().launches.size();
    }
    HONE_TRY(const auto counted,
             count_launches(gpu_, counted_metrics(), launches, [&] { return launch_each_step(); }));
    return counters_of_steps(plan_, counted);
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
      const Marks& marks = marks_[s];
      const StampedTimes times = times_of_steps(s);
      HONE_TRY(const double in, seconds_between(marks.copies_in, marks.kernels));
      HONE_TRY(const double all, seconds_between(marks.kernels, marks.copies_out));
      HONE_TRY(const double out, seconds_between(marks.copies_out, marks.end));
      observer.device_done(plan_.stages[s].first, {.steps = times.steps,
                                                   .copying_in = in,
                                                   .starting = std::max(0.0, all - times.all),
                                                   .copying_out = out});
    }
    return give(outputs);
  }

 private:
  // One behind the other, on whatever a run has left in memory.
  Status launch_each_step() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].on_host()) continue;
      const std::vector<Launch>& launches = plan_.steps[s].variant().launches;
      for (size_t l = 0; l < launches.size(); ++l) {
        HONE_RETURN_IF_ERROR(
            put(gpu_, stream_, launches[l], loaded_->kernels[s][l], addresses_, false));
      }
    }
    return wait();
  }

  // Of a stage: where its parts begin.
  struct Marks {
    Event copies_in;
    Event kernels;
    Event copies_out;
    Event end;
  };

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
      HONE_RETURN_IF_ERROR(prepare_marks(marks_[s]));
      HONE_TRY(recordings_[s], record(gpu_, stream, [&] { return put_stage(s, stream, false); }));
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.host_nodes[s]) hosts_[s] = plan_.host_nodes[s]->program().open();
    }
    stream_ = std::move(stream);
    return Done{};
  }

  Status prepare_marks(Marks& marks) {
    for (Event* event : {&marks.copies_in, &marks.kernels, &marks.copies_out, &marks.end}) {
      HONE_TRY(*event, make_event(gpu_));
    }
    return Done{};
  }

  Status prepare_watching() {
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].host || watched_[s]) continue;
      const size_t bytes = stamps_of(plan_.stages[s].count) * sizeof(uint64_t);
      HONE_TRY(stamps_[s], allocate_pinned(gpu_, bytes, "the times of steps"));
      HONE_TRY(watched_[s], record(gpu_, stream_, [&] { return put_stage(s, stream_, true); }));
    }
    return Done{};
  }

  // Copies in, kernels, copies out. Where it is watched, every step's first kernel writes down when
  // its turn came, which changes nothing of how they follow each other, and marks when that of all
  // has ended.
  Status put_stage(size_t index, const Stream& stream, bool watched) {
    const Stage& stage = plan_.stages[index];
    const Marks& marks = marks_[index];
    const auto stamp = [&](size_t i) {
      const auto stamps = reinterpret_cast<uint64_t>(stamps_[index].get());
      return watched ? stamps + i * sizeof(uint64_t) : 0;
    };
    if (watched) HONE_RETURN_IF_ERROR(mark(marks.copies_in, stream));
    for (const Slot slot : stage.to_gpu) HONE_RETURN_IF_ERROR(put_copy_in(slot, stream));
    HONE_RETURN_IF_ERROR(mark(marks.kernels, stream));
    for (size_t i = 0; i < stage.count; ++i) {
      HONE_RETURN_IF_ERROR(put_step(stage.first + i, stream, i > 0, stamp(i)));
    }
    for (size_t i = stage.count; watched && i < stamps_of(stage.count); ++i) {
      HONE_RETURN_IF_ERROR(put(gpu_, stream, loaded_->mark, loaded_->mark_kernel, addresses_,
                               begins_early(i, stage.count), stamp(i)));
    }
    HONE_RETURN_IF_ERROR(mark(marks.copies_out, stream));
    for (const Slot slot : stage.to_host) HONE_RETURN_IF_ERROR(put_copy_out(slot, stream));
    if (watched) HONE_RETURN_IF_ERROR(mark(marks.end, stream));
    return Done{};
  }

  // Kernels may begin while those before them end; the very first has none before it.
  Status put_step(size_t step, const Stream& stream, bool follows, uint64_t began) {
    const std::vector<Launch>& launches = plan_.steps[step].variant().launches;
    for (size_t l = 0; l < launches.size(); ++l) {
      HONE_RETURN_IF_ERROR(put(gpu_, stream, launches[l], loaded_->kernels[step][l], addresses_,
                               follows || l > 0, l == 0 ? began : 0));
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

  // Of every step of a watched stage that has run: from its turn to that of the next.
  StampedTimes times_of_steps(size_t index) const {
    const Stage& stage = plan_.stages[index];
    std::vector<const Step*> steps;
    for (size_t i = 0; i < stage.count; ++i) steps.push_back(&plan_.steps[stage.first + i]);
    return times_of(static_cast<const uint64_t*>(stamps_[index].get()), steps);
  }

  Result<double> seconds_between(const Event& begin, const Event& end) const {
    float milliseconds = 0;
    HONE_RETURN_IF_ERROR(check(
        gpu_.driver().cuEventElapsedTime(&milliseconds, begin.get(), end.get()), "timing a run"));
    return milliseconds * 1e-3;
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
  std::vector<Recording> recordings_;            // By stage.
  std::vector<Recording> watched_;               // The same, where steps tell when they begin.
  std::vector<PinnedMemory> stamps_;             // By stage.
  std::vector<Marks> marks_;                     // By stage.
  std::vector<std::unique_ptr<Session>> hosts_;  // By step.
};

class CudaProgram final : public Program {
 public:
  explicit CudaProgram(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}

  std::unique_ptr<Session> open() const override { return std::make_unique<CudaSession>(loaded_); }
  const Graph& graph() const override { return loaded_->plan->graph; }
  std::vector<std::string> notes() const override { return loaded_->plan->notes; }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (size_t s = 0; s < loaded_->plan->steps.size(); ++s) {
      const Step& step = loaded_->plan->steps[s];
      infos.push_back({.node = step.node,
                       .kind = step.kind,
                       .cost = step.cost,
                       .packed_bytes = step.weight_bytes,
                       .counters = launch_counters(*loaded_, s)});
    }
    return infos;
  }

  std::optional<Accelerator> accelerator() const override {
    const Plan& plan = *loaded_->plan;
    Accelerator gpu{.name = plan.gpu.name,
                    .capability = str(plan.gpu.major, ".", plan.gpu.minor),
                    .processors = plan.gpu.multiprocessors,
                    .clock_mhz = plan.gpu.clock_mhz,
                    .memory_rate = plan.gpu.memory_rate,
                    .l2_bytes = plan.gpu.l2_bytes,
                    .bus = plan.gpu.bus};
    for (const Step& step : plan.steps) {
      if (!step.on_host()) gpu.launches += static_cast<int64_t>(step.variant().launches.size());
    }
    for (const Stage& stage : plan.stages) {
      gpu.copies_in += static_cast<int64_t>(stage.to_gpu.size());
      gpu.copies_out += static_cast<int64_t>(stage.to_host.size());
      for (const Slot slot : stage.to_gpu) gpu.bytes_in += plan.slots[slot].bytes;
      for (const Slot slot : stage.to_host) gpu.bytes_out += plan.slots[slot].bytes;
    }
    return gpu;
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
