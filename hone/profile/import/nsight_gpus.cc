#include "hone/profile/import/nsight_gpus.h"

#include <array>

namespace hone {

std::string nsight_capability(std::string_view gpu) {
  struct Card {
    std::string_view name, capability;
  };
  constexpr std::array kCards = {
      Card{"V100", "7.0"},    Card{"Xavier", "7.2"},  Card{"T4", "7.5"},
      Card{"RTX 20", "7.5"},  Card{"A100", "8.0"},    Card{"A30", "8.0"},
      Card{"A10", "8.6"},     Card{"A40", "8.6"},     Card{"RTX A", "8.6"},
      Card{"RTX 30", "8.6"},  Card{"Orin", "8.7"},    Card{"L4", "8.9"},
      Card{"RTX 40", "8.9"},  Card{"Ada ", "8.9"},    Card{"H100", "9.0"},
      Card{"H200", "9.0"},    Card{"GH200", "9.0"},   Card{"B200", "10.0"},
      Card{"RTX 50", "12.0"}, Card{"RTX PRO", "12.0"}};
  for (const auto& [name, capability] : kCards) {
    if (gpu.find(name) != std::string_view::npos) return std::string(capability);
  }
  return "";
}

}  // namespace hone
