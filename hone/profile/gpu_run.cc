#include "hone/profile/gpu_run.h"

#include <algorithm>

#include "hone/profile/statistics.h"

namespace hone {
namespace {

double median_us(const Samples& samples, double WatchedRun::*part) {
  std::vector<double> us;
  for (const WatchedRun& run : samples.watched) us.push_back(1e6 * run.*part);
  return median(us);
}

}  // namespace

GpuTimeline gpu_timeline_of(const Accelerator& gpu, const Samples& samples) {
  GpuTimeline timeline{.gpu = gpu.name,
                       .capability = gpu.capability,
                       .processors = gpu.processors,
                       .clock_mhz = gpu.clock_mhz,
                       .memory_rate = gpu.memory_rate,
                       .l2_bytes = gpu.l2_bytes};
  const double in = median_us(samples, &WatchedRun::copying_in);
  const double out = median_us(samples, &WatchedRun::copying_out);
  timeline.kernels = gpu.launches;
  timeline.busy_us = 1e6 * median(samples.device) + in + out;
  timeline.host_us = median_us(samples, &WatchedRun::on_host);
  const double binding = median_us(samples, &WatchedRun::binding);
  const double giving = median_us(samples, &WatchedRun::giving);
  timeline.copying_us = binding + giving;
  timeline.host_work = {{std::string(kBindingInputs), 1, binding, 0},
                        {std::string(kGivingOutputs), 1, giving, 0}};
  const double accounted = timeline.busy_us + timeline.host_us + timeline.copying_us;
  timeline.run_us = std::max(accounted, 1e6 * median(samples.plain));
  timeline.launching_us = timeline.run_us - accounted;
  if (gpu.copies_in > 0) {
    timeline.copies.push_back({"HtoD, pinned", gpu.copies_in, in, gpu.bytes_in});
  }
  if (gpu.copies_out > 0) {
    timeline.copies.push_back({"DtoH, pinned", gpu.copies_out, out, gpu.bytes_out});
  }
  return timeline;
}

}  // namespace hone
