#include "hone/device/fitted_device.h"

#include "hone/base/str.h"

namespace hone {

std::string label_of(const FitPoint& point) {
  std::string label = point.model;
  if (!point.precision.empty()) label += str(", ", point.precision);
  if (point.batch > 0) label += str(", batch ", point.batch);
  return label;
}

}  // namespace hone
