#include "hone/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "hone/base/printable.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Redrawing more often costs time and reads no better.
constexpr std::chrono::milliseconds kRedrawInterval(100);
constexpr size_t kWidestBar = 40;

size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

Progress::Progress(std::string label, size_t total, std::chrono::milliseconds moment,
                   double most_seconds)
    : label_(std::move(label)),
      total_(total),
      visible_(isatty(STDERR_FILENO) == 1),
      moment_(moment),
      most_seconds_(most_seconds),
      start_(Clock::now()) {}

Progress::~Progress() {
  if (visible_ && drawn_ != Clock::time_point()) std::fputs("\r\x1b[K", stderr);
}

void Progress::step(size_t steps) {
  const std::lock_guard lock(mutex_);
  done_ += steps;
  const Clock::time_point now = Clock::now();
  if (!visible_) {
    tell(now);
  } else if (now - drawn_ >= kRedrawInterval) {
    draw(now);
  }
}

void Progress::tell(Clock::time_point now) {
  if (told_ || done_ == 0 || done_ >= total_ || now - start_ < moment_) return;
  told_ = true;
  say_on_stderr(fmt::format("{}: about {} left", label_, human_duration(seconds_left(now))));
}

double Progress::seconds_left(Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (done_ == 0 || done_ >= total_) return 0;
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  return std::clamp(most_seconds_ - seconds, 0.0, seconds * (1 / share - 1));
}

void Progress::draw(Clock::time_point now) {
  drawn_ = now;
  // The last column stays free: writing it makes some terminals wrap.
  const std::string line =
      progress_line(label_, done_, total_, seconds_left(now), terminal_width() - 1);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
}

Phases::Phases(std::string label, std::chrono::milliseconds moment)
    : label_(std::move(label)), visible_(isatty(STDERR_FILENO) == 1 || moment.count() == 0) {
  if (visible_) return;
  try {
    watch_ = std::thread([this, moment] {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, moment, [this] { return end_; })) return;
      visible_ = true;
      tell();
    });
  } catch (const std::system_error&) {  // No thread to be had: then nothing is told.
  }
}

Phases::~Phases() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (watch_.joinable()) watch_.join();
}

void Phases::begin(std::string_view what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  if (visible_) tell();
}

void Phases::tell() const {
  if (!what_.empty()) say_on_stderr(fmt::format("{}: {}", label_, what_));
}

void say_on_stderr(std::string_view line) {
  std::fprintf(stderr, "hone: %s\n", printable(line).c_str());
}

std::string progress_line(std::string_view label, size_t done, size_t total, double seconds_left,
                          size_t width) {
  done = std::min(done, total);
  const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  std::string end = fmt::format(" {:3.0f} %", 100 * share);
  if (done > 0 && done < total) {
    end += fmt::format(" {} left", human_duration(seconds_left));
  }

  std::string line(label.substr(0, width / 2));
  const size_t fixed_columns = line.size() + end.size() + 3;  // " [" and "]"
  if (fixed_columns + 4 <= width) {
    const size_t cells = std::min(kWidestBar, width - fixed_columns);
    const auto full = static_cast<size_t>(share * static_cast<double>(cells));
    line += fmt::format(" [{}{}]", std::string(full, '#'), std::string(cells - full, '.'));
  }
  return (line + end).substr(0, width);
}

}  // namespace hone
