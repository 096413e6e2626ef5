#pragma once

#include "hone/targets/analytic/analytic_fields.h"
#include "hone/targets/analytic/analytic_fit.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/device_kind.h"

namespace hone {

inline constexpr std::string_view kAnalyticSourced[] = {"peak", "efficiency", "overhead", "power"};

// Processors that are known by a few numbers: the kinds differ by name only.
constexpr DeviceKindDef analytic_kind(std::string_view name) {
  return {.format = spec_format<AnalyticSpec>(name),
          .mode = Mode::Predicted,
          .open = make_analytic_target,
          .integers = analytic_integers,
          .energy_of = [](const Device& device) -> std::string_view {
            return device.analytic()->power.of;
          },
          .fit = &analytic_fit,
          .sourced = kAnalyticSourced};
}

}  // namespace hone
