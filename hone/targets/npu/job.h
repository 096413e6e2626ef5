// Units of work and the order in which their commands are issued.
#pragma once

#include "hone/device/npu_spec.h"
#include "hone/targets/npu/hazards.h"
#include "hone/targets/npu/storage.h"
#include "hone/targets/npu/working_set.h"

namespace hone::npu {

// A command with the bytes it reads and writes.
struct Draft {
  sim::Command command = {};
  std::vector<Range> reads = {};
  std::vector<Range> writes = {};
};

// One unit of work: what must come, what is computed, what must go.
struct Job {
  std::vector<Draft> loads = {};
  Draft work = {};
  std::vector<Draft> stores = {};
};

// All bytes between the first and the last of a view.
Range span_of(const sim::View& view);

// An image in SRAM without gaps.
sim::View dense_view(uint64_t at, int64_t height, int64_t width, int64_t channels);
// Rows and channels of a value whose storage begins at `base`.
sim::View part_view(const Part& part, const Image& image, sim::Address base, Rows rows,
                    int64_t first_channel, int64_t channels);
// Moves a view to a dense one, or the other way: pixels are runs, unless all of it is one. Weights,
// inputs and outputs have a channel each where there are enough.
Draft transfer(const NpuSpec& npu, sim::Role role, const sim::View& from, const sim::View& to,
               size_t step);

// All commands, each with what it waits for. Loads go some jobs ahead of the work before them, as
// far as they touch nothing that those jobs work on: two buffers let them go one tile ahead,
// weights farther.
std::vector<sim::Command> order_jobs(const NpuSpec& npu, std::vector<Job> jobs);

}  // namespace hone::npu
