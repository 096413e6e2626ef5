#pragma once

#include <string_view>
#include <vector>

namespace hone {

// A file of device/catalog or device/classes, as the build put it into the program.
struct CatalogFile {
  std::string_view name;  // "ethos-u55-128.toml".
  std::string_view text;
};

// By name.
const std::vector<CatalogFile>& catalog_files();
const std::vector<CatalogFile>& class_files();

}  // namespace hone
