#include "hone/report/results/fit_json.h"

#include <nlohmann/json.hpp>

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json batch_or_null(const FitPoint& point) {
  return point.batch > 0 ? Json(point.batch) : Json();
}

}  // namespace

Json fit_to_json(const FittedDevice& fit) {
  Json parameters = Json::array(), points = Json::array();
  for (const FittedParameter& parameter : fit.parameters) {
    parameters.push_back(
        {{"name", parameter.name}, {"before", parameter.before}, {"after", parameter.after}});
  }
  for (const FittedPoint& point : fit.points) {
    points.push_back({{"model", point.measured.model},
                      {"precision", or_null(point.measured.precision)},
                      {"batch", batch_or_null(point.measured)},
                      {"measured_ms", point.measured.latency_ms},
                      {"before_ms", point.before_ms},
                      {"after_ms", point.after_ms},
                      {"left_out_error", or_null(point.left_out)},
                      {"measured_mj", or_null(point.measured.energy_mj)},
                      {"before_mj", point.before_mj},
                      {"after_mj", point.after_mj}});
  }
  Json intervals = Json::array();
  for (const FittedInterval& interval : fit.intervals) {
    intervals.push_back(
        {{"precision", or_null(interval.of)}, {"error", interval.error}, {"how", interval.how}});
  }
  const CalibrationFit& found = *fit.device.fit;
  return {{"device", fit.device.name},
          {"parameters", std::move(parameters)},
          {"points", std::move(points)},
          {"error", found.error},
          {"interval", fit.intervals.at(0).how},
          {"intervals", std::move(intervals)},
          {"least_macs", found.least_macs},
          {"most_macs", found.most_macs},
          {"least_bytes", found.least_bytes},
          {"most_bytes", found.most_bytes},
          {"date", found.date},
          {"notes", fit.notes}};
}

}  // namespace hone
