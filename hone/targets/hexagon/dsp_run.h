// A network's code of the DSP, built and run in an emulator: what every layer of it takes.
#pragma once

#include "hone/device/analytic_spec.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/emulation/parted_run.h"

namespace hone::hexagon {

// No board was measured beside it: caches that are missed, and contexts that threads share, are not in it.
inline constexpr double kCyclesFactor = 2;

// What building and running it waits for; empty where everything is here.
std::string missing_tools();

struct PacketCost {
  uint64_t packets = 0;     // Counted.
  uint64_t vectors = 0;     // Instructions of HVX in them,
  uint64_t multiplies = 0;  // and those of them that multiply,
  uint64_t unaligned = 0;   // or load or store a vector that may lie anywhere.
  uint64_t stalls = 0;      // Cycles that packets wait for the one before.

  double cycles() const { return static_cast<double>(packets + stalls); }
  void add(const PacketCost& other);
};

struct DspRun {
  std::vector<PacketCost> layers = {};  // Those of the plan's steps,
  // and of their parts; none of those that are not cut.
  std::vector<std::vector<PacketCost>> parts = {};
  PacketCost rest = {};  // What calls them.
  size_t code_bytes = 0;
  size_t constant_bytes = 0;
};

// Flags of the compiler for a core: "-mv67 -mhvx=v67 -mhvx-length=128b", without vectors "-mv67".
std::string core_flags(const DspSpec& dsp);

// Resource where it cannot be built or run, or a byte is not the reference's.
Result<DspRun> run_on_dsp(const c_code::Plan& plan, const c_code::ProjectNames& names,
                          const std::vector<c_code::TestVector>& tests, const DspSpec& dsp);

// Of a program around the network. Resource where it cannot be built or run.
Result<emulation::PartedRun> run_parts_on_dsp(const c_code::Plan& plan,
                                              const c_code::ProjectNames& names,
                                              const emulation::PartedProgram& program,
                                              const DspSpec& dsp);

}  // namespace hone::hexagon
