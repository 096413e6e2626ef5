// Rows of text as a table.
#pragma once

#include <string>
#include <vector>

#include "hone/report/section_def.h"

namespace hone {

// The first row names the columns.
inline DataTable text_table(const std::vector<std::vector<std::string>>& rows) {
  DataTable table;
  for (const std::string& name : rows[0]) table.columns.push_back({name});
  for (size_t r = 1; r < rows.size(); ++r) table.rows.emplace_back(rows[r].begin(), rows[r].end());
  return table;
}

}  // namespace hone
