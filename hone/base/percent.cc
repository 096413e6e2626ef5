#include "hone/base/percent.h"

#include "hone/base/text.h"

namespace hone {

std::string percent(double part, int digits) {
  return fixed(100 * part, digits) + " %";
}

std::string signed_percent(double part) {
  return (part > 0 ? "+" : "") + percent(part);
}

}  // namespace hone
