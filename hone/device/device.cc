#include "hone/device/device.h"

#include "hone/base/str.h"

namespace hone {

std::string Device::source_of(std::string_view figure) const {
  std::string text;
  for (const DeviceSource& source : sources) {
    if (source.figure.find(figure) != std::string::npos) text = source.text;
  }
  return text;
}

std::string fit_text(const Device& device) {
  if (!device.fit) return "";
  return str("fitted to ", device.fit->points, device.fit->points == 1 ? " point" : " points",
             " of yours on ", device.fit->date,
             device.path.empty() ? "" : str(" (", device.path, ")"));
}

}  // namespace hone
