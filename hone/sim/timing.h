// How long one command keeps its engine: closed forms, derived in timing.cc and array_time.cc. All
// times are whole cycles, rounded up, so that sums of them are exact.
#pragma once

#include <string_view>

#include "hone/device/npu_spec.h"
#include "hone/sim/command.h"
#include "hone/sim/engine_counters.h"

namespace hone::sim {

// Rounded up, but for what doubles add: 1280 / 12.8 is a little over 100.
double whole_cycles(double cycles);

// Of one command on its engine, were all its operands there.
struct EngineTime {
  double cycles = 0;               // In all.
  double busy = 0;                 // Of them multiplying, or computing elements.
  Stall cause = Stall::InputLate;  // Of the rest.
};

// What a device's price for depthwise products on the vector engine is called.
inline constexpr std::string_view kDepthwiseCost = "depthwise";

// Whether the vector engine computes it: depthwise, where the device says so.
bool runs_on_vector(const NpuSpec& npu, const Product& product);
EngineTime product_time(const NpuSpec& npu, const Product& product);
EngineTime vector_time(const NpuSpec& npu, const VectorCommand& command);
// What the vector engine does for a command, element by element: each value under a window counts.
int64_t vector_operations(const VectorCommand& command);

// A transfer's parts: setup and latency can hide behind other transfers, the bus cannot.
struct TransferTime {
  double request_cycles = 0;  // Until the first byte comes.
  double bus_cycles = 0;      // The memory is taken for these.
};
TransferTime transfer_time(const NpuSpec& npu, const Transfer& transfer);
// Bytes that pass the bus of its memory: weights lie there compressed.
double transferred_bytes(const NpuSpec& npu, const Transfer& transfer);

// Bytes of weights that a product reads from a memory while it computes, each once however many
// blocks of pixels there are; 0 when they lie in SRAM.
double streamed_bytes(const NpuSpec& npu, const Product& product);
double stream_cycles(const NpuSpec& npu, const Product& product);  // Of their memory's bus.
// Bytes that a command moves between SRAM and its engine.
double sram_bytes(const NpuSpec& npu, const Command& command);

}  // namespace hone::sim
