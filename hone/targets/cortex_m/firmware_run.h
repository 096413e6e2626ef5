// Firmware, built and run in an emulator: what every layer of it takes.
#pragma once

#include "hone/device/analytic_spec.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/cortex_m/execution.h"
#include "hone/targets/emulation/emulate.h"
#include "hone/targets/emulation/parted_run.h"

namespace hone::cortex_m {

// What building and running firmware waits for: "arm-none-eabi-gcc is not here (apt-get install ...)".
// Empty where everything is here.
std::string missing_tools();

// What a network takes of flash, as linked.
struct FlashBytes {
  size_t code = 0;       // With what it takes of libraries,
  size_t constants = 0;  // and what it reads there.

  size_t all() const { return code + constants; }
};

// Whether there is a compiler for it.
bool can_link();
// Resource where it cannot be built; nothing where there is no compiler.
Result<std::optional<FlashBytes>> linked_flash(const c_code::Plan& plan,
                                               const c_code::ProjectNames& names,
                                               const std::vector<c_code::TestVector>& tests,
                                               const Core& core, const McuSpec& mcu);

struct FirmwareRun {
  std::vector<FunctionCost> layers = {};  // Those of the plan's steps.
  FunctionCost rest = {};                 // What calls them.
  FlashBytes flash = {};
  size_t stack_bytes = 0;     // Of RAM, with what calls the network in the self-test.
  std::string emulator = {};  // "QEMU mps2-an500".
};

// Resource where it cannot be built or run; BadInput where a byte of a test is not what it must be.
// Counts are those of all tests together.
Result<FirmwareRun> run_firmware(const c_code::Plan& plan, const c_code::ProjectNames& names,
                                 const std::vector<c_code::TestVector>& tests, const Core& core,
                                 const McuSpec& mcu);

// Of a program around the network. Resource where it cannot be built or run.
Result<emulation::PartedRun> run_parts(const c_code::Plan& plan, const c_code::ProjectNames& names,
                                       const emulation::PartedProgram& program, const Core& core,
                                       const McuSpec& mcu);

}  // namespace hone::cortex_m
