// Programs that are written as firmware.
#pragma once

#include "hone/targets/target.h"

namespace hone {

// A program of a microcontroller. Its time is told of more networks than C has kernels for: this tells
// whether it can be written.
class FirmwareProgram {
 public:
  virtual ~FirmwareProgram() = default;
  // Why it cannot be written, as Program::write says it.
  virtual Status check_writable() const = 0;
};

// Done of programs that are none.
inline Status check_firmware(const Program& program) {
  const auto* firmware = dynamic_cast<const FirmwareProgram*>(&program);
  return firmware == nullptr ? Status(Done{}) : firmware->check_writable();
}

}  // namespace hone
