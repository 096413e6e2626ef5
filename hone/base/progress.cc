#include "hone/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

#include "hone/base/printable.h"
#include "hone/base/terminal.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Redrawing more often costs time and reads no better.
constexpr std::chrono::milliseconds kRedrawInterval(100);
constexpr size_t kWidestBar = 40;
constexpr size_t kViewWidth = 100;
constexpr std::string_view kClearLine = "\r\x1b[K";

std::atomic<bool> is_quiet = false;
std::atomic<bool> is_on_screen = false;

size_t terminal_width() {
  return terminal_columns(STDERR_FILENO).value_or(80);
}

}  // namespace

// The line that all works share.
class ProgressLine {
 public:
  static ProgressLine& get() {
    static ProgressLine line;
    return line;
  }

  void add(const Progress& work) {
    const std::lock_guard lock(mutex_);
    works_.push_back(&work);
  }

  void remove(const Progress& work) {
    const std::lock_guard lock(mutex_);
    std::erase(works_, &work);
    if (works_.empty()) clear();
  }

  void step(Progress& work, size_t steps) {
    const std::lock_guard lock(mutex_);
    work.done_ += steps;
    const auto now = Progress::Clock::now();
    if (now - drawn_ >= kRedrawInterval) draw(now);
  }

  void begin(Progress& work, std::string_view what) {
    const std::lock_guard lock(mutex_);
    work.phase_ = what;
    draw(Progress::Clock::now());
  }

  void show_by(ProgressView view) {
    const std::lock_guard lock(mutex_);
    clear();
    view_ = std::move(view);
  }

  void say(std::string_view line) {
    const std::lock_guard lock(mutex_);
    clear();
    std::fprintf(stderr, "hone: %s\n", printable(line).c_str());
  }

 private:
  void clear() {
    if (is_on_screen.exchange(false)) std::fputs(std::string(kClearLine).c_str(), stderr);
    if (std::exchange(is_in_view_, false)) view_("");
  }

  std::string names() const {
    std::string all;
    for (const Progress* work : works_) {
      for (const std::string& name : {work->label_, work->phase_}) {
        if (!name.empty()) all += (all.empty() ? "" : ": ") + name;
      }
    }
    return all;
  }

  std::string line(Progress::Clock::time_point now, size_t width) const {
    const Progress& innermost = *works_.back();
    return progress_line(names(), innermost.share(now), innermost.seconds_left(now), width);
  }

  void draw(Progress::Clock::time_point now) {
    if (works_.empty() || is_quiet) return;
    drawn_ = now;
    if (view_) {
      is_in_view_ = true;
      view_(line(now, kViewWidth));
    } else if (isatty(STDERR_FILENO) == 1) {
      is_on_screen = true;
      // The last column stays free: writing it makes some terminals wrap.
      std::fprintf(stderr, "\r%s\x1b[K", line(now, terminal_width() - 1).c_str());
    }
  }

  std::mutex mutex_;  // Guards what follows, and what is not constant in the works.
  std::vector<const Progress*> works_ = {};
  Progress::Clock::time_point drawn_ = {};
  ProgressView view_ = {};
  bool is_in_view_ = false;
};

Progress::Progress(std::string label) : label_(std::move(label)) {
  ProgressLine::get().add(*this);
}

Progress::Progress(std::string label, size_t total, std::optional<double> most_seconds)
    : label_(std::move(label)), total_(total), most_seconds_(most_seconds) {
  ProgressLine::get().add(*this);
}

Progress::Progress(std::string label, Time time)
    : label_(std::move(label)), most_seconds_(time.seconds) {
  ProgressLine::get().add(*this);
}

Progress::~Progress() {
  ProgressLine::get().remove(*this);
}

void Progress::step(size_t steps) {
  ProgressLine::get().step(*this, steps);
}

void Progress::begin(std::string_view what) {
  ProgressLine::get().begin(*this, what);
}

std::optional<double> Progress::share(Clock::time_point now) const {
  if (total_) {
    return *total_ == 0 ? 1.0
                        : std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_));
  }
  if (!most_seconds_) return std::nullopt;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  return *most_seconds_ <= seconds ? 1.0 : seconds / *most_seconds_;
}

std::optional<double> Progress::seconds_left(Clock::time_point now) const {
  const std::optional<double> done = share(now);
  if (!done || *done <= 0 || *done >= 1) return std::nullopt;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left = seconds * (1 / *done - 1);
  return most_seconds_ ? std::clamp(*most_seconds_ - seconds, 0.0, left) : left;
}

void show_progress_by(ProgressView view) {
  ProgressLine::get().show_by(std::move(view));
}

void say_on_stderr(std::string_view line) {
  if (!is_quiet) ProgressLine::get().say(line);
}

void be_quiet(bool quiet) {
  is_quiet = quiet;
}

void clear_progress_line() {
  if (!is_on_screen) return;
  [[maybe_unused]] const ssize_t ignored =
      ::write(STDERR_FILENO, kClearLine.data(), kClearLine.size());
}

std::string progress_line(std::string_view label, std::optional<double> share,
                          std::optional<double> seconds_left, size_t width) {
  if (!share) return printable(label, std::max<size_t>(width, 8)).substr(0, width);
  std::string end = fmt::format(" {:3.0f} %", 100 * *share);
  if (seconds_left) end += fmt::format(" {} left", human_duration(*seconds_left));
  // Longer than the gap that stands for a middle.
  std::string line = printable(label, std::max<size_t>(width / 2, 8));
  const size_t fixed_columns = line.size() + end.size() + 3;  // " [" and "]"
  if (fixed_columns + 4 <= width) {
    const size_t cells = std::min(kWidestBar, width - fixed_columns);
    const auto full = static_cast<size_t>(*share * static_cast<double>(cells));
    line += fmt::format(" [{}{}]", std::string(full, '#'), std::string(cells - full, '.'));
  }
  return (line + end).substr(0, width);
}

}  // namespace hone
