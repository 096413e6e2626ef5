#include "hone/stream/cpu_times.h"

#include <algorithm>

#include "hone/base/seconds_since.h"
#include "hone/device/machine.h"

namespace hone {
namespace {

constexpr int kRuns = 51;
constexpr int kTogether = 20;  // Of what is shorter than a clock's steps.

// In microseconds.
template <class Work>
double median_us(int times, Work work) {
  std::vector<double> seconds;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < times; ++k) work();
    seconds.push_back(seconds_since(start));
  }
  std::ranges::nth_element(seconds, seconds.begin() + kRuns / 2);
  return 1e6 * seconds[kRuns / 2] / times;
}

}  // namespace

Result<CpuTimes> measure_cpu_times(const StreamRecipe& recipe, const ByteNetwork& network) {
  CpuTimes times{.cpu = cpu_info().name, .n = kRuns};
  // Silence opens no gate: its energy is all that is computed.
  Listener listener(recipe, network);
  const std::vector<int16_t> silence(recipe.push);
  times.push_us = median_us(kTogether, [&] { (void)listener.push(silence); });
  std::vector<int16_t> frame(recipe.mfcc.tables().frame), row(recipe.mfcc.tables().coefficients);
  for (size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<int16_t>(7919 * i);
  times.frame_us = median_us(kTogether, [&] { recipe.mfcc.frame(frame, row); });
  const std::vector<int8_t> input(recipe.rows * recipe.mfcc.tables().coefficients);
  Status status = Done{};
  times.run_us = median_us(1, [&] {
    const auto output = network(input);
    if (!output.ok()) status = output.error();
  });
  HONE_RETURN_IF_ERROR(status);
  return times;
}

}  // namespace hone
