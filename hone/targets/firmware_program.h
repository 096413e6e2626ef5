#pragma once

#include "hone/base/result.h"

namespace hone {

// What a program is besides, whose time can be told of networks that it cannot be written for.
class FirmwareProgram {
 public:
  virtual ~FirmwareProgram() = default;
  // Why it cannot be written, as Program::write says it.
  virtual Status check_writable() const = 0;
};

}  // namespace hone
