#include "hone/profile/core_wait.h"

#include <algorithm>

#include "hone/base/percent.h"
#include "hone/base/str.h"

namespace hone {
namespace {

double seconds_in(const Profile& profile, std::string_view name) {
  const Metric* metric = find_metric(profile.system, name);
  return metric == nullptr || !metric->value ? 0 : *metric->value;
}

}  // namespace

CoreWait core_wait(const Profile& profile) {
  const double measured = seconds_in(profile, "measured_for");
  if (!(measured > 0)) return {};
  const double sum = seconds_in(profile, "run_queue_wait") / measured;
  return {.part = std::min(1.0, sum / std::max(1, profile.threads)), .sum = sum};
}

std::string text_of(const CoreWait& wait) {
  return str("threads waited for a core during ", percent(wait.part, wait.part < 0.1 ? 1 : 0),
             " of their time");
}

}  // namespace hone
