#include "hone/targets/common/memory_planner.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hone {
namespace {

bool overlap(const BufferLife& a, const BufferLife& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Range {
  size_t begin;
  size_t end;
};

// The lowest offset with `bytes` free between the taken ranges.
size_t lowest_gap(std::vector<Range>& taken, size_t bytes) {
  std::ranges::sort(taken, {}, &Range::begin);
  size_t offset = 0;
  for (const Range& range : taken) {
    if (range.begin >= offset + bytes) break;
    offset = std::max(offset, range.end);
  }
  return offset;
}

// Between which offsets a placed buffer keeps another away. Of two of which one follows the other only
// its begin must lie so far behind.
Range kept_from(const std::vector<BufferLife>& buffers, size_t placed, size_t offset, size_t next) {
  Range range{offset, offset + buffers[placed].bytes};
  const auto& after = buffers[next].follows;
  const auto& before = buffers[placed].follows;
  if (after && after->buffer == placed) range.end = offset + after->lead;
  if (before && before->buffer == next) {
    const size_t end = offset + buffers[next].bytes;
    range.begin = end - std::min(end, before->lead);
  }
  return range;
}

// Room to leave below a buffer for one that it follows and that has no place yet.
size_t room_below(const BufferLife& buffer, const std::vector<size_t>& placed) {
  if (!buffer.follows || std::ranges::find(placed, buffer.follows->buffer) != placed.end())
    return 0;
  return buffer.follows->lead;
}

// Each buffer, in the order given, at the lowest offset that is free during its life.
MemoryPlan place(const std::vector<BufferLife>& buffers, const std::vector<size_t>& order) {
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> placed;
  for (const size_t i : order) {
    std::vector<Range> taken;
    for (const size_t other : placed) {
      if (!overlap(buffers[i], buffers[other])) continue;
      taken.push_back(kept_from(buffers, other, plan.offsets[other], i));
    }
    const size_t below = room_below(buffers[i], placed);
    plan.offsets[i] = lowest_gap(taken, below + buffers[i].bytes) + below;
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + buffers[i].bytes);
    placed.push_back(i);
  }
  return plan;
}

// The lowest gap between ranges that do not overlap, by where they begin.
size_t lowest_gap(const std::map<size_t, size_t>& end_by_begin, size_t bytes) {
  size_t offset = 0;
  for (const auto& [begin, end] : end_by_begin) {
    if (begin >= offset + bytes) break;
    offset = end;
  }
  return offset;
}

// The same in the order of their first steps. Then only what lives at that step is in the way, so
// that the time grows with the number of buffers and not with its square.
MemoryPlan place_in_time(const std::vector<BufferLife>& buffers) {
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return buffers[i].first; });
  std::map<size_t, size_t> taken;          // Where a live buffer begins -> where it ends.
  std::multimap<size_t, size_t> by_death;  // Its last step -> where it begins.
  for (const size_t i : order) {
    while (!by_death.empty() && by_death.begin()->first < buffers[i].first) {
      taken.erase(by_death.begin()->second);
      by_death.erase(by_death.begin());
    }
    const size_t bytes = buffers[i].bytes;
    plan.offsets[i] = lowest_gap(taken, bytes);
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + bytes);
    if (bytes == 0) continue;
    taken.emplace(plan.offsets[i], plan.offsets[i] + bytes);
    by_death.emplace(buffers[i].last, plan.offsets[i]);
  }
  return plan;
}

// The buffers in descending order of `key`.
template <class Key>
std::vector<size_t> order_by(const std::vector<BufferLife>& buffers, Key key) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return key(buffers[i]); });
  return order;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<BufferLife>& given, size_t alignment) {
  std::vector<BufferLife> buffers = given;
  for (BufferLife& buffer : buffers) {
    buffer.bytes = (buffer.bytes + alignment - 1) / alignment * alignment;
    if (!buffer.follows) continue;
    buffer.follows->lead = (buffer.follows->lead + alignment - 1) / alignment * alignment;
  }
  // Above this the orders below, which look at every pair of buffers, would be waited for.
  constexpr size_t kMany = 4000;
  if (buffers.size() > kMany) return place_in_time(buffers);
  // No order is best for every network; these four are cheap enough to try them all.
  const std::vector<size_t> orders[] = {
      order_by(buffers, [](const BufferLife& b) { return b.bytes; }),
      order_by(buffers, [](const BufferLife& b) { return b.bytes * (b.last - b.first + 1); }),
      order_by(buffers, [](const BufferLife& b) { return ~b.first; }),
      order_by(buffers, [](const BufferLife& b) { return b.last; }),
  };
  MemoryPlan best = place(buffers, orders[0]);
  for (const std::vector<size_t>& order : orders) {
    MemoryPlan plan = place(buffers, order);
    if (plan.bytes < best.bytes) best = std::move(plan);
  }
  return best;
}

size_t largest_live_bytes(const std::vector<BufferLife>& buffers) {
  std::map<size_t, ptrdiff_t> changes;  // Step -> bytes that come to life, less those that die.
  for (const BufferLife& buffer : buffers) {
    changes[buffer.first] += static_cast<ptrdiff_t>(buffer.bytes);
    changes[buffer.last + 1] -= static_cast<ptrdiff_t>(buffer.bytes);
  }
  ptrdiff_t live = 0;
  ptrdiff_t largest = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    largest = std::max(largest, live);
  }
  return static_cast<size_t>(largest);
}

}  // namespace hone
