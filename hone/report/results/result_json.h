// What readers and writers of this folder share.
#pragma once

#include "hone/profile/json_fields.h"

namespace hone {

// What a result does not tell has no key.
inline Json without_nulls(const Json& json) {
  Json told = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (!value.is_null()) told[key] = value;
  }
  return told;
}

}  // namespace hone
