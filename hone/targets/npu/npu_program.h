#pragma once

#include "hone/targets/common/host_program.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/npu/partition.h"
#include "hone/targets/npu/schedule.h"

namespace hone::npu {

// A network compiled for one device. Made once, never changed; sessions run it. With
// CompileOptions::estimate_only it has neither schedule nor simulation, and cannot be run.
struct NpuPlan {
  Device device;
  CompileOptions options;  // As they hold for this graph.
  Graph graph;             // As compiled; nodes of steps point into it.
  Partition placed;
  ProgramOutline program;
  Schedule schedule;
  sim::Simulation simulation;
  std::vector<std::optional<HostProgram>> host;  // By step.
  std::vector<NodeCost> costs;                   // By step.

  const NpuSpec& npu() const { return *device.npu(); }
};

Result<std::shared_ptr<const NpuPlan>> make_npu_plan(Graph graph, const Device& device,
                                                     const CompileOptions& options);

// Nodes and costs of the steps.
std::vector<StepInfo> step_infos(const NpuPlan& plan);
// What the memory of the weights is asked for, with the weights of the host's layers.
MemoryDemand weight_demand(const NpuPlan& plan, uint64_t npu_weight_bytes);

// What the cycle model says of a run, for profiles.
ModelledRun modelled_run(const NpuPlan& plan);

// The same from closed forms alone, layer after layer, of a plan that was made for an estimate.
ModelledRun estimated_run(const NpuPlan& plan);

// The files of program_files() below `folder`: the commands with their cycles, what runs where, the
// map of the memories, and the images that the device loads with the place of each.
Status write_program(const NpuPlan& plan, const std::filesystem::path& folder);

std::vector<std::string> program_files();

std::unique_ptr<Session> open_session(std::shared_ptr<const NpuPlan> plan);

}  // namespace hone::npu
