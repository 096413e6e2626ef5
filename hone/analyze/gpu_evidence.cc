#include "hone/analyze/gpu_evidence.h"

#include <algorithm>

#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/import/gpu_kernel.h"

namespace hone {
namespace {

constexpr size_t kCostsNamed = 3;

template <class Text>
std::string first_costs(const std::vector<GpuCost>& costs, const Text& text_of) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(costs.size(), kCostsNamed); ++i) {
    parts.push_back(text_of(costs[i]));
  }
  return join(parts);
}

// Of the timeline, where `wanted` holds for the step; idle times are no work.
double union_us(const Evidence& in, const std::vector<bool>& wanted) {
  struct Span {
    double start, end;
  };
  std::vector<Span> spans;
  for (const TimelineEvent& event : in.profile.timeline) {
    if (event.what.empty() && wanted[event.step]) {
      spans.push_back({event.start_us, event.start_us + event.us});
    }
  }
  std::ranges::sort(spans, {}, &Span::start);
  double us = 0;
  double until = 0;
  for (const auto& [start, end] : spans) {
    us += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return us;
}

std::vector<bool> marked_steps(const Evidence& in, const std::vector<size_t>& steps) {
  std::vector<bool> marked(in.steps(), false);
  for (const size_t s : steps) marked[s] = true;
  return marked;
}

}  // namespace

bool is_gpu_run(const Profile& profile) {
  return profile.gpu.has_value();
}

bool is_own_gpu_run(const Profile& profile) {
  return is_gpu_run(profile) && profile.tool == "hone";
}

std::optional<double> counter_of(const StepProfile& step, std::string_view shown,
                                 std::string_view metric) {
  for (const std::string_view name : {shown, metric}) {
    const Metric* found = find_metric(step.counters, name);
    if (found != nullptr && found->value) return found->value;
  }
  return std::nullopt;
}

std::optional<double> waves_of(const Evidence& in, size_t s) {
  if (const auto waves =
          counter_of(in.step(s), "Waves Per SM", "launch__waves_per_multiprocessor")) {
    return waves;
  }
  const auto blocks = counter_of(in.step(s), "blocks");
  const auto processors = static_cast<double>(in.profile.gpu->processors);
  if (!blocks || processors == 0 || *blocks >= processors) return std::nullopt;
  return *blocks / processors;
}

bool profiler_is_known(const Profile& profile) {
  return profile.tool == "pytorch";
}

std::string named_costs(const std::vector<GpuCost>& costs) {
  return first_costs(costs, [](const GpuCost& cost) {
    return cost.count == 1 ? cost.what : str(cost.what, " ", cost.count, " times");
  });
}

std::string timed_costs(const std::vector<GpuCost>& costs) {
  return first_costs(costs, [](const GpuCost& cost) {
    return str(cost.what, " ", human_duration(cost.us * 1e-6));
  });
}

double sum_us(const std::vector<GpuCost>& costs) {
  double us = 0;
  for (const GpuCost& cost : costs) us += cost.us;
  return us;
}

std::vector<size_t> copying_steps(const Evidence& in, std::string_view way) {
  return steps_where(in, [&](size_t s) {
    const StepKind& kind = in.step(s).kind;
    return kind.work == kCopyWork && kind.variant.starts_with(way);
  });
}

double covered_us(const Evidence& in, const std::vector<size_t>& steps) {
  return union_us(in, marked_steps(in, steps));
}

double alone_us(const Evidence& in, const std::vector<size_t>& steps) {
  return union_us(in, std::vector<bool>(in.steps(), true)) - covered_us(in, other_steps(in, steps));
}

std::vector<size_t> other_steps(const Evidence& in, const std::vector<size_t>& steps) {
  const std::vector<bool> marked = marked_steps(in, steps);
  return steps_where(in, [&](size_t s) { return !marked[s]; });
}

}  // namespace hone
