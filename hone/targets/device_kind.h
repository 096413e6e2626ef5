// A kind of device: what its files hold and what becomes of one as a target. A file in kinds/ and a
// line in device_kinds.inc.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hone/device/device_format.h"
#include "hone/targets/device_fit.h"
#include "hone/targets/target.h"

namespace hone {

struct DeviceKindDef {
  SpecFormat format;  // Its name, and the part of a file that only this kind has.
  Mode mode;          // Where the numbers of such a target come from.
  std::unique_ptr<Target> (*open)(const Device& device);
  // Null: floats are all that such devices have.
  const IntegerSupport* (*integers)(const Device& device) = nullptr;
  // What the device's figures of energy cover: "chip" or "device".
  std::string_view (*energy_of)(const Device& device);
  // What a file may say only together with others: devices that it names. Null: nothing.
  Status (*check)(const Device& device) = nullptr;
  const DeviceFitDef* fit = nullptr;  // Null: measured points cannot change it.
  bool makes_firmware = false;        // Of programs.
  // Figures whose sources a device of the catalog must tell, besides those of memory and price.
  std::span<const std::string_view> sourced = {};

  std::string_view name() const { return format.kind; }
};

// In the order of device_kinds.inc.
const std::vector<const DeviceKindDef*>& device_kinds();

// Devices that were read are of a kind; asking it of another is a bug.
const DeviceKindDef& kind_of(const Device& device);

}  // namespace hone
