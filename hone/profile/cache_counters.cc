#include "hone/profile/cache_counters.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "hone/profile/cache_model.h"

namespace hone {
namespace {

constexpr uint64_t kPage = 4096;
// Rows of a product are worked on in blocks of about this size, as the cpu target's tasks are.
constexpr uint64_t kRowBlock = 256 << 10;

struct Range {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t held = 0;  // At a time: of a tensor in rows, later ones take the place of earlier ones.
};

void access(const Range& range, uint64_t begin, uint64_t end, CacheModel& caches) {
  while (begin < end) {
    const uint64_t at = begin % range.held;
    const uint64_t bytes = std::min(end - begin, range.held - at);
    caches.access(range.address + at, bytes);
    begin += bytes;
  }
}

// Where everything is: the arena at its offsets, the rest one after the other behind it.
class AddressMap {
 public:
  explicit AddressMap(const MemorySummary& memory) : next_(round_up(memory.arena_bytes)) {
    for (const MemoryUse& use : memory.buffers) arena_[use.value] = {use.offset, use.bytes};
    shared_ = memory.shared;
  }

  Range of(const Value& value) {
    const TensorType& type = value.type.tensor;
    if (!value.type.is_tensor() || !type.known()) return {};
    if (const auto found = arena_.find(value.name); found != arena_.end()) {
      return {found->second.first, type.bytes(), found->second.second};
    }
    if (const auto found = shared_.find(value.name); found != shared_.end()) {
      return {found->second, type.bytes(), type.bytes()};
    }
    const auto [place, added] = others_.try_emplace(&value, next_);
    if (added) next_ += round_up(type.bytes());
    return {place->second, type.bytes(), type.bytes()};
  }

  Range weights_of(const Node& node, uint64_t bytes) {
    const auto [place, added] = weights_.try_emplace(&node, next_);
    if (added) next_ += round_up(bytes);
    return {place->second, bytes, bytes};
  }

 private:
  static uint64_t round_up(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

  std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> arena_;  // Offset and bytes.
  std::map<std::string, size_t> shared_;
  std::unordered_map<const Value*, uint64_t> others_;
  std::unordered_map<const Node*, uint64_t> weights_;
  uint64_t next_;
};

// Slices of several ranges in turn, so that streams advance side by side.
void stream(const std::vector<Range>& ranges, CacheModel& caches) {
  constexpr uint64_t kSlices = 64;
  for (uint64_t slice = 0; slice < kSlices; ++slice) {
    for (const Range& range : ranges) {
      access(range, range.bytes * slice / kSlices, range.bytes * (slice + 1) / kSlices, caches);
    }
  }
}

// All weights for every block of rows.
void multiply(const std::vector<Range>& rows, Range weights, Range out, CacheModel& caches) {
  uint64_t bytes = out.bytes;
  for (const Range& range : rows) bytes += range.bytes;
  const uint64_t blocks = std::max<uint64_t>(1, bytes / kRowBlock);
  for (uint64_t block = 0; block < blocks; ++block) {
    const auto part = [&](const Range& range) {
      access(range, range.bytes * block / blocks, range.bytes * (block + 1) / blocks, caches);
    };
    for (const Range& range : rows) part(range);
    access(weights, 0, weights.bytes, caches);
    part(out);
  }
}

void play(const StepInfo& step, AddressMap& map, CacheModel& caches) {
  if (step.kind.family == StepFamily::Nothing) return;
  std::vector<Range> ranges;
  for (const Value* input : step.node->inputs) {
    if (input != nullptr && !input->constant) ranges.push_back(map.of(*input));
  }
  const uint64_t weight_bytes = std::max<uint64_t>(step.cost.stored_bytes, step.packed_bytes);
  if (step.cost.macs > 0 && weight_bytes > 0) {
    const Range weights = map.weights_of(*step.node, weight_bytes);
    return multiply(ranges, weights, map.of(*step.node->outputs[0]), caches);
  }
  for (const Value* output : step.node->outputs) ranges.push_back(map.of(*output));
  stream(ranges, caches);
}

Metric miss_metric(size_t level, double count) {
  return {.name = str("l", level + 1, "_misses"),
          .value = count,
          .mode = Mode::Simulated,
          .note = "lines; Hone's model of the caches, without prefetching"};
}

std::vector<Metric> metrics_of(const std::vector<uint64_t>& misses) {
  std::vector<Metric> metrics;
  for (size_t level = 0; level < misses.size(); ++level) {
    metrics.push_back(miss_metric(level, static_cast<double>(misses[level])));
  }
  return metrics;
}

}  // namespace

Result<CounterProfile> simulate_caches(const Program& program) {
  const std::optional<MemorySummary> memory = program.memory();
  if (!memory) return unsupported("simulated counters need a target that plans its memory");
  CacheModel caches(data_caches(cpu_info()), 64);
  AddressMap map(*memory);
  const std::vector<StepInfo> steps = program.steps();
  for (const StepInfo& step : steps) play(step, map, caches);
  CounterProfile profile;
  std::vector<uint64_t> total;
  for (const StepInfo& step : steps) {
    caches.reset_counts();
    play(step, map, caches);
    profile.steps.push_back(metrics_of(caches.misses()));
    total.resize(caches.misses().size());
    for (size_t level = 0; level < total.size(); ++level) total[level] += caches.misses()[level];
  }
  profile.whole = metrics_of(total);
  return profile;
}

}  // namespace hone
