#include "hone/targets/npu/emitter.h"

#include "hone/targets/npu/emit/cascade_jobs.h"
#include "hone/targets/npu/emit/layer_jobs.h"
#include "hone/targets/npu/layer_cost.h"

namespace hone::npu {
namespace {

Emission begin(const NpuSpec& npu, const ProgramOutline& program, const EmitPlan& plan) {
  Emission emission{.npu = npu, .program = program, .plan = plan};
  MemoryPlaces places = place_in_memory(program, plan.sram);
  Schedule& schedule = emission.schedule;
  schedule.sram = plan.sram;
  schedule.kept = plan.kept;
  schedule.weight_slot = plan.weight_slot;
  schedule.memory_offsets = std::move(places.offsets);
  schedule.stream.steps = program.steps.size();
  schedule.stream.space_bytes.assign(1 + npu.memories.size(), 0);
  schedule.stream.space_bytes[sim::kSramSpace] = static_cast<uint64_t>(npu.sram.bytes);
  schedule.stream.space_bytes[kMemory] = places.bytes;
  for (size_t i = 0; i < program.storages.all.size(); ++i) {
    emission.in_sram.push_back(plan.sram.resident[i] && program.storages.all[i].written_by_npu);
  }
  return emission;
}

void emit_host(Emission& emission, size_t step) {
  const Node& node = *emission.program.steps[step].node;
  const Storages& storages = emission.program.storages;
  Job job;
  job.work.command = {.work = sim::HostCall{.call = step,
                                            .us = host_us(emission.npu, node),
                                            .wakes = emission.npu_worked},
                      .step = step};
  emission.npu_worked = false;
  const auto add_range = [&](const Value* value, std::vector<Range>& ranges) {
    if (value == nullptr || !storages.part_of.contains(value)) return;
    const size_t storage = storages.of(value).storage;
    ranges.push_back(
        {{kMemory, emission.schedule.memory_offsets[storage]}, storages.all[storage].bytes});
  };
  for (const Value* input : node.inputs) add_range(input, job.work.reads);
  for (const Value* output : node.outputs) {
    add_range(output, job.work.writes);
    if (storages.part_of.contains(output)) emission.in_sram[storages.of(output).storage] = false;
  }
  emission.jobs.push_back(std::move(job));
}

const Cascade* cascade_at(const EmitPlan& plan, size_t step) {
  for (const Cascade& cascade : plan.sram.cascades) {
    if (cascade.first_step == step) return &cascade;
  }
  return nullptr;
}

}  // namespace

Schedule emit(const NpuSpec& npu, const ProgramOutline& program, const EmitPlan& plan) {
  Emission emission = begin(npu, program, plan);
  for (size_t step = 0; step < program.steps.size(); ++step) {
    if (const Cascade* cascade = cascade_at(plan, step)) {
      emit_cascade(emission, *cascade);
      step = cascade->last_step;
    } else if (program.steps[step].on_npu) {
      for (size_t l = 0; l < program.steps[step].layers.size(); ++l) emit_layer(emission, step, l);
    } else {
      emit_host(emission, step);
    }
  }
  emission.schedule.stream.commands = order_jobs(npu, std::move(emission.jobs));
  return std::move(emission.schedule);
}

}  // namespace hone::npu
