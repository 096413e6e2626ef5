#include "hone/zoo/zoo.h"

#include <algorithm>

#include "hone/base/text.h"
#include "hone/zoo/nas201.h"

namespace hone {

#define HONE_NETWORK(name) extern const NetworkDef network_##name;
#include "hone/zoo/networks.inc"
#undef HONE_NETWORK

namespace {

constexpr std::string_view kNas201 = "nas201";
constexpr std::string_view kNas201Cell = "nas201:";

// Pixels of a batch: far above what runs, and far below what overflows in a layer's type.
constexpr int64_t kMostPixels = int64_t{1} << 28;

bool fits(const SizedInput& input, const Shape& image) {
  if (image.size() != 4 || image[1] != 3) return false;
  int64_t pixels = 1;
  for (const int64_t extent : {image[0], image[2], image[3]}) {
    if (extent < 1 || __builtin_mul_overflow(pixels, extent, &pixels)) return false;
  }
  const auto taken = [&](int64_t extent) {
    return extent >= input.smallest && extent % input.multiple == 0;
  };
  return pixels <= kMostPixels && taken(image[2]) && taken(image[3]);
}

Result<Graph> build_sized(const SizedInput& input, const std::map<std::string, Shape>& shapes,
                          uint64_t seed) {
  const auto wanted = shapes.find(std::string(input.name));
  if (wanted == shapes.end()) return input.build({1, 3, input.extent, input.extent}, seed);
  if (fits(input, wanted->second)) return input.build(wanted->second, seed);
  const int64_t smallest = std::max(input.smallest, input.multiple);
  return bad_input("input '", input.name, "' of shape ", text_of(wanted->second), " does not fit; ",
                   "expected Nx3xHxW with H and W from ", smallest, " on",
                   input.multiple == 1 ? "" : str(", multiples of ", input.multiple),
                   ", and at most ", kMostPixels, " pixels");
}

}  // namespace

const std::vector<const NetworkDef*>& all_networks() {
  static const std::vector<const NetworkDef*> kNetworks = {
#define HONE_NETWORK(name) &network_##name,
#include "hone/zoo/networks.inc"
#undef HONE_NETWORK
  };
  return kNetworks;
}

Result<Graph> build_network(std::string_view name, uint64_t seed,
                            const std::map<std::string, Shape>& shapes) {
  if (name == kNas201) return build_nas201("", seed);
  if (name.starts_with(kNas201Cell)) return build_nas201(name.substr(kNas201Cell.size()), seed);
  std::vector<std::string> names;
  for (const NetworkDef* network : all_networks()) {
    if (network->name == name) {
      return network->build != nullptr ? network->build(seed)
                                       : build_sized(network->sized, shapes, seed);
    }
    names.emplace_back(network->name);
  }
  return bad_input("no built-in network '", name, "'", did_you_mean(name, names))
      .needs({HintKind::Network});
}

}  // namespace hone
