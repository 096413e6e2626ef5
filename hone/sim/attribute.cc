#include "hone/sim/attribute.h"

#include <algorithm>
#include <limits>

namespace hone::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr size_t kEngines = 3;  // Matrix, vector, host.

enum class State { Idle, Waits, HeldUp, Computes };

// Walks through the commands of one engine.
class EngineCursor {
 public:
  EngineCursor(const std::vector<CommandTime>& times, const std::vector<WorkTime>& work)
      : times_(times), work_(work) {}

  void push(uint32_t command) { commands_.push_back(command); }
  // What it does from `now` on, and until when.
  struct Now {
    State state = State::Idle;
    uint32_t command = 0;
    Stall cause = Stall::Dependency;
    double until = kNever;
    double next_start = kNever;
  };
  Now at(double now) {
    while (next_ < commands_.size() && times_[commands_[next_]].end <= now) ++next_;
    if (next_ == commands_.size()) return {};
    const uint32_t command = commands_[next_];
    const CommandTime& time = times_[command];
    const WorkTime& work = work_[command];
    if (now < time.start) {
      // The issue of what it waits for comes first.
      const double issued = std::min(work.issued, time.start);
      if (now < issued) return {State::Waits, command, Stall::Dispatch, issued, time.start};
      return {State::Waits, command, work.start_cause, time.start, time.start};
    }
    const double computes = time.end - work.busy;
    if (now < computes) return {State::HeldUp, command, work.rest_cause, computes, time.start};
    return {State::Computes, command, work.rest_cause, time.end, time.start};
  }

 private:
  const std::vector<CommandTime>& times_;
  const std::vector<WorkTime>& work_;
  std::vector<uint32_t> commands_;
  size_t next_ = 0;
};

struct Tail {
  double end = 0;
  uint32_t command = 0;
};

// The transfer that ends last: what is waited for when nothing computes any more.
Tail last_transfer(const std::vector<CommandTime>& times, const std::vector<Engine>& engines) {
  Tail tail;
  for (uint32_t i = 0; i < times.size(); ++i) {
    if (engines[i] == Engine::Dma && times[i].end >= tail.end) tail = {times[i].end, i};
  }
  return tail;
}

}  // namespace

void Attribution::finish(const CommandStream& stream, Simulation& simulation) const {
  const std::vector<CommandTime>& times = simulation.commands;
  std::vector<EngineCursor> engines(kEngines, EngineCursor(times, work_));
  for (uint32_t i = 0; i < times.size(); ++i) {
    if (engines_[i] != Engine::Dma) engines[static_cast<size_t>(engines_[i])].push(i);
  }
  const Tail tail = last_transfer(times, engines_);
  double now = 0;
  while (now < simulation.cycles) {
    EngineCursor::Now most = {.command = tail.command, .cause = work_[tail.command].rest_cause};
    double until = simulation.cycles;
    for (EngineCursor& engine : engines) {
      const EngineCursor::Now one = engine.at(now);
      until = std::min(until, one.until);
      const bool sooner = one.state == State::Waits && most.state == State::Waits &&
                          one.next_start < most.next_start;
      if (one.state > most.state || sooner) most = one;
    }
    StepTime& step = simulation.steps[stream.commands[most.command].step];
    if (step.cycles == 0) step.start = now;
    step.cycles += until - now;
    if (most.state != State::Computes) step.stalls[most.cause] += until - now;
    now = until;
  }
}

}  // namespace hone::sim
