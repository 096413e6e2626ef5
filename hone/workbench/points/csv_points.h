#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/fitted_device.h"

namespace hone {

// True of a file whose first line could be nothing but a header.
bool looks_like_csv_points(std::string_view text);

// Messages of errors begin with "line N: " where one line is at fault.
Result<std::vector<FitPoint>> read_csv_points(std::string_view text,
                                              const std::filesystem::path& file);

}  // namespace hone
