#include "hone/targets/cuda/choose.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "hone/base/hash.h"
#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/seconds_since.h"
#include "hone/base/version.h"
#include "hone/cuda/compiler.h"
#include "hone/device/device_folder.h"
#include "hone/targets/cuda/source.h"
#include "hone/targets/cuda/stamps.h"

namespace hone::cuda {
namespace {

constexpr int kRepeats = 20;     // Of a variant, recorded as one piece of work.
constexpr int kRuns = 4;         // The shortest counts.
constexpr size_t kTogether = 8;  // Groups whose variants are compiled at once.

constexpr size_t kMostInPlace = 4;  // The fastest variants of a step that are tried in the network.
constexpr int kRunsInPlace = 12;

// Steps that have the same variants: what is measured of one holds for all.
struct Alike {
  std::string key;
  std::vector<size_t> steps;
  std::vector<size_t> fastest = {};  // Variants as measured by themselves, fastest first.
};

std::string key_of(const Step& step, const GpuInfo& gpu) {
  std::string key = str(version(), "\n", compiler_version(), "\n", gpu.name, "\n");
  bool library = false;
  for (const Variant& variant : step.variants) {
    for (const Launch& launch : variant.launches) {
      key += launch.kernel.text;
      library = library || launch.library;
    }
  }
  return library ? str(key, blas_version(), dnn_version()) : key;
}

std::vector<Alike> groups_of(const Plan& plan) {
  std::map<std::string, Alike> groups;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    if (plan.steps[s].variants.size() < 2) continue;
    std::string key = key_of(plan.steps[s], plan.gpu);
    Alike& group = groups[key];
    group.key = std::move(key);
    group.steps.push_back(s);
  }
  std::vector<Alike> ordered;
  for (auto& [key, group] : groups) ordered.push_back(std::move(group));
  // What most operations go through first.
  const auto operations = [&](const Alike& group) {
    return static_cast<double>(group.steps.size()) *
           static_cast<double>(plan.steps[group.steps[0]].cost.flops);
  };
  std::ranges::stable_sort(ordered, std::greater<>{}, operations);
  return ordered;
}

class Chooser {
 public:
  Chooser(const Gpu& gpu, Loaded& loaded) : gpu_(gpu), loaded_(loaded), plan_(*loaded.plan) {
    const auto folder = cache_folder();
    if (folder.ok()) cache_.emplace((*folder / "cuda").string());
  }

  Status choose() {
    std::vector<Alike> unknown;
    for (Alike& group : groups_of(plan_)) {
      if (!take_known(group)) unknown.push_back(std::move(group));
    }
    if (unknown.empty() || plan_.options.tune_seconds <= 0) return Done{};
    HONE_RETURN_IF_ERROR(prepare());
    Progress progress("measuring kernels", unknown.size(), plan_.options.tune_seconds);
    const auto start = std::chrono::steady_clock::now();
    size_t measured = 0;
    for (size_t first = 0; first < unknown.size(); first += kTogether) {
      if (seconds_since(start) > plan_.options.tune_seconds) {
        plan_.notes.push_back(str(unknown.size() - first, " of ", unknown.size(),
                                  " kinds of steps run kernels that were not measured: the ",
                                  plan_.options.tune_seconds, " seconds for that were used up"));
        say_on_stderr(plan_.notes.back());
        break;
      }
      const std::span<Alike> part(unknown.data() + first,
                                  std::min(kTogether, unknown.size() - first));
      HONE_RETURN_IF_ERROR(choose(part, progress));
      measured += part.size();
    }
    return choose_in_place({unknown.data(), measured});
  }

 private:
  void set(const Alike& group, size_t variant) {
    for (const size_t step : group.steps) plan_.steps[step].chosen = variant;
  }

  bool take_known(const Alike& group) {
    if (!cache_) return false;
    const std::string name = cache_->find(group.key);
    const std::vector<Variant>& variants = plan_.steps[group.steps[0]].variants;
    const auto found = std::ranges::find(variants, name, &Variant::name);
    if (found == variants.end()) return false;
    set(group, static_cast<size_t>(found - variants.begin()));
    return true;
  }

  Status prepare() {
    HONE_TRY(stream_, make_stream(gpu_));
    HONE_TRY(begin_, make_event(gpu_));
    HONE_TRY(end_, make_event(gpu_));
    HONE_TRY(arena_, allocate(gpu_, plan_.arena_bytes, "measuring kernels"));
    // Small numbers: zeros would draw less power and run faster.
    if (plan_.arena_bytes > 0) {
      HONE_RETURN_IF_ERROR(check(gpu_.driver().cuMemsetD8_v2(arena_.get(), 0x11, plan_.arena_bytes),
                                 "measuring kernels"));
    }
    addresses_ = addresses_of(plan_, arena_.get(), loaded_.constants.get());
    return Done{};
  }

  Status choose(std::span<Alike> groups, Progress& progress) {
    std::vector<const KernelSource*> sources;
    for (const Alike& group : groups) {
      for (const Variant& variant : plan_.steps[group.steps[0]].variants) {
        add_sources(variant, sources);
      }
    }
    HONE_RETURN_IF_ERROR(KernelLibrary::of(gpu_).compile(sources));
    find_library_kernels(groups);
    for (Alike& group : groups) {
      group.fastest = by_time(plan_.steps[group.steps[0]].variants);
      if (!group.fastest.empty()) set(group, group.fastest[0]);
      progress.step();
    }
    return Done{};
  }

  // All at once, since cuDNN compiles its kernels too. What is not found is told where it is asked for.
  void find_library_kernels(std::span<Alike> groups) {
    std::vector<Launch*> launches;
    for (const Alike& group : groups) {
      for (Variant& variant : plan_.steps[group.steps[0]].variants) {
        for (Launch& launch : variant.launches) {
          if (launch.library) launches.push_back(&launch);
        }
      }
    }
    parallel_for(launches.size(), 0, [&](size_t i) { (void)kernel_of(gpu_, *launches[i]); });
  }

  // A variant that asks for more than the GPU has, or a library that is not there, is not among them.
  std::vector<size_t> by_time(std::vector<Variant>& variants) {
    std::vector<std::pair<double, size_t>> timed;
    for (size_t i = 0; i < variants.size(); ++i) {
      if (const Result<double> time = milliseconds(variants[i]); time.ok()) {
        timed.emplace_back(*time, i);
      }
    }
    std::ranges::sort(timed);
    std::vector<size_t> order;
    for (const auto& [time, variant] : timed) order.push_back(variant);
    return order;
  }

  // By itself again and again, a kernel finds in caches what others would have put out of them, and
  // follows nobody but itself. So the fastest few are tried in the network: all steps' first, all
  // steps' second and so on.
  Status choose_in_place(std::span<Alike> groups) {
    HONE_RETURN_IF_ERROR(compile_chosen());
    std::vector<std::pair<double, size_t>> best(groups.size(),
                                                {std::numeric_limits<double>::infinity(), 0});
    for (size_t rank = 0; rank < kMostInPlace; ++rank) {
      for (const Alike& group : groups) {
        if (rank < group.fastest.size()) set(group, group.fastest[rank]);
      }
      HONE_TRY(const std::vector<double> seconds, seconds_in_place());
      for (size_t g = 0; g < groups.size(); ++g) {
        if (rank >= groups[g].fastest.size()) continue;
        double sum = 0;
        for (const size_t step : groups[g].steps) sum += seconds[step];
        best[g] = std::min(best[g], {sum, groups[g].fastest[rank]});
      }
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].fastest.empty()) continue;
      set(groups[g], best[g].second);
      if (!cache_) continue;
      const Step& step = plan_.steps[groups[g].steps[0]];
      cache_->keep(groups[g].key, step.variant().name);
    }
    return Done{};
  }

  Status compile_chosen() {
    std::vector<const KernelSource*> sources;
    for (const Step& step : plan_.steps) {
      if (step.on_host()) continue;
      add_sources(step.variant(), sources);
    }
    return KernelLibrary::of(gpu_).compile(sources);
  }

  // Of every step as chosen now, on the GPU, in runs of all steps one behind the other.
  Result<std::vector<double>> seconds_in_place() {
    const size_t count = plan_.steps.size();
    HONE_TRY(const PinnedMemory memory,
             allocate_pinned(gpu_, stamps_of(count) * sizeof(uint64_t), "the times of steps"));
    const auto* stamps = static_cast<const uint64_t*>(memory.get());
    std::vector<size_t> order;  // Steps of the GPU.
    std::vector<const Step*> steps;
    for (size_t s = 0; s < count; ++s) {
      if (plan_.steps[s].on_host()) continue;
      order.push_back(s);
      steps.push_back(&plan_.steps[s]);
    }
    Launch mark = {.kernel = SourceMaker().make("mark", "mark")};
    const auto put_stamped = [&](Launch& launch, size_t stamp, bool stamped) -> Status {
      HONE_TRY(const Kernel kernel, kernel_of(gpu_, launch));
      const auto began = reinterpret_cast<uint64_t>(stamps + stamp);
      return put(gpu_, stream_, launch, kernel, addresses_, begins_early(stamp, order.size()),
                 stamped ? began : 0);
    };
    HONE_TRY(const Recording recording, record(gpu_, stream_, [&]() -> Status {
               for (size_t i = 0; i < order.size(); ++i) {
                 bool first = true;
                 Step& step = plan_.steps[order[i]];
                 for (Launch& launch : step.variants[step.chosen].launches) {
                   HONE_RETURN_IF_ERROR(put_stamped(launch, i, first));
                   first = false;
                 }
               }
               for (size_t i = order.size(); i < stamps_of(order.size()); ++i) {
                 HONE_RETURN_IF_ERROR(put_stamped(mark, i, true));
               }
               return Done{};
             }));
    std::vector<std::vector<double>> times(count);
    for (int run = 0; run <= kRunsInPlace; ++run) {
      HONE_RETURN_IF_ERROR(
          check(gpu_.driver().cuGraphLaunch(recording.get(), stream_.get()), "measuring kernels"));
      HONE_RETURN_IF_ERROR(
          check(gpu_.driver().cuStreamSynchronize(stream_.get()), "measuring kernels"));
      if (run == 0) continue;
      const StampedTimes run_times = times_of(stamps, steps);
      for (size_t i = 0; i < order.size(); ++i) times[order[i]].push_back(run_times.steps[i]);
    }
    std::vector<double> seconds(count);
    for (const size_t step : order) {
      const auto middle = times[step].begin() + kRunsInPlace / 2;
      std::ranges::nth_element(times[step], middle);
      seconds[step] = *middle;
    }
    return seconds;
  }

  Result<double> milliseconds(Variant& variant) {
    std::vector<Kernel> kernels;
    for (Launch& launch : variant.launches) {
      HONE_TRY(const Kernel kernel, kernel_of(gpu_, launch));
      kernels.push_back(kernel);
    }
    HONE_TRY(const Recording recording, record(gpu_, stream_, [&]() -> Status {
               for (int i = 0; i < kRepeats; ++i) {
                 for (size_t l = 0; l < kernels.size(); ++l) {
                   HONE_RETURN_IF_ERROR(
                       put(gpu_, stream_, variant.launches[l], kernels[l], addresses_, true));
                 }
               }
               return Done{};
             }));
    const Driver& driver = gpu_.driver();
    double shortest = std::numeric_limits<double>::infinity();
    for (int run = 0; run <= kRuns; ++run) {
      driver.cuEventRecord(begin_.get(), stream_.get());
      HONE_RETURN_IF_ERROR(
          check(driver.cuGraphLaunch(recording.get(), stream_.get()), "measuring kernels"));
      driver.cuEventRecord(end_.get(), stream_.get());
      HONE_RETURN_IF_ERROR(check(driver.cuStreamSynchronize(stream_.get()), "measuring kernels"));
      float elapsed = 0;
      HONE_RETURN_IF_ERROR(check(driver.cuEventElapsedTime(&elapsed, begin_.get(), end_.get()),
                                 "measuring kernels"));
      if (run > 0) shortest = std::min<double>(shortest, elapsed);
    }
    return shortest;
  }

  const Gpu& gpu_;
  Loaded& loaded_;
  Plan& plan_;
  std::optional<CodeCache> cache_;
  Stream stream_;
  Event begin_;
  Event end_;
  DeviceMemory arena_;
  std::vector<uint64_t> addresses_;
};

}  // namespace

Status choose_variants(const Gpu& gpu, Loaded& loaded) {
  return Chooser(gpu, loaded).choose();
}

}  // namespace hone::cuda
