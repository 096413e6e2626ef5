// What tables of a machine's roofs share.
#pragma once

#include <string>
#include <vector>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/device_file.h"
#include "hone/report/document/document.h"

namespace hone {

struct RoofColumn {
  std::string threads;
  double Rate::*rate;
};

// On one thread, and on all where there are more; of the whole of an accelerator.
inline std::vector<RoofColumn> roof_columns(const DeviceFile& device) {
  if (device.processors > 0) return {{"all processors", &Rate::one}};
  std::vector<RoofColumn> columns = {{"1 thread", &Rate::one}};
  if (device.threads > 1) columns.push_back({str(device.threads, " threads"), &Rate::all});
  return columns;
}

// Behind the rates of a row: samples, and how far the median one lies below the best, where known.
inline void add_sample_columns(const DeviceFile& device, DataTable& table) {
  table.columns.push_back({"n", true});
  if (device.processors > 0) table.columns.push_back({"median below, %", true});
}
template <class Roof>
void add_sample_cells(const DeviceFile& device, const Roof& roof, TableRow& row) {
  row.push_back(str(roof.n));
  if (device.processors > 0) row.push_back(fixed(100 * roof.below, 1));
}

// 10^9 per second, three digits.
inline std::string giga(double rate) {
  return fixed(rate / 1e9, rate < 1e11 ? 1 : 0);
}

}  // namespace hone
