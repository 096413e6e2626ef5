#pragma once

#include <optional>
#include <string>

#include "hone/base/text.h"

namespace hone {

// Decibels; nothing stands for outputs without an error.
inline std::string sqnr_text(const std::optional<double>& db) {
  return db ? fixed(*db, 1) : "equal";
}

}  // namespace hone
