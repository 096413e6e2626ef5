// A device file as text: what every device has, and what its kind has besides. The kinds are known
// above (targets/device_kinds.inc), so their formats are given.
#pragma once

#include <any>
#include <span>
#include <string>
#include <string_view>

#include "hone/base/result.h"
#include "hone/device/device.h"
#include "hone/device/device_io.h"

namespace hone {

// What files of one kind of device hold.
struct SpecFormat {
  std::string_view kind;  // "npu".
  std::any (*empty)();
  void (*fields)(DeviceIo& io, std::any& spec);
};

// The format of a struct that has `void fields(DeviceIo&, Spec&)`.
template <class Spec>
constexpr SpecFormat spec_format(std::string_view kind) {
  return {.kind = kind,
          .empty = [] { return std::any(Spec{}); },
          .fields = [](DeviceIo& io, std::any& spec) { fields(io, *std::any_cast<Spec>(&spec)); }};
}

using SpecFormats = std::span<const SpecFormat>;

// `file` is what messages call the text. BadInput names file, line and key, and what it should
// hold; so it does for keys that are not known.
Result<Device> parse_device(std::string_view text, const std::string& file, SpecFormats kinds);

// As parse_device reads it back. The device is of one of the kinds.
std::string device_text(const Device& device, SpecFormats kinds);

// Both go by this list.
void fields(DeviceIo& io, Device& device, SpecFormats kinds);

}  // namespace hone
