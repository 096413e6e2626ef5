#include "hone/profile/compare_programs.h"

#include <chrono>
#include <cmath>

#include "hone/profile/statistics.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

struct Runner {
  const std::vector<Item>& inputs;
  std::unique_ptr<Session> session;
  std::vector<Item> outputs = {};
  std::vector<double> ms = {};

  explicit Runner(const Contestant& contestant)
      : inputs(contestant.inputs), session(contestant.program.open()) {}

  Status run() {
    const Clock::time_point start = Clock::now();
    HONE_RETURN_IF_ERROR(session->run(inputs, outputs));
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    return Done{};
  }
};

// Each run against the one beside it: what disturbs both, disturbs no difference.
Change judge(const std::vector<double>& a, const std::vector<double>& b, double least) {
  std::vector<double> differences;
  for (size_t i = 0; i < a.size(); ++i) differences.push_back(b[i] - a[i]);
  if (std::abs(median(differences)) <= least * median(a)) return Change::Same;
  const Interval interval = median_interval(differences);
  if (interval.high < 0) return Change::Faster;
  return interval.low > 0 ? Change::Slower : Change::Unclear;
}

Comparison compare_modelled(const Metric& a, const Metric& b, double least) {
  Comparison comparison{.ms_a = *a.value, .ms_b = *b.value, .n = 1, .mode = b.mode};
  const double change = comparison.ms_b - comparison.ms_a;
  if (std::abs(change) > least * comparison.ms_a) {
    comparison.change = change < 0 ? Change::Faster : Change::Slower;
  }
  return comparison;
}

}  // namespace

Result<Comparison> compare_programs(const Contestant& a, const Contestant& b, double seconds,
                                    double least) {
  const auto model_a = a.program.modelled();
  const auto model_b = b.program.modelled();
  if (model_a && model_b) return compare_modelled(model_a->latency, model_b->latency, least);
  constexpr int kWarmUps = 3;
  constexpr size_t kFewestRuns = 10;
  Runner first(a);
  Runner second(b);
  for (int i = 0; i < kWarmUps; ++i) {
    HONE_RETURN_IF_ERROR(first.run());
    HONE_RETURN_IF_ERROR(second.run());
  }
  first.ms.clear();
  second.ms.clear();
  const Clock::time_point begin = Clock::now();
  while (first.ms.size() < kFewestRuns ||
         std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
    HONE_RETURN_IF_ERROR(first.run());
    HONE_RETURN_IF_ERROR(second.run());
  }
  Comparison comparison;
  comparison.ms_a = median(first.ms);
  comparison.ms_b = median(second.ms);
  comparison.n = static_cast<int64_t>(first.ms.size());
  comparison.change = judge(first.ms, second.ms, least);
  return comparison;
}

}  // namespace hone
