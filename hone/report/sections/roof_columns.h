// What tables of a machine's roofs share.
#pragma once

#include <string>
#include <vector>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/device_file.h"

namespace hone {

struct RoofColumn {
  std::string threads;
  double Rate::*rate;
};

// On one thread, and on all where there are more.
inline std::vector<RoofColumn> roof_columns(const DeviceFile& device) {
  std::vector<RoofColumn> columns = {{"1 thread", &Rate::one}};
  if (device.threads > 1) columns.push_back({str(device.threads, " threads"), &Rate::all});
  return columns;
}

// 10^9 per second, three digits.
inline std::string giga(double rate) {
  return fixed(rate / 1e9, rate < 1e11 ? 1 : 0);
}

}  // namespace hone
