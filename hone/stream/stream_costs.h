// What an always-on program takes on its device: it runs there in an emulator, and is counted.
#pragma once

#include <span>
#include <string>

#include "hone/stream/listener.h"
#include "hone/stream/write_stream.h"

namespace hone {

// Of one push, frame or run.
struct PartOfStream {
  double counted = 0;  // Packets or instructions, by the emulator.
  double cycles = 0;   // Predicted.
};

struct StreamCosts {
  std::string device;
  std::string unit;  // What is counted: "packets".
  double clock_mhz = 0;
  double factor = 1;       // Cycles are expected within it.
  PartOfStream gate;       // Of a push.
  PartOfStream front_end;  // Of a frame,
  PartOfStream network;    // of a run,
  PartOfStream detection;  // and of what follows it.

  double us(const PartOfStream& part) const { return part.cycles / clock_mhz; }
};

// How much of the day's work comes with a hop while the gate is open.
struct HopWork {
  double ms = 0;
  double pushes = 0;
  double frames = 0;
};
HopWork hop_work(const StreamRecipe& recipe);

// `expected` is what the host hears of the samples. BadInput where the network does not run on the way, Resource where it cannot
// be built or run, or hears another thing.
Result<StreamCosts> emulate_stream(const StreamRecipe& recipe,
                                   const emulation::WritableCode& network,
                                   std::span<const int16_t> samples, const Heard& expected);

}  // namespace hone
