#include "hone/report/results/plan_json.h"

#include <nlohmann/json.hpp>

namespace hone {

using Json = nlohmann::ordered_json;

Json plan_to_json(const MeasurementPlan& plan) {
  Json measurements = Json::array();
  for (const PlannedMeasurement& next : plan.measurements) {
    measurements.push_back({{"network", next.network},
                            {"predicted_ms", next.ms},
                            {"half_width_after", next.half_width}});
  }
  return {{"device", plan.device},         {"class", plan.of_class},
          {"precision", plan.precision},   {"points", plan.points},
          {"half_width", plan.half_width}, {"measurements", std::move(measurements)}};
}

}  // namespace hone
