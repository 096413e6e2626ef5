#include "hone/cli/firmware_options.h"

#include "hone/validate/limits.h"

namespace hone {
namespace {

// Microcontrollers have addresses of 32 bits.
constexpr double kMostFirmwareBytes = 4294967296.0;

Status read_firmware_bytes(const std::string& text, const char* flag, uint64_t& bytes) {
  if (text.empty()) return Done{};
  HONE_TRY(const double value, parse_bytes(text).in(flag));
  if (value < 1) return bad_input(flag, ": '", text, "' is no limit, expected a byte or more");
  if (value >= kMostFirmwareBytes) {
    return bad_input(flag, ": '", text,
                     "' is more than a microcontroller addresses, expected less than 4GiB");
  }
  bytes = static_cast<uint64_t>(value);
  return Done{};
}

}  // namespace

void FirmwareFlags::declare(Flags& flags) {
  flags.text("--max-ram SIZE", max_ram,
             "of firmware: bytes for arena, inputs and outputs, such as 64KiB; where they take "
             "more, layers run by rows");
  flags.text("--max-flash SIZE", max_flash,
             "of firmware: bytes for constants, and for code when it is linked, such as 256KiB");
  flags.toggle("--inputs-in-arena", inputs_in_arena,
               "of firmware: inputs lie in the arena, and a run writes over them");
}

Result<FirmwareOptions> FirmwareFlags::resolve(const std::string& target) const {
  FirmwareOptions firmware{.inputs_in_arena = inputs_in_arena};
  HONE_RETURN_IF_ERROR(read_firmware_bytes(max_ram, "--max-ram", firmware.max_ram));
  HONE_RETURN_IF_ERROR(read_firmware_bytes(max_flash, "--max-flash", firmware.max_flash));
  HONE_TRY(const TargetDef* def, find_target(target));
  if (!firmware.asked() || def->makes_firmware) return firmware;
  return bad_input("--max-ram, --max-flash and --inputs-in-arena are of firmware, which ",
                   def->name, " has none of; expected a microcontroller such as cortex-m7");
}

}  // namespace hone
