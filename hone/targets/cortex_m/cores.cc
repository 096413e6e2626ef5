// The cores. Timings are those of Arm's technical reference manuals as far as they tell; of the M7, which Arm
// does not tell, those that LLVM schedules by.

#include <algorithm>

#include "hone/targets/cortex_m/core.h"

namespace hone::cortex_m {
namespace {

constexpr std::string_view kMps2 = "mps2-an500", kMps2Script = "mps2_an500.ld";
constexpr std::string_view kMps3 = "mps3-an547", kMps3Script = "mps3_an547.ld";

struct UnitTiming {
  Unit unit;
  Timing timing;
};

// A cycle each, but for these.
std::array<Timing, kUnits> timings(std::initializer_list<UnitTiming> others) {
  std::array<Timing, kUnits> all = {};
  for (const auto& [unit, timing] : others) all[static_cast<size_t>(unit)] = timing;
  return all;
}

// Loads and stores of n registers take n + 1 cycles. Vectors take two, and what reads one begins when half of
// it is there.
std::array<Timing, kUnits> plain_timings(Timing load, Timing multiply) {
  return timings({{Unit::Load, load},
                  {Unit::NarrowLoad, load},
                  {Unit::LoadMany, {1, 2}},
                  {Unit::StoreMany, {1, 2}},
                  {Unit::Multiply, multiply},
                  {Unit::Divide, {1, 7}},
                  {Unit::VectorLoad, {1, 2}},
                  {Unit::VectorStore, {1, 2}},
                  {Unit::VectorAlu, {1, 2}},
                  {Unit::VectorMultiply, {2, 2}}});
}

std::vector<Core> make_cores() {
  return {
      {.name = "cortex-m0plus",
       .machine = kMps2,
       .script = kMps2Script,
       .timings = plain_timings({2, 2}, {1, 1}),
       .source = "Cortex-M0+ technical reference manual, a multiplier of one cycle"},
      {.name = "cortex-m3",
       .machine = kMps2,
       .script = kMps2Script,
       .loads_block = true,
       .timings = plain_timings({2, 1}, {1, 2}),
       .source = "Cortex-M3 technical reference manual"},
      {.name = "cortex-m4",
       .machine = kMps2,
       .script = kMps2Script,
       .fours = true,
       .loads_block = true,
       .timings = plain_timings({2, 1}, {1, 1}),
       .source = "Cortex-M4 technical reference manual"},
      {.name = "cortex-m33",
       .machine = kMps3,
       .script = kMps3Script,
       .fours = true,
       .timings = plain_timings({2, 1}, {1, 1}),
       .source = "as a Cortex-M4 whose loads block only what reads them"},
      {.name = "cortex-m7",
       .machine = kMps2,
       .script = kMps2Script,
       .flags = {"-mfpu=fpv5-d16", "-mfloat-abi=hard"},
       .width = 2,
       .fours = true,
       .words_in_cycle = 2,
       .taken = 0,
       .surprised = 4,
       .timings = timings({{Unit::ShiftedAlu, {2, 1}},
                           {Unit::Multiply, {2, 1}},
                           {Unit::Divide, {7, 6}},
                           {Unit::Load, {2, 1}},
                           {Unit::NarrowLoad, {3, 1}},
                           {Unit::LoadMany, {2, 1}},
                           {Unit::StoreMany, {1, 1}},
                           {Unit::Float, {3, 1}}}),
       .source = "LLVM's model of the Cortex-M7"},
      {.name = "cortex-m55",
       .machine = kMps3,
       .script = kMps3Script,
       .flags = {"-mfloat-abi=hard"},
       .listing = {"-m", "armv8.1-m.main"},
       .channels = true,
       .words_in_cycle = 2,
       .timings = plain_timings({2, 1}, {2, 1}),
       .source = "two beats of a vector in a cycle, loads that block only what reads them"},
      {.name = "cortex-m85",
       .built_as = "cortex-m55",
       .machine = kMps3,
       .script = kMps3Script,
       .flags = {"-mfloat-abi=hard"},
       .listing = {"-m", "armv8.1-m.main"},
       .channels = true,
       .words_in_cycle = 2,
       .timings = plain_timings({2, 1}, {2, 1}),
       .factor = 2,
       .source = "as a Cortex-M55, though it begins some pairs of instructions in a cycle"},
  };
}

const std::vector<Core>& all_cores() {
  static const std::vector<Core> kCores = make_cores();
  return kCores;
}

}  // namespace

const Core* find_core(std::string_view name) {
  const auto found = std::ranges::find(all_cores(), name, &Core::name);
  return found == all_cores().end() ? nullptr : &*found;
}

c_code::CoreKernels kernels_for(std::string_view core) {
  const Core* known = find_core(core);
  if (known == nullptr) return {};
  return {.fours = known->fours, .channels = known->channels, .issue = known->width};
}

std::vector<std::string> core_names() {
  std::vector<std::string> names;
  for (const Core& core : all_cores()) names.emplace_back(core.name);
  return names;
}

}  // namespace hone::cortex_m
