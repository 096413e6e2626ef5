#include "hone/targets/cuda/roofs/measure_roofs.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "hone/base/seconds_since.h"
#include "hone/base/version.h"
#include "hone/cuda/compiler.h"
#include "hone/targets/cuda/roofs/roof_kernels.h"

namespace hone::cuda {
namespace {

constexpr size_t kBursts = 15;
constexpr double kWarmSeconds = 0.03;  // Clocks have risen by then.
// Far more than any cache, but no more than a quarter of the memory.
constexpr size_t kMemoryBytes = size_t{2} << 30;
// Of the second cache: its halves may each keep a copy of what both read.
constexpr size_t kCacheShare = 4;
constexpr size_t kCachePasses = 64;
constexpr size_t kLinkBytes = size_t{64} << 20;
constexpr int kNodes = 200;
constexpr size_t kLinkRates = 2;
constexpr size_t kLaunchCosts = 1;
constexpr size_t kTraffics = 3;

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of bursts that took so many seconds: the best, and how far the median lies below it.
struct BestRate {
  double rate = 0;
  double below = 0;
};

BestRate best_of(const std::vector<double>& seconds, double amount) {
  const double least = *std::ranges::min_element(seconds);
  return {std::round(amount / least), 1 - least / middle_of(seconds)};
}

class RoofMeter {
 public:
  RoofMeter(const Gpu& gpu, const RoofProgress& progress) : gpu_(gpu), progress_(progress) {}

  Result<DeviceFile> run() {
    HONE_TRY(stream_, make_stream(gpu_));
    HONE_TRY(begin_, make_event(gpu_));
    HONE_TRY(end_, make_event(gpu_));
    const std::vector<MathKernel> math = math_kernels(gpu_.info());
    total_ = math.size() + 2 * kTraffics + kLinkRates + kLaunchCosts;
    tell();
    HONE_RETURN_IF_ERROR(compile_all(math));
    const GpuInfo& info = gpu_.info();
    DeviceFile device{.name = info.name,
                      .kind = "gpu",
                      .mode = Mode::Measured,
                      .tool_version = std::string(version()),
                      .processors = info.multiprocessors,
                      .driver = driver_text(info)};
    for (const MathKernel& kernel : math) {
      HONE_TRY(device.compute.emplace_back(), measure_math(kernel));
    }
    HONE_RETURN_IF_ERROR(measure_memories(device));
    HONE_TRY(device.link, measure_link());
    HONE_TRY(device.launch, measure_launches());
    return device;
  }

 private:
  void tell() const {
    if (progress_) progress_(done_, total_);
  }
  void step() {
    ++done_;
    tell();
  }

  static KernelSource traffic_kernel(Traffic traffic, bool cached) {
    return memory_kernel(traffic, cached ? kCachePasses : 1);
  }

  // At once, on all threads.
  Status compile_all(const std::vector<MathKernel>& math) {
    std::vector<KernelSource> sources = {empty_kernel()};
    for (const MathKernel& kernel : math) sources.push_back(kernel.kernel);
    for (const bool cached : {false, true}) {
      for (const Traffic traffic : {Traffic::Read, Traffic::Write, Traffic::Copy}) {
        sources.push_back(traffic_kernel(traffic, cached));
      }
    }
    std::vector<const KernelSource*> all;
    for (const KernelSource& source : sources) all.push_back(&source);
    return KernelLibrary::of(gpu_).compile(all);
  }

  // Of what `put` puts into the stream, by the GPU's clock, once it is warm.
  template <class Put>
  Result<std::vector<double>> time_bursts(const Put& put) {
    const auto start = std::chrono::steady_clock::now();
    do {
      HONE_RETURN_IF_ERROR(put());
      HONE_RETURN_IF_ERROR(wait());
    } while (seconds_since(start) < kWarmSeconds);
    std::vector<double> seconds;
    for (size_t i = 0; i < kBursts; ++i) {
      HONE_RETURN_IF_ERROR(mark(begin_));
      HONE_RETURN_IF_ERROR(put());
      HONE_RETURN_IF_ERROR(mark(end_));
      HONE_RETURN_IF_ERROR(wait());
      float milliseconds = 0;
      HONE_RETURN_IF_ERROR(
          check(gpu_.driver().cuEventElapsedTime(&milliseconds, begin_.get(), end_.get()),
                "timing a burst"));
      seconds.push_back(milliseconds * 1e-3);
    }
    return seconds;
  }

  Status mark(const Event& event) {
    return check(gpu_.driver().cuEventRecord(event.get(), stream_.get()), "timing a burst");
  }
  Status wait() {
    return check(gpu_.driver().cuStreamSynchronize(stream_.get()), "measuring a roof");
  }

  Status launch(const KernelSource& source, unsigned blocks, unsigned block, unsigned shared_bytes,
                std::vector<uint64_t> values) {
    HONE_TRY(const Kernel kernel, KernelLibrary::of(gpu_).get(source));
    std::vector<void*> arguments;
    for (uint64_t& value : values) arguments.push_back(&value);
    LaunchConfig config;
    config.grid[0] = blocks;
    config.block[0] = block;
    config.shared_bytes = shared_bytes;
    config.stream = stream_.get();
    return check(
        gpu_.driver().cuLaunchKernelEx(&config, kernel.function, arguments.data(), nullptr),
        str("launching ", source.name));
  }

  unsigned processors() const { return static_cast<unsigned>(gpu_.info().multiprocessors); }

  Result<ComputeRoof> measure_math(const MathKernel& kernel) {
    const unsigned blocks = processors() * kernel.blocks_at_once;
    HONE_TRY(const std::vector<double> seconds, time_bursts([&] {
               return launch(kernel.kernel, blocks, kernel.block, kernel.shared_bytes, {0});
             }));
    const BestRate best = best_of(seconds, kernel.operations * blocks);
    step();
    return ComputeRoof{.precision = kernel.precision,
                       .instruction = kernel.instruction,
                       .ops = {best.rate, best.rate},
                       .n = kBursts,
                       .below = best.below};
  }

  Status measure_memories(DeviceFile& device) {
    const GpuInfo& info = gpu_.info();
    const size_t bytes = std::min(kMemoryBytes, info.memory_bytes / 4);
    HONE_TRY(const DeviceMemory memory, allocate(gpu_, bytes, "measuring its memory"));
    if (info.l2_bytes > 0) {
      const size_t part = info.l2_bytes / kCacheShare / 32 * 32;
      HONE_TRY(device.memory.emplace_back(),
               measure_level({.name = "L2", .bytes = info.l2_bytes}, memory, part, true));
    }
    HONE_TRY(device.memory.emplace_back(),
             measure_level({.name = "HBM", .bytes = info.memory_bytes}, memory, bytes, false));
    return Done{};
  }

  Result<MemoryLevel> measure_level(MemoryLevel level, const DeviceMemory& memory, size_t bytes,
                                    bool cached) {
    level.n = kBursts;
    const auto measure = [&](Traffic traffic) -> Result<Rate> {
      const KernelSource kernel = traffic_kernel(traffic, cached);
      const unsigned blocks = processors() * 4;
      HONE_TRY(const std::vector<double> seconds, time_bursts([&] {
                 return launch(kernel, blocks, kMemoryBlockThreads, 0, {memory.get(), bytes / 16});
               }));
      const size_t passes = cached ? kCachePasses : 1;
      const BestRate best = best_of(seconds, static_cast<double>(bytes * passes));
      level.below = std::max(level.below, best.below);
      step();
      return Rate{best.rate, best.rate};
    };
    HONE_TRY(level.read, measure(Traffic::Read));
    HONE_TRY(level.write, measure(Traffic::Write));
    HONE_TRY(level.copy, measure(Traffic::Copy));
    return level;
  }

  Result<LinkRates> measure_link() {
    HONE_TRY(const DeviceMemory there, allocate(gpu_, kLinkBytes, "measuring copies"));
    HONE_TRY(const PinnedMemory here, allocate_pinned(gpu_, kLinkBytes, "measuring copies"));
    const Driver& driver = gpu_.driver();
    HONE_TRY(const std::vector<double> in, time_bursts([&] {
               return check(
                   driver.cuMemcpyHtoDAsync_v2(there.get(), here.get(), kLinkBytes, stream_.get()),
                   "copying to the GPU");
             }));
    step();
    HONE_TRY(const std::vector<double> out, time_bursts([&] {
               return check(
                   driver.cuMemcpyDtoHAsync_v2(here.get(), there.get(), kLinkBytes, stream_.get()),
                   "copying from the GPU");
             }));
    step();
    const BestRate to = best_of(in, kLinkBytes);
    const BestRate from = best_of(out, kLinkBytes);
    return LinkRates{.to_device = to.rate,
                     .from_device = from.rate,
                     .n = kBursts,
                     .below = std::max(to.below, from.below)};
  }

  Result<LaunchCost> measure_launches() {
    const KernelSource kernel = empty_kernel();
    const auto put_one = [&] { return launch(kernel, 1, 32, 0, {}); };
    const auto put_many = [&]() -> Status {
      for (int i = 0; i < kNodes; ++i) HONE_RETURN_IF_ERROR(put_one());
      return Done{};
    };
    LaunchCost cost{.n = kBursts};
    std::vector<double> waited;
    for (int i = 0; i < kNodes; ++i) {
      const auto start = std::chrono::steady_clock::now();
      HONE_RETURN_IF_ERROR(put_one());
      HONE_RETURN_IF_ERROR(wait());
      waited.push_back(seconds_since(start));
    }
    cost.waited_us = 1e6 * middle_of(waited);
    HONE_TRY(const std::vector<double> queued, time_bursts(put_many));
    cost.queued_us = 1e6 * middle_of(queued) / kNodes;
    HONE_TRY(const Recording graph, record(gpu_, stream_, put_many));
    HONE_TRY(const std::vector<double> nodes, time_bursts([&] {
               return check(gpu_.driver().cuGraphLaunch(graph.get(), stream_.get()),
                            "running a graph");
             }));
    cost.graph_node_us = 1e6 * middle_of(nodes) / kNodes;
    step();
    return cost;
  }

  const Gpu& gpu_;
  const RoofProgress& progress_;
  Stream stream_;
  Event begin_;
  Event end_;
  size_t done_ = 0;
  size_t total_ = 0;
};

}  // namespace

Result<DeviceFile> measure_roofs(const RoofProgress& progress) {
  HONE_TRY(const Gpu* gpu, Gpu::open());
  HONE_RETURN_IF_ERROR(find_compiler());
  return RoofMeter(*gpu, progress).run();
}

}  // namespace hone::cuda
