#include "hone/base/workers.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace hone {
namespace {

// About 20 microseconds on a 2.6 GHz Neoverse-V1: longer than the steps between two parallel ones
// in a running network, shorter than a time slice.
constexpr int kSpins = 2000;

void pause_briefly() {
#if defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // Waits some tens of cycles; `yield` does not wait at all.
#elif defined(__x86_64__)
  asm volatile("pause" ::: "memory");
#endif
}

}  // namespace

Workers::Workers(int threads)
    : busy_time_(static_cast<size_t>(std::max(threads, 1))), busy_copy_(busy_time_.size()) {
  try {
    for (int t = 1; t < threads; ++t) {
      others_.emplace_back([this, t] { serve(static_cast<size_t>(t)); });
    }
  } catch (const std::system_error&) {  // No more threads to be had: these will do.
  }
}

Workers::~Workers() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Workers::run_all(size_t tasks, Call call_fn, const void* fn) {
  tasks_ = tasks;
  call_ = call_fn;
  fn_ = fn;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(others_.size(), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  int spins = 0;
  while (busy_.load(std::memory_order_acquire) != 0) {
    pause_briefly();
    // More threads than cores: let the one that is still at work have this core.
    if (++spins > kSpins) std::this_thread::yield();
  }
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Workers::take_tasks(size_t worker) try {
  for (size_t task = next_.fetch_add(1, std::memory_order_relaxed); task < tasks_;
       task = next_.fetch_add(1, std::memory_order_relaxed)) {
    call_(fn_, task, worker);
  }
} catch (...) {
  next_.store(tasks_, std::memory_order_relaxed);  // Nobody starts another.
  if (!failed_.exchange(true)) error_ = std::current_exception();
}

void Workers::work(size_t worker) {
  if (!recording_) return take_tasks(worker);
  const auto start = std::chrono::steady_clock::now();
  take_tasks(worker);
  const auto end = std::chrono::steady_clock::now();
  busy_time_[worker].seconds += std::chrono::duration<double>(end - start).count();
}

std::span<const double> Workers::busy_seconds() {
  std::ranges::transform(busy_time_, busy_copy_.begin(), &Busy::seconds);
  return busy_copy_;
}

void Workers::serve(size_t worker) {
  unsigned seen = 0;
  while (true) {
    for (int spins = 0; round_.load(std::memory_order_acquire) == seen; ++spins) {
      if (spins < kSpins) {
        pause_briefly();
      } else {
        round_.wait(seen, std::memory_order_acquire);
      }
    }
    ++seen;
    if (stop_) return;
    work(worker);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace hone
