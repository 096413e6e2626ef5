#include "hone/base/version.h"

namespace hone {

std::string_view version() {
  return HONE_VERSION;
}

}  // namespace hone
