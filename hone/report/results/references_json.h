#pragma once

#include <nlohmann/json.hpp>

#include "hone/targets/common/references.h"

namespace hone {

inline nlohmann::ordered_json references_json(const References& references) {
  nlohmann::ordered_json json{
      {"count", references.count}, {"steps", references.steps}, {"operators", references.ops}};
  if (references.percent) json["percent"] = *references.percent;
  return json;
}

}  // namespace hone
