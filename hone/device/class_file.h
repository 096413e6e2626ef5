// A class of devices as a TOML file.
#pragma once

#include <string>
#include <string_view>

#include "hone/base/result.h"
#include "hone/device/device_class.h"

namespace hone {

// `file` is what messages call the text. BadInput names file, line and key, and what it should
// hold.
Result<DeviceClass> parse_class(std::string_view text, const std::string& file);

// As parse_class reads it back, to six digits.
std::string class_text(const DeviceClass& written);

// Those that come with Hone, and those that `hone learn` left in class_folder(), which go before
// one of the same name. BadInput when there is none of that name; the message lists
// near ones.
const std::vector<DeviceClass>& class_catalog();
Result<const DeviceClass*> find_class(std::string_view name);
// As it came with Hone, whatever stands in front of it; null where there is none.
const DeviceClass* built_in_class(std::string_view name);

}  // namespace hone
