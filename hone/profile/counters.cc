#include "hone/profile/counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>

namespace hone {
namespace {

constexpr uint64_t cache_event(uint64_t cache, uint64_t result) {
  return cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (result << 16);
}

struct EventDef {
  const char* name;
  uint32_t type;
  uint64_t config;
};
constexpr EventDef kEvents[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"l1d_misses", PERF_TYPE_HW_CACHE,
     cache_event(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"last_level_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"dtlb_misses", PERF_TYPE_HW_CACHE,
     cache_event(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"stalled_cycles_frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled_cycles_backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};

int open_event(const EventDef& def) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = def.type;
  attr.config = def.config;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.inherit = 1;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) {
    std::string level = "?";
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
    return str("no permission: kernel.perf_event_paranoid is ", level, ", 2 or less is needed");
  }
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return "this processor, or the virtual machine, offers no such counter";
  }
  if (error == ENOSYS) return "the kernel has no perf_event interface";
  return str("perf_event_open: ", std::strerror(error));
}

class CounterObserver final : public StepObserver {
 public:
  CounterObserver(const HardwareCounters& counters, size_t steps)
      : counters_(counters), sums_(steps, std::vector<double>(counters.events().size())) {}

  void begin() override { counters_.read(last_); }

  void step_done(size_t step, std::span<const double> busy) override {
    constexpr double kAll[] = {1};
    steps_done(step, kAll, busy);
  }

  // Nobody can tell the events of steps that ran together apart: they go by the time.
  void steps_done(size_t first, std::span<const double> seconds, std::span<const double>) override {
    counters_.read(now_);
    const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (size_t step = 0; step < seconds.size(); ++step) {
      for (size_t e = 0; e < now_.size(); ++e) {
        sums_[first + step][e] += (now_[e] - last_[e]) * seconds[step] / all;
      }
    }
    std::swap(now_, last_);
  }

  const std::vector<std::vector<double>>& sums() const { return sums_; }

 private:
  const HardwareCounters& counters_;
  std::vector<std::vector<double>> sums_;
  std::vector<double> last_;
  std::vector<double> now_;
};

Metric metric_of(const HardwareCounters::Event& event, double count, int runs) {
  if (event.file < 0) return unavailable(event.name, "", event.reason);
  return {.name = event.name, .value = count / runs, .n = runs, .note = "user mode, mean of runs"};
}

}  // namespace

HardwareCounters::HardwareCounters() {
  for (const EventDef& def : kEvents) {
    Event event{def.name, open_event(def), ""};
    if (event.file < 0) event.reason = reason_of(errno);
    events_.push_back(std::move(event));
  }
}

HardwareCounters::~HardwareCounters() {
  for (const Event& event : events_) {
    if (event.file >= 0) close(event.file);
  }
}

bool HardwareCounters::any() const {
  return std::ranges::any_of(events_, [](const Event& event) { return event.file >= 0; });
}

void HardwareCounters::read(std::vector<double>& counts) const {
  counts.assign(events_.size(), 0);
  for (size_t e = 0; e < events_.size(); ++e) {
    struct {
      uint64_t count, enabled, running;
    } value{};
    if (events_[e].file < 0 || ::read(events_[e].file, &value, sizeof value) != sizeof value) {
      continue;
    }
    const double scale = value.running == 0 ? 0
                                            : static_cast<double>(value.enabled) /
                                                  static_cast<double>(value.running);
    counts[e] = static_cast<double>(value.count) * scale;
  }
}

Result<CounterProfile> count_events(const Program& program, const std::vector<Item>& inputs,
                                    int runs) {
  const HardwareCounters counters;
  CounterProfile profile;
  const size_t steps = program.steps().size();
  CounterObserver observer(counters, steps);
  if (counters.any()) {
    const std::unique_ptr<Session> session = program.open();
    std::vector<Item> outputs;
    HONE_RETURN_IF_ERROR(session->run(inputs, outputs));
    for (int run = 0; run < runs; ++run) {
      HONE_RETURN_IF_ERROR(session->run_observed(inputs, outputs, observer));
    }
  }
  for (size_t e = 0; e < counters.events().size(); ++e) {
    double whole = 0;
    for (const std::vector<double>& step : observer.sums()) whole += step[e];
    profile.whole.push_back(metric_of(counters.events()[e], whole, runs));
  }
  if (!counters.any()) return profile;
  for (const std::vector<double>& step : observer.sums()) {
    std::vector<Metric>& metrics = profile.steps.emplace_back();
    for (size_t e = 0; e < step.size(); ++e) {
      metrics.push_back(metric_of(counters.events()[e], step[e], runs));
    }
  }
  return profile;
}

}  // namespace hone
