// What goes on while people wait: one line on standard error, if that is a terminal, or wherever a
// view brings it; nothing elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

// Work that goes on. Works inside of others share their line, which names all of them from the
// outermost to the innermost, has the bar and the time left of the innermost, and is gone when the
// outermost is. Safe to use from several threads.
//
//   Progress work("optimize");
//   work.begin("try int8");                    // optimize: try int8
//   Progress samples("calibrate", count);
//   samples.step();                            // optimize: try int8: calibrate [##......] 25 % 9.0 s left
class Progress {
 public:
  // Of so many seconds, at most.
  struct Time {
    double seconds;
  };

  // How much is left is not known.
  explicit Progress(std::string label);
  // `total` steps are to come; what is not done after `most_seconds` is left undone.
  Progress(std::string label, size_t total, std::optional<double> most_seconds = {});
  // Time passes by itself: `step` only shows it.
  Progress(std::string label, Time time);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(size_t steps = 1);
  // The next phase of it.
  void begin(std::string_view what);

 private:
  friend class ProgressLine;
  using Clock = std::chrono::steady_clock;

  // Of the whole; nothing where it is not known.
  std::optional<double> share(Clock::time_point now) const;
  std::optional<double> seconds_left(Clock::time_point now) const;

  const std::string label_;
  const std::optional<size_t> total_;
  const std::optional<double> most_seconds_;
  const Clock::time_point start_ = Clock::now();
  // Guarded by the line.
  size_t done_ = 0;
  std::string phase_ = {};
};

// Who gets the line in place of a terminal, empty when nothing goes on any more. Called while works
// wait, from whichever thread goes on: it must not use Progress itself. Null: the terminal again.
using ProgressView = std::function<void(const std::string& line)>;
void show_progress_by(ProgressView view);

// One line on standard error for whoever watches: "hone: ...".
void say_on_stderr(std::string_view line);

// Neither progress nor notes from now on, or both again: results and errors are all that is told.
void be_quiet(bool quiet);

// Takes the line away, for a handler of signals: it takes no lock and no memory.
void clear_progress_line();

// What the line shows, at most `width` columns: "tune [#####.....]  50 % 12.0 s left". A name that
// is too long loses its middle.
std::string progress_line(std::string_view label, std::optional<double> share,
                          std::optional<double> seconds_left, size_t width);

}  // namespace hone
