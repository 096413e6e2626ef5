#include "hone/sim/engine_counters.h"

#include <algorithm>

#include "hone/base/check.h"

namespace hone::sim {
namespace {

// All numbers, in the order of the list of fields.
struct Numbers {
  std::vector<double*> all = {};

  void operator()(const char*, double& number) { all.push_back(&number); }
  void operator()(const char*, std::string&) {}
  void operator()(const char*, std::vector<MemoryTraffic>& memories) {
    for (MemoryTraffic& memory : memories) visit_fields(*this, memory);
  }
  template <class T>
  void operator()(const char*, T& fields) {
    visit_fields(*this, fields);
  }
};

std::vector<double*> numbers_of(EngineCounters& counters) {
  Numbers numbers;
  visit_fields(numbers, counters);
  return std::move(numbers.all);
}

}  // namespace

const char* stall_key(Stall stall) {
  switch (stall) {
    case Stall::WeightsLate:
      return "weights_late";
    case Stall::InputLate:
      return "input_late";
    case Stall::OutputBlocked:
      return "output_blocked";
    case Stall::Dispatch:
      return "dispatch";
    case Stall::Dependency:
      return "dependency";
    case Stall::Host:
      return "host";
  }
  return "?";
}

std::string stall_name(Stall stall) {
  std::string name = stall_key(stall);
  std::ranges::replace(name, '_', ' ');
  return name;
}

void add(const EngineCounters& counters, EngineCounters& sum) {
  if (sum.memories.empty()) {
    for (const MemoryTraffic& memory : counters.memories) sum.memories.push_back({memory.name});
  }
  HONE_CHECK(counters.memories.empty() || sum.memories.size() == counters.memories.size(),
             "counters of two devices");
  EngineCounters more = counters;
  more.memories.resize(sum.memories.size());
  const std::vector<double*> from = numbers_of(more), to = numbers_of(sum);
  for (size_t i = 0; i < to.size(); ++i) *to[i] += *from[i];
}

}  // namespace hone::sim
