#include "hone/profile/calibrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "hone/base/aligned.h"
#include "hone/base/cpu_share.h"
#include "hone/base/parallel.h"
#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/base/workers.h"
#include "hone/device/machine.h"
#include "hone/kernels/roof/best_burst.h"
#include "hone/kernels/roof/roof.h"
#include "hone/profile/own_cpus.h"
#include "hone/profile/statistics.h"
#include "hone/profile/visited_rate.h"

namespace hone {
namespace {

// Far more than any cache, but no more than can be touched in a moment.
constexpr uint64_t kLeastDramBytes = uint64_t{256} << 20;
constexpr uint64_t kMostDramBytes = uint64_t{512} << 20;

// Memory is gone over in quarters, a large one in pieces that take about a millisecond: a burst need
// not take all of it, and yet nothing is met again before all the rest was. A part this small is one
// piece.
constexpr size_t kLeastPieceBytes = size_t{1} << 20;
constexpr size_t kMostPieceBytes = size_t{4} << 20;

// A level of memory and how much of it to stream over.
struct LevelPlan {
  MemoryLevel level;
  size_t one_bytes;     // By one thread alone.
  size_t thread_bytes;  // By each of all threads.
};

// Something done n times by a worker.
struct Work {
  std::function<void(size_t n, size_t worker)> run;
  double amount;           // What one time counts for.
  size_t first_times = 0;  // That do not count: until caches hold what they hold in the long run.
};

// Walks over the part of memory that belongs to the worker, piece by piece and round again:
// `pass(left, right, bytes)` gets a piece of its first and one of its second half. What others left in
// `cache_bytes` is gone after the first times.
template <class Pass>
Work over_parts(std::byte* memory, size_t bytes, size_t workers, size_t cache_bytes,
                const Pass& pass) {
  const size_t half = bytes / 2;
  const size_t quarter = half / 4 / kMemoryBlock * kMemoryBlock;
  const size_t piece = std::min(half, std::clamp(quarter, kLeastPieceBytes, kMostPieceBytes));
  auto walk = [=, starts = std::vector<size_t>(workers)](size_t n, size_t worker) mutable {
    std::byte* part = memory + worker * bytes;
    size_t at = starts[worker];
    for (size_t i = 0; i < n; ++i) {
      pass(part + at, part + half + at, piece);
      at = at + 2 * piece <= half ? at + piece : 0;
    }
    starts[worker] = at;
  };
  return {std::move(walk), static_cast<double>(2 * piece),
          std::min(cache_bytes, 2 * bytes) / (2 * piece)};
}

uint64_t round_to_blocks(uint64_t bytes) {
  return std::max<uint64_t>(1, bytes / (2 * kMemoryBlock)) * 2 * kMemoryBlock;
}

// 5 for "0-3,8".
int count_cpus(const std::string& list) {
  int count = 0;
  std::istringstream in(list);
  for (std::string range; std::getline(in, range, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    if (read >= 1) count += read == 2 && last > first ? last - first + 1 : 1;
  }
  return std::max(count, 1);
}

// The caches that hold data, each streamed over with half of what it has for a thread, but at least
// twice the level before, from where the data would come otherwise.
std::vector<LevelPlan> plan_caches(const CpuInfo& cpu, int threads) {
  std::vector<LevelPlan> plans;
  uint64_t nearer_bytes = 0;
  for (const CpuCache& cache : cpu.caches) {
    if (cache.type == "Instruction" || cache.bytes == 0) continue;
    const int shared_by = count_cpus(cache.shared_by);
    const auto users = static_cast<uint64_t>(std::min(shared_by, threads));
    const uint64_t bytes = round_to_blocks(std::max(cache.bytes / users / 2, 2 * nearer_bytes));
    plans.push_back({.level = {.name = str("L", cache.level),
                               .bytes = cache.bytes,
                               .line_bytes = cache.line_bytes,
                               .ways = cache.ways,
                               .shared_by = shared_by},
                     .one_bytes = bytes,
                     .thread_bytes = bytes});
    nearer_bytes = cache.bytes;
  }
  return plans;
}

// Main memory: 16 times the last cache, and at most a quarter of what is free.
Result<LevelPlan> plan_dram(const std::vector<LevelPlan>& caches, int threads) {
  const MemoryInfo memory = memory_info();
  const uint64_t last = caches.empty() ? 0 : caches.back().level.bytes;
  uint64_t bytes = std::max(std::clamp(16 * last, kLeastDramBytes, kMostDramBytes), 2 * last);
  if (memory.available_bytes > 0) bytes = std::min(bytes, memory.available_bytes / 4);
  if (bytes < 2 * last) {
    return out_of_resource("calibration streams over ", human_bytes(2 * last),
                           " and takes a quarter of the free memory at most, which is ",
                           human_bytes(memory.available_bytes));
  }
  const auto users = static_cast<uint64_t>(threads);
  const uint64_t thread_bytes = round_to_blocks(bytes / users);
  return LevelPlan{.level = {.name = "DRAM", .bytes = memory.total_bytes, .shared_by = threads},
                   .one_bytes = thread_bytes * users,
                   .thread_bytes = thread_bytes};
}

// A level of memory, and the memory whose bytes are streamed over for it.
struct Level {
  LevelPlan plan;
  AlignedArray<std::byte> memory;
};

// What one thread reaches alone, and each of all at the same time.
struct Figure {
  Work alone, together;
  std::function<void(const Rate& rate, int64_t bursts)> keep;
  std::optional<VisitedRate> one = {}, all = {};
};

class Calibration {
 public:
  Calibration(int threads, const CalibrationProgress& progress, const CalibrationEffort& effort)
      : team_(threads), progress_(progress), effort_(effort) {}

  Result<DeviceFile> run() {
    const CpuInfo cpu = cpu_info();
    std::vector<LevelPlan> plans = plan_caches(cpu, threads());
    HONE_TRY(plans.emplace_back(), plan_dram(plans, threads()));
    DeviceFile device = {.name = cpu.name,
                         .kind = "cpu",
                         .mode = Mode::Measured,
                         .tool_version = std::string(version()),
                         .threads = threads()};
    plan_loops(device);
    std::vector<Level> levels = plan_levels(plans, device);
    measure_figures();
    if (levels.size() > 1) {
      find_what_stays(levels.back().memory, device.memory[levels.size() - 2]);
    }
    device.dispatch = measure_dispatch();
    return device;
  }

 private:
  int threads() const { return static_cast<int>(team_.threads()); }

  void tell() const {
    if (progress_) progress_(done_, total_);
  }

  void step() {
    ++done_;
    tell();
  }

  // --- what is to be measured

  void plan_loops(DeviceFile& device) {
    device.compute.reserve(compute_loops().size());  // Figures are kept where they are now.
    for (const auto& loop : compute_loops()) {
      if (!loop.runs_here() || !(effort_.all_instructions || is_best(loop.run, device))) continue;
      ComputeRoof& roof = device.compute.emplace_back(no_roof_yet(loop.run));
      const Work work = {[&loop](size_t n, size_t) { loop.run.run(n); },
                         static_cast<double>(loop.run.ops_per_round)};
      plan_figure(work, work, roof.ops, roof.n);
    }
  }

  // Loops of a precision are listed from the best on.
  static bool is_best(const ComputeLoop& loop, const DeviceFile& planned) {
    return std::ranges::none_of(
        planned.compute, [&](const ComputeRoof& roof) { return roof.precision == loop.precision; });
  }

  static ComputeRoof no_roof_yet(const ComputeLoop& loop) {
    return {.precision = std::string(loop.precision),
            .instruction = std::string(loop.instruction),
            .n = std::numeric_limits<int64_t>::max()};
  }

  std::vector<Level> plan_levels(const std::vector<LevelPlan>& plans, DeviceFile& device) {
    const size_t last_cache = plans.size() < 2 ? 0 : plans[plans.size() - 2].level.bytes;
    std::vector<Level> levels;
    device.memory.reserve(plans.size());
    for (const LevelPlan& plan : plans) {
      MemoryLevel& level = device.memory.emplace_back(plan.level);
      level.n = std::numeric_limits<int64_t>::max();
      levels.push_back({plan, touched_memory(plan)});
      plan_level(levels.back(), last_cache, level);
    }
    return levels;
  }

  // Pages must be there before they are timed; each thread makes its own, as a network's would.
  AlignedArray<std::byte> touched_memory(const LevelPlan& plan) {
    AlignedArray<std::byte> memory(plan.thread_bytes * team_.threads());
    team_.run(team_.threads(), [&](size_t part, size_t) {
      loops_.write(memory.data() + part * plan.thread_bytes, plan.thread_bytes, 1);
    });
    return memory;
  }

  void plan_level(Level& level, size_t last_cache, MemoryLevel& to) {
    const auto stream = [&](Rate& rate, const auto& pass) {
      std::byte* memory = level.memory.data();
      plan_figure(over_parts(memory, level.plan.one_bytes, 1, last_cache, pass),
                  over_parts(memory, level.plan.thread_bytes, team_.threads(), last_cache, pass),
                  rate, to.n);
    };
    stream(to.read, [this](const std::byte* left, const std::byte* right, size_t bytes) {
      loops_.read(left, bytes);
      loops_.read(right, bytes);
    });
    stream(to.write, [this](std::byte* left, std::byte* right, size_t bytes) {
      loops_.write(left, bytes, 1);
      loops_.write(right, bytes, 1);
    });
    stream(to.copy, [this](const std::byte* left, std::byte* right, size_t bytes) {
      loops_.copy(right, left, bytes);
    });
  }

  // Lowers `samples` to the number of bursts.
  void plan_figure(Work alone, Work together, Rate& rate, int64_t& samples) {
    const auto keep = [&](const Rate& measured, int64_t bursts) {
      rate = measured;
      samples = std::min(samples, bursts);
    };
    Figure& figure = *figures_.emplace_back(
        std::make_unique<Figure>(Figure{std::move(alone), std::move(together), keep}));
    figure.one.emplace([&figure](size_t n) { figure.alone.run(n, 0); }, effort_.seconds);
    if (threads() == 1) return;
    // Threads miss a core that other work has: it takes longer until all have one at a time.
    figure.all.emplace([&figure, this](size_t n) { run_together(figure.together, n); },
                       2 * effort_.seconds);
  }

  // --- how

  void measure_figures() {
    total_ = figures_.size() * (threads() == 1 ? 1 : 2) + 1;
    tell();
    for (bool left = true; left;) {
      left = false;
      for (const std::unique_ptr<Figure>& figure : figures_) {
        left |= visit_alone(*figure);
        left |= visit_together(*figure);
      }
    }
    for (const std::unique_ptr<Figure>& figure : figures_) keep(*figure);
  }

  // Whether it needs another.
  bool visit_alone(Figure& figure) {
    if (figure.one->stands()) return false;
    figure.one->visit([&] { figure.alone.run(figure.alone.first_times, 0); });
    if (figure.one->stands()) step();
    return !figure.one->stands();
  }

  bool visit_together(Figure& figure) {
    if (!figure.all || stands_together(figure)) return false;
    OwnCpus cpus(team_.threads());
    cpus_ = &cpus;
    figure.all->visit([&] { run_together(figure.together, figure.together.first_times); });
    if (stands_together(figure)) step();
    return !stands_together(figure);
  }

  // Threads that do not reach what one does alone may have shared a core, in every visit alike, while
  // other work had the rest: they take all their time.
  static bool stands_together(const Figure& figure) {
    const double alone = figure.one->per_second() * figure.alone.amount;
    return figure.all->stands(0.95 * alone / figure.together.amount);
  }

  void run_together(const Work& work, size_t n) {
    team_.run(team_.threads(), [&](size_t, size_t worker) {
      cpus_->place(worker);
      work.run(n, worker);
    });
  }

  // What a thread reaches among others it reaches alone, too.
  void keep(const Figure& figure) {
    const double one = figure.one->per_second() * figure.alone.amount;
    const double each = figure.all ? figure.all->per_second() * figure.together.amount : one;
    const int64_t bursts = figure.one->bursts();
    figure.keep({.one = std::round(std::max(one, each)), .all = std::round(each * threads())},
                figure.all ? std::min(bursts, figure.all->bursts()) : bursts);
  }

  // The last cache is often that of a whole server, of which this process's CPUs are a part: the most
  // of it that is read at nearly the rate of a small part. A quarter is granted unseen. `memory` is
  // larger than the cache.
  void find_what_stays(const AlignedArray<std::byte>& memory, MemoryLevel& cache) const {
    constexpr double kNearly = 0.75;
    cache.stays_bytes = round_to_blocks(cache.bytes / 4);
    for (const uint64_t eighths : {4, 6, 8}) {
      const uint64_t bytes = round_to_blocks(cache.bytes * eighths / 8);
      const auto read = [&](size_t n) {
        for (size_t i = 0; i < n; ++i) loops_.read(memory.data(), bytes);
      };
      if (!reaches(read, kNearly * cache.read.one / static_cast<double>(bytes))) return;
      cache.stays_bytes = eighths == 8 ? 0 : bytes;
    }
  }

  // The first burst that does ends it.
  bool reaches(const std::function<void(size_t n)>& run, double per_second) const {
    Bursts bursts(run);
    const double begin = steady_seconds();
    do {
      if (bursts.next() >= per_second) return true;
    } while (steady_seconds() < begin + effort_.seconds);
    return false;
  }

  // Medians: what it costs as a rule, not at best.
  DispatchCost measure_dispatch() {
    OwnCpus cpus(team_.threads());
    const DispatchCost cost = {.spinning_us = dispatch_us(cpus, 1000, std::chrono::microseconds(0)),
                               .sleeping_us = dispatch_us(cpus, 50, std::chrono::milliseconds(1))};
    step();
    return cost;
  }

  double dispatch_us(OwnCpus& cpus, size_t times, std::chrono::microseconds pause) {
    std::vector<double> samples;
    for (size_t i = 0; i < times; ++i) {
      if (pause.count() > 0) std::this_thread::sleep_for(pause);
      const auto start = std::chrono::steady_clock::now();
      team_.run(team_.threads(), [&](size_t, size_t worker) { cpus.place(worker); });
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      samples.push_back(took.count());
    }
    return median(samples);
  }

  Workers team_;
  const MemoryLoops& loops_ = best_variant(memory_loops()).run;
  const CalibrationProgress& progress_;
  const CalibrationEffort effort_;
  std::vector<std::unique_ptr<Figure>> figures_;
  OwnCpus* cpus_ = nullptr;  // During a visit to all threads.
  size_t done_ = 0;
  size_t total_ = 0;
};

// From M. Horowitz, "Computing's energy problem", ISSCC 2014, which is of 45 nm: an instruction of
// a plain core takes 70 pJ, a multiplication and an addition 3.7 and 0.9 pJ in fp32, 1.1 and 0.4 in
// fp16, 0.2 and 0.03 in int8; 64 bits 20 pJ from 32 KiB, 100 from 1 MiB, 1300 from DRAM. Taken to a
// third for 7 nm, but for DRAM; four times the instruction for a core that reorders; an instruction
// is 8 operations in fp32, 16 in fp16, 32 in bf16, 64 in int8, of vectors of 128 bits. Beyond 1 MiB
// three times the energy, for the way. Half a watt for an idle core is a guess.
EnergyFigures generic_energy(int threads) {
  return {.mode = Mode::Predicted,
          .factor = 2,
          .source =
              "rough: figures of Horowitz, ISSCC 2014, scaled to a server core of about 7 nm, "
              "not of this machine",
          .pj_per_op = {{"fp32", 12}, {"fp16", 6}, {"bf16", 3}, {"int8", 1.5}},
          .pj_per_byte = {{"L1", 0.75}, {"L2", 4}, {"L3", 12}, {"DRAM", 160}},
          .idle_watts = 0.5 * threads};
}

// "2026-11-14", UTC.
std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[11];
  std::strftime(text, sizeof(text), "%Y-%m-%d", &parts);
  return text;
}

}  // namespace

Result<DeviceFile> calibrate_host(int threads, const CalibrationProgress& progress,
                                  const CalibrationEffort& effort) {
  if (threads < 0) return bad_input("expected 0 or more threads, got ", threads);
  if (threads == 0) threads = hardware_threads();
  HONE_TRY(DeviceFile device, Calibration(threads, progress, effort).run());
  device.cpus = cpu_share().list();
  device.without = join(feature_names(cpu_info().taken), " ");
  device.date = today();
  device.energy = generic_energy(threads);
  return device;
}

}  // namespace hone
