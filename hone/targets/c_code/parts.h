// Layers in parts, for threads: each part computes some rows of the result, or some panels of its channels.
//
// Parts write other bytes each and have scratch memory of their own, so that results are the same in whatever order they
// run, or at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone::c_code {

struct CoreKernels;
struct Step;

struct StepParts {
  size_t count = 1;        // 1: it is not cut.
  bool by_panels = false;  // Of its channels, instead of rows of its result.
  int64_t unit = 1;        // Rows that stay together.

  bool cut() const { return count > 1; }
};

// What a part has of some things that are shared out evenly, in their order.
struct PartRange {
  int64_t first = 0, end = 0;
};
PartRange share_of(int64_t things, size_t parts, size_t part);

// Rows that a part reads, those that it makes, and how many of padding lie above what it reads.
struct PartRows {
  PartRange read = {}, made = {};
  int64_t pad = 0;
};
PartRows rows_of_part(const Step& step, const StepParts& parts, size_t part);

// Whether a part reads what another writes over, should the result lie where x0 did.
bool reads_of_others(const Step& step, const StepParts& parts);

// Channels that a part computes.
PartRange channels_of_part(const Step& step, const StepParts& parts, size_t part);

// Scratch memory of a part.
size_t part_scratch_bytes(const Step& step, const CoreKernels& core);

// Whether an operand of a step that is cut by rows goes down the image as its result does.
bool goes_with_rows(const Step& step, size_t operand);

// Packets that it takes, by what layers of its kind are known to take: docs/howto/hexagon.md.
double estimated_packets(const Step& step);

// Whether a step computes by vectors, which not all threads may have at a time.
bool has_vectors(const Step& step);
// Threads that can compute it together.
size_t workers_for(const Step& step, const CoreKernels& core);

// Cut so that the largest part is smallest, by rows where panels may come one after another; not at all where that saves
// less than waking threads takes, by packets as they were counted of networks.
StepParts parts_for(const Step& step, const CoreKernels& core);

}  // namespace hone::c_code
