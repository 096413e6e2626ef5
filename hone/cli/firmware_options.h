// --max-ram, --max-flash and --inputs-in-arena.
#pragma once

#include <string>

#include "hone/cli/flags.h"
#include "hone/targets/target.h"

namespace hone {

struct FirmwareFlags {
  std::string max_ram, max_flash;  // As they were written.
  bool inputs_in_arena = false;

  void declare(Flags& flags);
  // BadInput for a target that makes none.
  Result<FirmwareOptions> resolve(const std::string& target) const;
};

}  // namespace hone
