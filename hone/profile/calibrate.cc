#include "hone/profile/calibrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
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

namespace hone {
namespace {

// Three streams over a level, each on one core and on all.
constexpr size_t kMeasurementsOfLevel = 6;
constexpr size_t kMeasurementsOfLoop = 2;

// Far more than any cache, but no more than can be touched in a moment.
constexpr uint64_t kLeastDramBytes = uint64_t{256} << 20;
constexpr uint64_t kMostDramBytes = uint64_t{1} << 30;

// Memory is gone over in quarters, four times the last cache each, so that a burst need not take
// all of it and yet cannot be hidden by caches; a part this small is one piece.
constexpr size_t kLeastPieceBytes = size_t{1} << 20;

// A level of memory and how much of it to stream over.
struct LevelPlan {
  MemoryLevel level;
  size_t one_bytes;     // By one thread alone.
  size_t thread_bytes;  // By each of all threads.
};

// Something done n times by a worker.
struct Work {
  std::function<void(size_t n, size_t worker)> run;
  double amount;  // What one time counts for.
};

// Walks over the part of memory that belongs to the worker, piece by piece and round again:
// `pass(left, right, bytes)` gets a piece of its first and one of its second half.
template <class Pass>
Work over_parts(std::byte* memory, size_t bytes, size_t workers, const Pass& pass) {
  const size_t half = bytes / 2;
  const size_t quarter = half / 4 / kMemoryBlock * kMemoryBlock;
  const size_t piece = std::min(half, std::max(quarter, kLeastPieceBytes));
  auto walk = [=, starts = std::vector<size_t>(workers)](size_t n, size_t worker) mutable {
    std::byte* part = memory + worker * bytes;
    size_t at = starts[worker];
    for (size_t i = 0; i < n; ++i) {
      pass(part + at, part + half + at, piece);
      at = at + 2 * piece <= half ? at + piece : 0;
    }
    starts[worker] = at;
  };
  return {std::move(walk), static_cast<double>(2 * piece)};
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

class Calibration {
 public:
  Calibration(int threads, const CalibrationProgress& progress, double seconds)
      : team_(threads), progress_(progress), seconds_(seconds) {}

  Result<DeviceFile> run() {
    const CpuInfo cpu = cpu_info();
    std::vector<LevelPlan> levels = plan_caches(cpu, threads());
    HONE_TRY(levels.emplace_back(), plan_dram(levels, threads()));
    total_ = kMeasurementsOfLevel * levels.size() + 1;
    for (const auto& loop : compute_loops()) total_ += loop.runs_here() ? kMeasurementsOfLoop : 0;
    tell();

    DeviceFile device = {.name = cpu.name,
                         .kind = "cpu",
                         .mode = Mode::Measured,
                         .tool_version = std::string(version()),
                         .threads = threads()};
    for (const auto& loop : compute_loops()) {
      if (loop.runs_here()) device.compute.push_back(measure_loop(loop.run));
    }
    for (const LevelPlan& plan : levels) device.memory.push_back(measure_level(plan));
    if (levels.size() > 1) find_what_stays(device.memory[levels.size() - 2]);
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

  // Lowers `samples` to the number of bursts.
  Rate measure(const Work& alone, const Work& together, int64_t& samples) {
    const auto run_alone = [&](size_t n) { alone.run(n, 0); };
    BurstRate one = best_burst(run_alone, seconds_);
    step();
    const BurstRate all =
        threads() == 1 ? one : measure_all(together, one.per_second * alone.amount);
    // One that was slower alone than among others gets another try, too.
    const double among_others = all.per_second * together.amount / alone.amount;
    if (among_others > 1.05 * one.per_second) {
      one = better(one, best_burst(run_alone, 2 * seconds_, 0.95 * among_others));
    }
    step();
    samples = std::min({samples, one.bursts, all.bursts});
    return {.one = std::round(one.per_second * alone.amount),
            .all = std::round(all.per_second * together.amount * threads())};
  }

  // Threads that do not add up to `alone` each may have missed a core that other work had: they get
  // a second, longer try.
  BurstRate measure_all(const Work& together, double alone) {
    OwnCpus cpus(team_.threads());
    const auto run = [&](size_t n) {
      team_.run(team_.threads(), [&](size_t, size_t worker) {
        cpus.place(worker);
        together.run(n, worker);
      });
    };
    const double expected = 0.95 * alone / together.amount;
    const BurstRate first = best_burst(run, seconds_, expected);
    if (first.per_second >= expected) return first;
    return better(first, best_burst(run, 2 * seconds_));
  }

  static BurstRate better(const BurstRate& first, const BurstRate& second) {
    return {.per_second = std::max(first.per_second, second.per_second),
            .bursts = first.bursts + second.bursts};
  }

  ComputeRoof measure_loop(const ComputeLoop& loop) {
    ComputeRoof roof = {.precision = std::string(loop.precision),
                        .instruction = std::string(loop.instruction),
                        .n = std::numeric_limits<int64_t>::max()};
    const Work work = {[&](size_t n, size_t) { loop.run(n); },
                       static_cast<double>(loop.ops_per_round)};
    roof.ops = measure(work, work, roof.n);
    return roof;
  }

  MemoryLevel measure_level(const LevelPlan& plan) {
    const MemoryLoops& loops = best_variant(memory_loops()).run;
    AlignedArray<std::byte> memory(plan.thread_bytes * team_.threads());
    // Pages must be there before they are timed; each thread makes its own, as a network's would.
    team_.run(team_.threads(), [&](size_t part, size_t) {
      loops.write(memory.data() + part * plan.thread_bytes, plan.thread_bytes, 1);
    });
    MemoryLevel level = plan.level;
    level.n = std::numeric_limits<int64_t>::max();
    const auto stream = [&](const auto& pass) {
      return measure(over_parts(memory.data(), plan.one_bytes, 1, pass),
                     over_parts(memory.data(), plan.thread_bytes, team_.threads(), pass), level.n);
    };
    level.read = stream([&](const std::byte* left, const std::byte* right, size_t bytes) {
      loops.read(left, bytes);
      loops.read(right, bytes);
    });
    level.write = stream([&](std::byte* left, std::byte* right, size_t bytes) {
      loops.write(left, bytes, 1);
      loops.write(right, bytes, 1);
    });
    level.copy = stream([&](const std::byte* left, std::byte* right, size_t bytes) {
      loops.copy(right, left, bytes);
    });
    return level;
  }

  // The last cache is often that of a whole server, of which this process's CPUs are a part: the most
  // of it that is read at nearly the rate of a small part.
  void find_what_stays(MemoryLevel& cache) {
    constexpr double kNearly = 0.75;
    const MemoryLoops& loops = best_variant(memory_loops()).run;
    AlignedArray<std::byte> memory(round_to_blocks(cache.bytes));
    loops.write(memory.data(), memory.bytes(), 1);
    for (const uint64_t eighths : {8, 6, 4, 2}) {
      const uint64_t bytes = round_to_blocks(cache.bytes * eighths / 8);
      const auto read = [&](size_t n) {
        for (size_t i = 0; i < n; ++i) loops.read(memory.data(), bytes);
      };
      const double rate = best_burst(read, seconds_).per_second * static_cast<double>(bytes);
      cache.stays_bytes = eighths == 8 ? 0 : bytes;
      if (rate >= kNearly * cache.read.one) return;
    }
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
  const CalibrationProgress& progress_;
  const double seconds_;
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
                                  double seconds) {
  if (threads < 0) return bad_input("expected 0 or more threads, got ", threads);
  if (threads == 0) threads = hardware_threads();
  HONE_TRY(DeviceFile device, Calibration(threads, progress, seconds).run());
  device.cpus = cpu_share().list();
  device.without = join(feature_names(cpu_info().taken), " ");
  device.date = today();
  device.energy = generic_energy(threads);
  return device;
}

}  // namespace hone
