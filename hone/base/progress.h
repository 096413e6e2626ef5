#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace hone {

// A bar on standard error while long work goes on, if standard error is a terminal. Takes itself
// off the screen when destroyed. Elsewhere one line says what goes on, once it has taken longer
// than a moment. Safe to step from several threads.
class Progress {
 public:
  static constexpr std::chrono::milliseconds kMoment{1500};

  // `total` is the number of steps to come; what is not done after `most_seconds` is left undone.
  Progress(std::string label, size_t total, std::chrono::milliseconds moment = kMoment,
           double most_seconds = std::numeric_limits<double>::infinity());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(size_t steps = 1);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(Clock::time_point now);
  void tell(Clock::time_point now);
  double seconds_left(Clock::time_point now) const;

  const std::string label_;
  const size_t total_;
  const bool visible_;
  const std::chrono::milliseconds moment_;
  const double most_seconds_;
  const Clock::time_point start_;
  std::mutex mutex_;  // Guards what follows.
  size_t done_ = 0;
  Clock::time_point drawn_;
  bool told_ = false;
};

// Names the phases of long work on standard error: all of them on a terminal, at once; elsewhere
// the one that goes on when a moment has passed, and those that begin later.
class Phases {
 public:
  explicit Phases(std::string label, std::chrono::milliseconds moment = Progress::kMoment);
  ~Phases();
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;

  void begin(std::string_view what);

 private:
  void tell() const;  // With the lock held.

  const std::string label_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable ended_;
  std::string what_ = {};
  bool visible_;
  bool end_ = false;
  std::thread watch_;  // Waits for the moment to pass.
};

// One line on standard error for whoever watches: "hone: ...".
void say_on_stderr(std::string_view line);

// What the bar shows, at most `width` columns: "tune [#####.....]  50 % 12.0 s left".
std::string progress_line(std::string_view label, size_t done, size_t total, double seconds_left,
                          size_t width);

}  // namespace hone
