#include "hone/profile/measure.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

#include "hone/base/progress.h"
#include "hone/profile/statistics.h"
#include "hone/profile/yardstick.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

double seconds_since(Clock::time_point start) {
  return seconds_between(start, Clock::now());
}

// Writes the clock into a run whose vectors have grown in earlier ones: watching allocates nothing.
class Stopwatch final : public StepObserver {
 public:
  void call() { call_ = Clock::now(); }
  void back() {
    const Clock::time_point now = Clock::now();
    run_.whole = seconds_between(call_, now);
    run_.giving = seconds_between(start_, now) - last_;
  }

  void begin() override {
    run_.begins.clear();
    run_.ends.clear();
    run_.busy.clear();
    run_.copying_in = run_.copying_out = run_.starting = run_.on_host = 0;
    start_ = Clock::now();
    run_.binding = seconds_between(call_, start_);
    last_ = 0;
  }

  void step_done(size_t step, std::span<const double> busy) override {
    constexpr double kAll[] = {1};
    steps_done(step, kAll, busy);
  }

  // Steps that ran together lie one after the other, as long as their shares of the time.
  void steps_done(size_t, std::span<const double> seconds, std::span<const double> busy) override {
    const double begin = last_;
    last_ = seconds_since(start_);
    const double time = last_ - begin;
    run_.on_host += time;
    const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    threads_ = busy.size();
    last_busy_.resize(busy.size());
    double done = 0;
    for (const double part : seconds) {
      run_.begins.push_back(begin + time * done / all);
      done += part;
      run_.ends.push_back(begin + time * done / all);
      for (size_t t = 0; t < busy.size(); ++t) {
        run_.busy.push_back((busy[t] - last_busy_[t]) * part / all);
      }
    }
    std::ranges::copy(busy, last_busy_.begin());
  }

  // What is known of the accelerator's clock is that it has just ended.
  void device_done(size_t, const DeviceStage& stage) override {
    last_ = seconds_since(start_);
    const double all = std::accumulate(stage.steps.begin(), stage.steps.end(), 0.0);
    double now = std::max(0.0, last_ - stage.copying_out - all);
    for (const double seconds : stage.steps) {
      run_.begins.push_back(now);
      now += seconds;
      run_.ends.push_back(now);
    }
    run_.copying_in += stage.copying_in;
    run_.copying_out += stage.copying_out;
    run_.starting += stage.starting;
  }

  WatchedRun& run() { return run_; }
  size_t threads() const { return threads_; }

 private:
  WatchedRun run_;
  Clock::time_point call_;
  Clock::time_point start_;
  double last_ = 0;  // Seconds from there to when a step was last told of.
  std::vector<double> last_busy_;
  size_t threads_ = 0;
};

class Sampler {
 public:
  Sampler(Session& session, const std::vector<Item>& inputs) : session_(session), inputs_(inputs) {}

  Result<double> run_plain() {
    const Clock::time_point start = Clock::now();
    HONE_RETURN_IF_ERROR(session_.run(inputs_, outputs_));
    return seconds_since(start);
  }

  Status run_watched() {
    watch_.call();
    HONE_RETURN_IF_ERROR(session_.run_observed(inputs_, outputs_, watch_));
    watch_.back();
    return Done{};
  }

  const Stopwatch& watch() const { return watch_; }
  WatchedRun& last() { return watch_.run(); }

 private:
  Session& session_;
  const std::vector<Item>& inputs_;
  std::vector<Item> outputs_;
  Stopwatch watch_;
};

// Sorting all samples after every run would cost more than short runs do: looks once in a while.
bool is_tight(const std::vector<double>& samples, double part) {
  const Interval interval = median_interval(samples);
  const double middle = median(samples);
  return interval.high - middle <= part * middle && middle - interval.low <= part * middle;
}

bool enough(const Samples& samples, const StopRule& stop, double seconds) {
  const size_t runs = samples.plain.size();
  if (runs >= stop.max_runs) return true;
  if (seconds >= stop.seconds) return runs >= stop.least_runs;
  if (runs < stop.min_runs) return false;
  constexpr double kShortest = 0.5;
  constexpr size_t kLookEvery = 16;
  return stop.interval > 0 && seconds >= kShortest && runs % kLookEvery == 0 &&
         is_tight(samples.plain, stop.interval);
}

// Shown between runs: how many are left where their number was asked for, else how long they take.
void show_measuring(const StopRule& stop, std::optional<Progress>& progress) {
  constexpr double kAnyTime = 86400;
  if (stop.seconds >= kAnyTime) {
    progress.emplace("measuring", stop.max_runs);
  } else {
    progress.emplace("measuring", Progress::Time{stop.seconds});
  }
}

}  // namespace

Result<Samples> sample(Session& session, const std::vector<Item>& inputs, const StopRule& stop,
                       int warm_ups) {
  Samples samples;
  Sampler sampler(session, inputs);
  const Clock::time_point start = Clock::now();
  HONE_TRY(samples.first_run, sampler.run_plain());
  double last_warm_up = samples.first_run;
  constexpr double kShortWarmUp = 0.5;
  const double most = std::max(stop.seconds, kShortWarmUp);
  for (int i = 0; i < warm_ups && seconds_since(start) < most; ++i) {
    HONE_RETURN_IF_ERROR(sampler.run_watched());
    HONE_TRY(last_warm_up, sampler.run_plain());
  }
  constexpr double kShort = 1e-3;
  const bool is_short = last_warm_up < kShort;
  std::optional<Progress> progress;
  show_measuring(stop, progress);
  const Clock::time_point begin = Clock::now();
  while (!enough(samples, stop, seconds_since(begin))) {
    const bool watched_first = samples.plain.size() % 2 == 1;
    if (watched_first) HONE_RETURN_IF_ERROR(sampler.run_watched());
    samples.yardstick.push_back(time_yardstick());
    // Short runs feel what a yardstick and a watch leave in caches and predictors: one goes before
    // that does not count.
    if (is_short) HONE_RETURN_IF_ERROR(sampler.run_plain());
    HONE_TRY(const double plain, sampler.run_plain());
    samples.plain.push_back(plain);
    if (const auto device = session.device_seconds()) samples.device.push_back(*device);
    if (!watched_first) HONE_RETURN_IF_ERROR(sampler.run_watched());
    samples.watched.push_back(sampler.last());
    progress->step();
  }
  samples.threads = sampler.watch().threads();
  return samples;
}

}  // namespace hone
