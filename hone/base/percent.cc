#include "hone/base/percent.h"

#include "hone/base/text.h"

namespace hone {

std::string percent(double part, int digits) {
  return fixed(100 * part, digits) + " %";
}

std::string signed_percent(double part) {
  return signed_percent_figure(part) + " %";
}

std::string signed_percent_figure(double part) {
  return (part > 0 ? "+" : "") + fixed(100 * part, 1);
}

}  // namespace hone
