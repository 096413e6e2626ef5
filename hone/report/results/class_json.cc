#include "hone/report/results/class_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hone {

using Json = nlohmann::ordered_json;

Json class_to_json(const DeviceClass& learned) {
  Json costs, networks, accuracy = Json::array();
  for (size_t i = 0; i < kFamilyCount; ++i) {
    costs[std::string(kKernelFamilies[i])] = {
        {"ns", std::exp(learned.costs.log_ns[i])},
        {"log_deviation", std::sqrt(learned.costs.covariance[i][i])}};
  }
  for (const ClassNetwork& network : learned.networks) {
    networks[network.name] = {{"factor", std::exp(network.effect.log_factor)},
                              {"sigma", network.effect.sigma}};
  }
  for (const ClassAccuracy& entry : learned.accuracy) {
    accuracy.push_back({{"held_out", name_of(entry.held_out)},
                        {"points", entry.points},
                        {"planned", entry.planned},
                        {"predictions", entry.predictions},
                        {"median_error", entry.median_error},
                        {"p90_error", entry.p90_error},
                        {"held", entry.held},
                        {"half_width", entry.half_width},
                        {"deviations", entry.rule.deviations},
                        {"floor", entry.rule.floor}});
  }
  return {{"name", learned.name},
          {"precision", learned.precision},
          {"runtime", name_of(learned.runtime)},
          {"devices", learned.evidence.devices},
          {"networks", learned.evidence.networks},
          {"rows", learned.evidence.rows},
          {"sigma", learned.sigma},
          {"costs_at_1_gops", std::move(costs)},
          {"network_effects", std::move(networks)},
          {"accuracy", std::move(accuracy)},
          {"far_off", learned.odd_rows}};
}

}  // namespace hone
