// The processor's own counters, step by step, through the kernel's perf_event interface.
#pragma once

#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/targets/target.h"

namespace hone {

// Opens what the kernel allows, for this thread and those it starts later: make one before the
// session whose threads it is to count.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  struct Event {
    std::string name;
    int file = -1;       // -1: could not be opened,
    std::string reason;  // and why.
  };
  const std::vector<Event>& events() const { return events_; }
  bool any() const;

  // Counts since the counters were opened, by event; 0 for those that are not open. Scaled where
  // the processor had to share its counters between events.
  void read(std::vector<double>& counts) const;

 private:
  std::vector<Event> events_;
};

struct CounterProfile {
  std::vector<Metric> whole;               // Of one run.
  std::vector<std::vector<Metric>> steps;  // Empty when no counter could be opened.
};

// Means over `runs` runs of a session of its own, made here. Reading costs about a microsecond a
// step, so these runs are not timed.
Result<CounterProfile> count_events(const Program& program, const std::vector<Item>& inputs,
                                    int runs);

}  // namespace hone
