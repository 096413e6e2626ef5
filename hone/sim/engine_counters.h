// What the engines of an accelerator did in a run or a step: counted by the simulator, carried by
// programs and profiles, written to result files, read by reports. Everything adds up over steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::sim {

// What holds an engine up.
enum class Stall : uint8_t {
  WeightsLate,    // Waits for weights to arrive.
  InputLate,      // Waits for input.
  OutputBlocked,  // Waits for room to write to, or for sums to leave.
  Dispatch,       // Waits for the command to be issued, or for the host to hand over.
  Dependency,     // Waits for another engine of the NPU.
  Host,           // Waits for the host to compute.
};
constexpr size_t kStalls = 6;
const char* stall_key(Stall stall);   // "weights_late", ...: as in result files.
std::string stall_name(Stall stall);  // "weights late", ...

// Cycles by cause.
struct EngineStalls {
  std::array<double, kStalls> cycles = {};

  double& operator[](Stall stall) { return cycles[static_cast<size_t>(stall)]; }
  double operator[](Stall stall) const { return cycles[static_cast<size_t>(stall)]; }
};

// Cycles in which an engine computed, or moved data.
struct EngineBusy {
  double matrix = 0;
  double vector = 0;
  double dma = 0;  // Mean of the channels.
  double host = 0;
};

// Over the border of the chip.
struct MemoryTraffic {
  std::string name = {};  // Of the memory.
  double read_bytes = 0;
  double written_bytes = 0;
};

struct EngineCounters {
  double cycles = 0;  // A step's own; steps may take turns. They add up to the run.
  EngineBusy busy = {};
  double macs = 0;
  double possible_macs = 0;  // Those that the array could have done in `cycles`.
  double commands = 0;
  double sram_bytes = 0;
  EngineStalls stalls = {};  // Cycles in which no engine computed for it.
  std::vector<MemoryTraffic> memories = {};
  double energy_uj = 0;
};

// Memories are those of one device, in its order; none where nothing was added yet.
void add(const EngineCounters& counters, EngineCounters& sum);

// The one list of fields.

template <class Fields>
void visit_fields(Fields& f, EngineBusy& b) {
  f("matrix", b.matrix);
  f("vector", b.vector);
  f("dma", b.dma);
  f("host", b.host);
}

template <class Fields>
void visit_fields(Fields& f, EngineStalls& s) {
  for (size_t i = 0; i < kStalls; ++i) f(stall_key(static_cast<Stall>(i)), s.cycles[i]);
}

template <class Fields>
void visit_fields(Fields& f, MemoryTraffic& m) {
  f("name", m.name);
  f("read_bytes", m.read_bytes);
  f("written_bytes", m.written_bytes);
}

template <class Fields>
void visit_fields(Fields& f, EngineCounters& c) {
  f("cycles", c.cycles);
  f("busy", c.busy);
  f("macs", c.macs);
  f("possible_macs", c.possible_macs);
  f("commands", c.commands);
  f("sram_bytes", c.sram_bytes);
  f("stalls", c.stalls);
  f("memories", c.memories);
  f("energy_uj", c.energy_uj);
}

}  // namespace hone::sim
