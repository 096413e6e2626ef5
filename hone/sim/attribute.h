// Which step a cycle belongs to, and what was in its way when nothing computed.
#pragma once

#include <vector>

#include "hone/sim/simulate.h"

namespace hone::sim {

// How a command of a computing engine came by its time, besides start and end.
struct WorkTime {
  Stall start_cause = Stall::Dispatch;  // Of waiting for its start,
  double issued = 0;                    // but for the time until then, which is Dispatch.
  double busy = 0;                      // The last cycles before its end; those before are lost to
  Stall rest_cause = Stall::InputLate;
};

// Gives every cycle of a run to one step, as computing for it or as waiting, by cause: together
// they are the run, exactly. An engine's time runs as waiting for its next command, that command's
// rest, that command's computing; of two engines the one that computes counts, then one that is
// held up in a command, then the one that starts first. What comes after all computing waits for
// the last transfer.
class Attribution {
 public:
  explicit Attribution(size_t commands) : work_(commands), engines_(commands, Engine::Dma) {}

  void add_work(size_t command, Engine engine, const WorkTime& work) {
    work_[command] = work;
    engines_[command] = engine;
  }
  void add_transfer(size_t command, Stall cause) { work_[command].rest_cause = cause; }

  // Sets start, cycles and stalls of the steps; `simulation` has all times of commands.
  void finish(const CommandStream& stream, Simulation& simulation) const;

 private:
  std::vector<WorkTime> work_;
  std::vector<Engine> engines_;
};

}  // namespace hone::sim
