// Devices of the catalog and of users' files: `-d NAME` or `-d FILE.toml`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/device.h"
#include "hone/device/operator_file.h"

namespace hone {

struct TargetDef;

// `file` is what messages call the text. BadInput names file, line and key, and what it should
// hold; so it does for keys that are not known.
Result<Device> parse_device(std::string_view text, const std::string& file);
Result<Device> read_device(const std::filesystem::path& path);

// As parse_device reads it back.
std::string device_text(const Device& device);

// See device/operator_file.h.
Result<std::vector<OperatorEntry>> parse_operators(std::string_view text, const std::string& file);
Result<std::vector<OperatorEntry>> read_operators(const std::filesystem::path& path);

// Those that come with Hone, by name.
const std::vector<Device>& device_catalog();
// One of the catalog, or what `hone calibrate --points` has made of it for this user. BadInput when
// there is none of that name.
Result<const Device*> find_device(std::string_view name);
// The same, or a file whose name ends in .toml.
Result<Device> find_or_read_device(const std::string& name);
// What runs on a device, as it is given: no fit takes its place.
const TargetDef* target_of(const Device& device);

}  // namespace hone
