#include "hone/zoo/zoo.h"

#include "hone/base/text.h"

namespace hone {

#define HONE_NETWORK(name) extern const NetworkDef network_##name;
#include "hone/zoo/networks.inc"
#undef HONE_NETWORK

const std::vector<const NetworkDef*>& all_networks() {
  static const std::vector<const NetworkDef*> kNetworks = {
#define HONE_NETWORK(name) &network_##name,
#include "hone/zoo/networks.inc"
#undef HONE_NETWORK
  };
  return kNetworks;
}

Result<Graph> build_network(std::string_view name, uint64_t seed) {
  std::vector<std::string> names;
  for (const NetworkDef* network : all_networks()) {
    if (network->name == name) return network->build(seed);
    names.emplace_back(network->name);
  }
  return bad_input("no built-in network '", name, "'", did_you_mean(name, names),
                   "; there are: ", join(names));
}

}  // namespace hone
