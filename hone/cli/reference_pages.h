#pragma once

#include <string>
#include <vector>

namespace hone {

// A page of docs/generated, made from the definitions themselves.
struct ReferencePage {
  std::string file;
  std::string text;
};
std::vector<ReferencePage> reference_pages();

}  // namespace hone
