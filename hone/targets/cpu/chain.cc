#include "hone/targets/cpu/chain.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace hone::cpu {
namespace {

using Clock = std::chrono::steady_clock;

size_t rounded_up(size_t x, size_t step) {
  return (x + step - 1) / step * step;
}

size_t parts_of(size_t x, size_t part) {
  return (x + part - 1) / part;
}

// Where row 0 would be, which may be outside of all memory: no pointer may be computed that way.
std::byte* row_zero(std::byte* first_row, size_t bytes_before) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(first_row) - bytes_before);
}

}  // namespace

Chain::Chain(std::vector<const RowStep*> parts, size_t threads, size_t most_bytes)
    : parts_(std::move(parts)) {
  cut_into_tasks(threads);
  constexpr size_t kLowestStripe = 4;
  // Even, as kernels share what neighbouring rows read.
  size_t height = kLowestStripe;
  for (; height < rows_per_task_; height += 2) {
    measure(height + 2);
    if (rows_bytes_ > most_bytes) break;
  }
  // Of a like height.
  height_ = rounded_up(parts_of(rows_per_task_, parts_of(rows_per_task_, height)), 2);
  measure(height_);
}

// As many as keep all threads busy to the end, but one for each where more would do much twice.
void Chain::cut_into_tasks(size_t threads) {
  if (threads == 1) return cut_into(1);
  constexpr double kLittle = 0.05;
  for (size_t each = 4; each > 0; --each) {
    cut_into(parts_of(each * threads, last().images));
    if (overlap_ <= kLittle) break;
  }
}

void Chain::cut_into(size_t tasks) {
  rows_per_task_ = rounded_up(parts_of(last().out_rows(), tasks), 2);
  tasks_per_image_ = parts_of(last().out_rows(), rows_per_task_);
  double once = 0, done = 0;
  for (const RowStep* part : parts_) once += static_cast<double>(part->cost.macs);
  for (size_t task = 0; task < tasks_per_image_; ++task) {
    Progress progress;
    advance(rows_of(task), progress);
    for (size_t part = 0; part < parts(); ++part) {
      done += static_cast<double>(parts_[part]->cost.macs * progress.next[part].count()) /
              static_cast<double>(parts_[part]->row_shape.out_rows());
    }
  }
  overlap_ = done / std::max(once, 1.0) - 1;
}

RowRange Chain::rows_of(size_t task) const {
  const size_t begin = task % tasks_per_image_ * rows_per_task_;
  return {begin, std::min(last().out_rows(), begin + rows_per_task_)};
}

size_t Chain::stripes() const {
  return tasks() * parts_of(rows_per_task_, height_);
}

void Chain::measure(size_t height) {
  std::array<size_t, kMostParts> rows = {};
  size_t first_rows = 0;
  for (size_t task = 0; task < tasks_per_image_; ++task) {
    Progress progress;
    const RowRange range = rows_of(task);
    for (size_t begin = range.begin; begin < range.end; begin += height) {
      advance({begin, std::min(range.end, begin + height)}, progress);
      for (size_t link = 0; link + 1 < parts(); ++link) {
        RowRange& held = progress.held[link];
        held.end = progress.next[link].end;
        rows[link] = std::max(rows[link], held.count());
      }
      if (progress.next[0].empty()) continue;
      first_rows = std::max(first_rows, parts_[0]->row_shape.under(progress.next[0]).count());
    }
  }
  rows_bytes_ = first_rows * parts_[0]->row_shape.in_row_bytes +
                std::min(height, last().out_rows()) * last().out_row_bytes;
  for (size_t link = 0; link + 1 < parts(); ++link) {
    constexpr size_t kCacheLine = 64;
    buffers_[link] = rounded_up(rows[link] * parts_[link]->row_shape.out_row_bytes, kCacheLine);
    rows_bytes_ += buffers_[link];
  }
}

// From the last part to the first: each computes what the next one reads and is not there yet.
void Chain::advance(const RowRange& stripe, Progress& progress) const {
  progress.next[parts() - 1] = stripe;
  for (size_t link = parts() - 1; link-- > 0;) {
    RowRange& held = progress.held[link];
    const RowRange& reader = progress.next[link + 1];
    const RowRange needed = reader.empty() ? held : parts_[link + 1]->row_shape.under(reader);
    held.begin = std::max(held.begin, needed.begin);
    held.end = std::max(held.end, held.begin);
    progress.next[link] = {held.end, std::max(held.end, needed.end)};
  }
}

void Chain::run(const Frame& frame, double* seconds) const {
  frame.workers->run(tasks(), [&](size_t task, size_t worker) {
    run_task(frame, task, worker, seconds == nullptr ? nullptr : seconds + worker * parts());
  });
}

void Chain::run_task(const Frame& frame, size_t task, size_t worker, double* seconds) const {
  Links links;
  for (size_t link = 0; link + 1 < parts(); ++link) {
    links[link].buffer = frame.out<std::byte>(parts_[link]->writes[0]) + worker * buffers_[link];
  }
  Progress progress;
  const RowRange rows = rows_of(task);
  const size_t image = task / tasks_per_image_;
  for (size_t begin = rows.begin; begin < rows.end; begin += height_) {
    advance({begin, std::min(rows.end, begin + height_)}, progress);
    for (size_t part = 0; part < parts(); ++part) {
      if (progress.next[part].empty()) continue;
      const Clock::time_point start = seconds == nullptr ? Clock::time_point() : Clock::now();
      run_part(frame, part, image, progress, links, worker);
      progress.held[part].end = progress.next[part].end;
      if (seconds == nullptr) continue;
      seconds[part] += std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
}

void Chain::run_part(const Frame& frame, size_t part, size_t image, const Progress& progress,
                     Links& links, size_t worker) const {
  const RowShape& shape = parts_[part]->row_shape;
  const bool is_first = part == 0;
  const bool is_last = part + 1 == parts();
  if (!is_last) make_room(part, progress, links[part]);
  const RowBases bases{
      .x = is_first ? parts_[part]->x_image(frame, image)
                    : row_zero(links[part - 1].buffer, links[part - 1].first * shape.in_row_bytes),
      .y = is_last ? parts_[part]->y_image(frame, image)
                   : row_zero(links[part].buffer, links[part].first * shape.out_row_bytes)};
  parts_[part]->run_rows(frame, bases, image, progress.next[part], worker);
}

// Rows that are still needed go to the front when those to come do not fit behind them.
void Chain::make_room(size_t part, const Progress& progress, Link& link) const {
  const RowRange& held = progress.held[part];
  const size_t row = parts_[part]->row_shape.out_row_bytes;
  if ((progress.next[part].end - link.first) * row <= buffers_[part]) return;
  if (!held.empty()) {
    std::memmove(link.buffer, link.buffer + (held.begin - link.first) * row, held.count() * row);
  }
  link.first = held.begin;
}

}  // namespace hone::cpu
