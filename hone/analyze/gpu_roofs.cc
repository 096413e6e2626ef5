#include "hone/analyze/gpu_roofs.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

// Multiply-adds in fp32 that one multiprocessor does in a clock, how often as many its tensor cores
// do in half precision, and whether they take TF32, in which it is half of that: as NVIDIA's papers
// on the architectures have it, dense, sums in fp32.
struct GpuCores {
  std::string_view capability;
  double fp32_lanes;
  double half_ratio;
  bool tf32;
};
constexpr std::array kGpuCores = {GpuCores{"7.0", 64, 8, false},   GpuCores{"7.2", 64, 8, false},
                                  GpuCores{"7.5", 64, 8, false},   GpuCores{"8.0", 64, 16, true},
                                  GpuCores{"8.6", 128, 4, true},   GpuCores{"8.7", 128, 4, true},
                                  GpuCores{"8.9", 128, 4, true},   GpuCores{"9.0", 128, 15, true},
                                  GpuCores{"10.0", 128, 28, true}, GpuCores{"12.0", 128, 4, true}};

// Cards for games have half of that: their tensor cores add up in fp32 at half the rate.
double half_ratio_of(const GpuCores& cores, const GpuTimeline& gpu) {
  const bool games = gpu.gpu.find("GeForce") != std::string::npos;
  return games ? cores.half_ratio / 2 : cores.half_ratio;
}

// Products that reach less of what the cores can do are held back by something else: half as many
// bytes is all that half precision gives them.
constexpr double kBoundByCores = 0.25;
constexpr double kUsualMhz = 1700;  // Of cards that work hard; within a fifth of all of them.
// What a cache moves for each multiprocessor in a clock, reads and writes together.
constexpr double kCacheBytesPerClock = 32;

}  // namespace

double GpuRoofs::macs(Arithmetic precision) const {
  const bool half = precision == Arithmetic::Fp16 || precision == Arithmetic::Bf16;
  if (half) return half_macs;
  return precision == Arithmetic::Tf32 ? half_macs / 2 : fp32_macs;
}

double GpuRoofs::reached(const GpuTimeline& gpu, const StepProfile& step) const {
  if (step.macs == 0 || gpu.processors == 0) return 1;
  return static_cast<double>(step.macs) / (step.us * macs(step.kind.precision));
}

double gpu_us_in_half(const GpuRoofs& roofs, const GpuTimeline& gpu, const StepProfile& step) {
  const double ratio = roofs.half_macs / roofs.macs(step.kind.precision);
  if (ratio == 1) return step.us;
  const bool bound = roofs.reached(gpu, step) >= kBoundByCores;
  return std::max(step.us / (bound ? ratio : 2), std::min(step.us, kShortProductUs));
}

std::optional<GpuRoofs> gpu_roofs(const GpuTimeline& gpu) {
  for (const GpuCores& cores : kGpuCores) {
    if (cores.capability != gpu.capability) continue;
    const double mhz = gpu.clock_mhz > 0 ? gpu.clock_mhz : kUsualMhz;
    const double clocks = mhz * static_cast<double>(std::max<int64_t>(gpu.processors, 1));
    GpuRoofs roofs;
    roofs.fp32_macs = clocks * cores.fp32_lanes;
    roofs.half_macs = roofs.fp32_macs * half_ratio_of(cores, gpu);
    roofs.bf16 = cores.tf32;  // Both came with one generation.
    roofs.tf32 = cores.tf32 && roofs.half_ratio() > 2;
    roofs.memory_bytes = 1e-6 * gpu.memory_rate;
    roofs.cache_bytes = clocks * kCacheBytesPerClock;
    roofs.cache_holds = static_cast<double>(gpu.l2_bytes);
    return roofs;
  }
  return std::nullopt;
}

GpuTraffic gpu_traffic(const GpuRoofs& roofs, const Profile& profile, const StepProfile& step) {
  if (roofs.memory_bytes == 0) return {};
  const auto activations = static_cast<double>(step.read_bytes + step.written_bytes);
  const auto weights = static_cast<double>(step.weight_bytes);
  const auto network = static_cast<double>(profile.weight_bytes + profile.arena_bytes);
  const double far = (activations > roofs.cache_holds ? activations : 0) +
                     (network > roofs.cache_holds ? weights : 0);
  const double near = activations + weights - far;
  const double far_us = far / roofs.memory_bytes;
  const double near_us = near / roofs.cache_bytes;
  return {.us = far_us + near_us, .memory = far_us > near_us};
}

}  // namespace hone
