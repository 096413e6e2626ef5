#include "hone/targets/npu/job.h"

#include <algorithm>

#include "hone/sim/simulate.h"

namespace hone::npu {
namespace {

bool overlap(const Range& a, const Range& b) {
  return a.at.space == b.at.space && a.at.offset < b.at.offset + b.bytes &&
         b.at.offset < a.at.offset + a.bytes;
}

bool meet(const std::vector<Range>& a, const std::vector<Range>& b) {
  return std::ranges::any_of(a, [&](const Range& x) {
    return std::ranges::any_of(b, [&](const Range& y) { return overlap(x, y); });
  });
}

// Whether a load reads what a job writes, or writes what it reads or writes.
bool touches(const Draft& load, const Job& job) {
  const auto conflict = [&](const Draft& draft) {
    return meet(load.reads, draft.writes) || meet(load.writes, draft.reads) ||
           meet(load.writes, draft.writes);
  };
  return conflict(job.work) || std::ranges::any_of(job.stores, conflict);
}

class Ordering {
 public:
  Ordering(const NpuSpec& npu, std::vector<Job> jobs)
      : npu_(npu), jobs_(std::move(jobs)), hazards_(1 + npu.memories.size()) {}

  std::vector<sim::Command> make() {
    for (size_t j = 0; j < jobs_.size(); ++j) {
      for (Draft& load : jobs_[j].loads) push(std::move(load));
      jobs_[j].loads.clear();
      load_ahead(j);
      push(std::move(jobs_[j].work));
      for (Draft& store : jobs_[j].stores) push(std::move(store));
    }
    return std::move(commands_);
  }

 private:
  void load_ahead(size_t j) {
    constexpr size_t kAhead = 4;
    for (size_t next = j + 1; next < jobs_.size() && next <= j + kAhead; ++next) {
      std::vector<Draft>& loads = jobs_[next].loads;
      while (!loads.empty()) {
        for (size_t before = j; before < next; ++before) {
          if (touches(loads.front(), jobs_[before])) return;
        }
        push(std::move(loads.front()));
        loads.erase(loads.begin());
      }
    }
  }

  void push(Draft draft) {
    const auto number = static_cast<uint32_t>(commands_.size());
    draft.command.waits =
        hazards_.add(number, sim::track_of(npu_, draft.command), draft.reads, draft.writes);
    commands_.push_back(std::move(draft.command));
  }

  const NpuSpec& npu_;
  std::vector<Job> jobs_;
  Hazards hazards_;
  std::vector<sim::Command> commands_;
};

}  // namespace

Range span_of(const sim::View& view) {
  const int64_t bytes =
      (view.height - 1) * view.row_stride + (view.width - 1) * view.pixel_stride + view.channels;
  return {view.at, static_cast<uint64_t>(bytes)};
}

sim::View dense_view(uint64_t at, int64_t height, int64_t width, int64_t channels) {
  sim::View view = view_of({height, width, channels});
  view.at = {sim::kSramSpace, at};
  return view;
}

sim::View part_view(const Part& part, const Image& image, sim::Address base, Rows rows,
                    int64_t first_channel, int64_t channels) {
  sim::View view = view_of(image);
  if (part.pixel_stride != 0) {
    view.pixel_stride = part.pixel_stride;
    view.row_stride = part.pixel_stride * image.width;
  }
  const int64_t start = part.first_channel + first_channel + rows.first * view.row_stride;
  view.at = {base.space, base.offset + static_cast<uint64_t>(start)};
  view.height = rows.count();
  view.channels = channels;
  return view;
}

Draft transfer(const NpuSpec& npu, sim::Role role, const sim::View& from, const sim::View& to,
               size_t step) {
  sim::Transfer move{.role = role, .from = from.at, .to = to.at};
  const bool dense = from.pixel_stride == from.channels && to.pixel_stride == to.channels;
  move.rows = dense ? 1 : from.height * from.width;
  move.row_bytes = dense ? from.elements() : from.channels;
  move.from_stride = dense ? move.row_bytes : from.pixel_stride;
  move.to_stride = dense ? move.row_bytes : to.pixel_stride;
  move.channel = static_cast<int>(role) % npu.dma.channels;
  return {{.work = move, .step = step}, {span_of(from)}, {span_of(to)}};
}

std::vector<sim::Command> order_jobs(const NpuSpec& npu, std::vector<Job> jobs) {
  return Ordering(npu, std::move(jobs)).make();
}

}  // namespace hone::npu
