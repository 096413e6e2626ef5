// JSON Schemas of result files, for programs that read them.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct ResultSchema {
  std::string kind;  // "profile"; "result" is what all result files have.
  std::string text;
};

// One for each kind of result whose fields are said once for all, and that of the rest.
std::vector<ResultSchema> result_schemas();

}  // namespace hone
