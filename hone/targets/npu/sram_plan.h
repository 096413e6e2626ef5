// What stays in the SRAM from layer to layer, what passes through it in tiles, and where.
#pragma once

#include <variant>

#include "hone/targets/npu/cascade.h"
#include "hone/targets/npu/storage.h"
#include "hone/targets/npu/tile_choice.h"

namespace hone::npu {

struct SramPlan {
  std::vector<bool> resident = {};                  // By storage.
  std::vector<uint64_t> offsets = {};               // By storage: in SRAM, for residents.
  std::vector<std::vector<LayerPlan>> layers = {};  // By step.
  std::vector<Cascade> cascades = {};               // In running order.
  std::vector<bool> linked = {};                    // By storage: lies inside of a cascade.
  // The steps that take turns with a step: itself, or all of its cascade. What one of them touches
  // lives during all of them.
  std::pair<size_t, size_t> turns_with(size_t step) const;
  uint64_t bytes = 0;
};

struct SramBudget {
  uint64_t activations = 0;  // Bytes for activations and their tiles.
  uint64_t weight_slot = 0;  // Bytes that one block of weights may take in SRAM.
  bool cascades = true;
  // Bytes a cycle that transfers are taken to reach when tiles are chosen.
  double bytes_per_cycle = 1;
};

// Where activations lie in memory 0: those that the host sees or that spill, sharing it as their
// lives allow.
struct MemoryPlaces {
  std::vector<uint64_t> offsets = {};  // By storage.
  uint64_t bytes = 0;
};
MemoryPlaces place_in_memory(const ProgramOutline& program, const SramPlan& plan);

// Whether the storage passes through in tiles for want of room, and not because the host has it.
bool spills(const Storage& storage, size_t index, const SramPlan& plan);

// Tiles and blocks of all layers.
int64_t job_count(const ProgramOutline& program, const SramPlan& plan);

// Everything that tells two plans apart but for offsets, which follow from it.
std::string signature(const SramPlan& plan);

// A step that does not fit beside what lives during it.
struct TooLarge {
  size_t step = 0;
};
std::variant<SramPlan, TooLarge> plan_sram(const NpuSpec& npu, const ProgramOutline& program,
                                           const SramBudget& budget);

}  // namespace hone::npu
