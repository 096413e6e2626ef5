#include "hone/device/npu_spec.h"

namespace hone {

double VectorEngine::cost_of(std::string_view operation) const {
  const auto found = cost.find(operation);
  return found == cost.end() ? 1 : found->second;
}

}  // namespace hone
