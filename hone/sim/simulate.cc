// One pass over the commands, in the order of the program. That needs no queue of events: a command
// can start only after commands in front of it (those it waits for, the one before it on its track,
// the one before it on its memory's bus), so that all it depends on is known when it is reached.

#include "hone/sim/simulate.h"

#include <algorithm>

#include "hone/base/check.h"
#include "hone/sim/attribute.h"

namespace hone::sim {
namespace {

constexpr size_t kMatrixTrack = 0;
constexpr size_t kVectorTrack = 1;
constexpr size_t kHostTrack = 2;
constexpr size_t kFirstDmaTrack = 3;

size_t memory_of(Address at) {
  return at.space - size_t{1};
}

Stall stall_of(Role role) {
  switch (role) {
    case Role::Weights:
      return Stall::WeightsLate;
    case Role::Input:
      return Stall::InputLate;
    case Role::Output:
      return Stall::OutputBlocked;
  }
  return Stall::InputLate;
}

// Of a command that waits until `work` has ended.
Stall stall_behind(const Command& command) {
  if (const auto* transfer = std::get_if<Transfer>(&command.work)) return stall_of(transfer->role);
  return std::holds_alternative<HostCall>(command.work) ? Stall::Host : Stall::Dependency;
}

Engine engine_of(size_t track) {
  return static_cast<Engine>(std::min(track, kFirstDmaTrack));
}

class Simulator {
 public:
  Simulator(const NpuSpec& npu, const CommandStream& stream)
      : npu_(npu),
        stream_(stream),
        track_free_(kFirstDmaTrack + static_cast<size_t>(npu.dma.channels)),
        bus_free_(npu.memories.size()),
        issued_(stream.commands.size()),
        attribution_(stream.commands.size()) {
    result_.commands.resize(stream.commands.size());
    result_.steps.resize(stream.steps);
    for (StepTime& step : result_.steps) {
      for (const NpuMemory& memory : npu.memories) step.memories.push_back({memory.name});
    }
  }

  Simulation run() {
    double issued = whole_cycles(npu_.cycles(npu_.queue.start_us));
    for (size_t i = 0; i < stream_.commands.size(); ++i) {
      issued += npu_.queue.issue_cycles;
      issued_[i] = issued;
      const Command& command = stream_.commands[i];
      HONE_CHECK(command.step < result_.steps.size(), "command ", i, " is of step ", command.step);
      StepTime& step = result_.steps[command.step];
      ++step.commands;
      const Start start = start_of(i, command);
      std::visit([&](const auto& work) { add(i, work, start, step); }, command.work);
      step.sram_bytes += sram_bytes(npu_, command);
    }
    attribution_.finish(stream_, result_);
    for (StepTime& step : result_.steps) {
      step.possible_macs = step.cycles * static_cast<double>(npu_.matrix.macs_per_cycle());
    }
    add_energy();
    return std::move(result_);
  }

 private:
  // When a command can start, and what it waited for until then.
  struct Start {
    size_t track = 0;
    double time = 0;
    double issued = 0;  // Before that, it waited for a command to be issued.
    Stall cause = Stall::Dispatch;
  };

  Start start_of(size_t index, const Command& command) const {
    Start start{.track = track_of(npu_, command), .time = issued_[index], .issued = issued_[index]};
    if (track_free_[start.track] > start.time) {
      start.time = track_free_[start.track];
      start.cause = start.track == kHostTrack ? Stall::Host : Stall::Dependency;
    }
    for (const uint32_t wait : command.waits) {
      HONE_CHECK(wait < index, "command ", index, " waits for command ", wait);
      if (result_.commands[wait].end <= start.time) continue;
      start.time = result_.commands[wait].end;
      start.cause = stall_behind(stream_.commands[wait]);
      start.issued = issued_[wait];
    }
    return start;
  }

  void add(size_t index, const Transfer& transfer, const Start& start, StepTime& step) {
    const TransferTime time = transfer_time(npu_, transfer);
    double bus = start.time + time.request_cycles;
    for (const Address at : {transfer.from, transfer.to}) {
      if (!at.in_sram()) bus = std::max(bus, bus_free_[memory_of(at)]);
    }
    const double end = bus + time.bus_cycles;
    const double bytes = transferred_bytes(npu_, transfer);
    if (!transfer.from.in_sram()) {
      bus_free_[memory_of(transfer.from)] = end;
      step.memories[memory_of(transfer.from)].read_bytes += bytes;
    }
    if (!transfer.to.in_sram()) {
      bus_free_[memory_of(transfer.to)] = end;
      step.memories[memory_of(transfer.to)].written_bytes += bytes;
    }
    step.busy.dma += (end - start.time) / npu_.dma.channels;
    finish(index, start, end);
    attribution_.add_transfer(index, stall_of(transfer.role));
  }

  void add(size_t index, const Product& product, const Start& start, StepTime& step) {
    EngineTime time = product_time(npu_, product);
    if (const double bytes = streamed_bytes(npu_, product); bytes > 0) {
      const size_t memory = memory_of(product.weights);
      double& free = bus_free_[memory];
      free = std::max(free, start.time) + stream_cycles(npu_, product);
      step.memories[memory].read_bytes += bytes;
      if (free > start.time + time.cycles) {
        time.cycles = free - start.time;
        time.cause = Stall::WeightsLate;
      }
    }
    step.macs += static_cast<double>(product.macs());
    (start.track == kMatrixTrack ? step.busy.matrix : step.busy.vector) += time.busy;
    finish(index, start, start.time + time.cycles);
    attribution_.add_work(index, engine_of(start.track),
                          {start.cause, start.issued, time.busy, time.cause});
  }

  void add(size_t index, const VectorCommand& command, const Start& start, StepTime& step) {
    const EngineTime time = vector_time(npu_, command);
    step.busy.vector += time.busy;
    finish(index, start, start.time + time.cycles);
    attribution_.add_work(index, engine_of(start.track),
                          {start.cause, start.issued, time.busy, time.cause});
  }

  void add(size_t index, const HostCall& call, const Start& start, StepTime& step) {
    const double dispatch = call.wakes ? whole_cycles(npu_.cycles(npu_.host.dispatch_us)) : 0;
    const double busy = whole_cycles(npu_.cycles(call.us));
    step.busy.host += busy;
    finish(index, start, start.time + dispatch + busy);
    attribution_.add_work(index, engine_of(start.track),
                          {start.cause, start.issued, busy, Stall::Dispatch});
  }

  void finish(size_t index, const Start& start, double end) {
    result_.commands[index] = {start.time, end};
    track_free_[start.track] = end;
    result_.cycles = std::max(result_.cycles, end);
  }

  // Picojoules of work and of bytes; watts times microseconds are microjoules.
  void add_energy() {
    const NpuEnergy& energy = npu_.energy;
    std::vector<double> picojoules(result_.steps.size());
    for (const Command& command : stream_.commands) picojoules[command.step] += work_of(command);
    for (size_t i = 0; i < result_.steps.size(); ++i) {
      StepTime& step = result_.steps[i];
      picojoules[i] += step.sram_bytes * energy.pj_per_sram_byte;
      const size_t memories = std::min(npu_.memories.size(), energy.pj_per_memory_byte.size());
      for (size_t m = 0; m < memories; ++m) {
        picojoules[i] += (step.memories[m].read_bytes + step.memories[m].written_bytes) *
                         energy.pj_per_memory_byte[m];
      }
      step.energy_uj = 1e-6 * picojoules[i] + npu_.us(step.cycles) * energy.idle_watts +
                       npu_.us(step.busy.host) * npu_.host.watts;
      result_.energy_uj += step.energy_uj;
    }
  }

  double work_of(const Command& command) const {
    if (const auto* product = std::get_if<Product>(&command.work)) {
      const bool vector = runs_on_vector(npu_, *product);
      return static_cast<double>(product->macs()) *
             (vector ? npu_.energy.pj_per_vector_op : npu_.energy.pj_per_mac);
    }
    if (const auto* vector = std::get_if<VectorCommand>(&command.work)) {
      return static_cast<double>(vector_operations(*vector)) * npu_.energy.pj_per_vector_op;
    }
    return 0;
  }

  const NpuSpec& npu_;
  const CommandStream& stream_;
  std::vector<double> track_free_;  // When a track's last command ends.
  std::vector<double> bus_free_;    // By memory.
  std::vector<double> issued_;      // By command.
  Attribution attribution_;
  Simulation result_;
};

}  // namespace

size_t track_of(const NpuSpec& npu, const Command& command) {
  if (const auto* transfer = std::get_if<Transfer>(&command.work)) {
    HONE_CHECK(transfer->channel >= 0 && transfer->channel < npu.dma.channels, "DMA channel ",
               transfer->channel, " of ", npu.dma.channels);
    return kFirstDmaTrack + static_cast<size_t>(transfer->channel);
  }
  if (const auto* product = std::get_if<Product>(&command.work)) {
    return runs_on_vector(npu, *product) ? kVectorTrack : kMatrixTrack;
  }
  return std::holds_alternative<VectorCommand>(command.work) ? kVectorTrack : kHostTrack;
}

std::vector<std::string> track_names(const NpuSpec& npu) {
  std::vector<std::string> names = {"matrix", "vector", "host"};
  for (int channel = 0; channel < npu.dma.channels; ++channel) {
    names.push_back(str("dma ", channel));
  }
  return names;
}

Simulation simulate(const NpuSpec& npu, const CommandStream& stream) {
  return Simulator(npu, stream).run();
}

}  // namespace hone::sim
