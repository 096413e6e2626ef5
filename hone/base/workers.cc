#include "hone/base/workers.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// Of Workers::gate_; the other bits count.
constexpr unsigned kOpen = 1u << 31;

// One or two microseconds of `pause` on a Xeon, 20 of `isb` on a Neoverse-V1.
#if defined(__x86_64__)
constexpr int kSpins = 64;
#else
constexpr int kSpins = 2000;
#endif
// Longer than a worker that is through with its share waits for the others and the steps that
// are the caller's alone: to be woken takes some 30 microseconds.
constexpr auto kAwake = std::chrono::microseconds(500);

void pause_briefly() {
#if defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // Waits some tens of cycles; `yield` does not wait at all.
#elif defined(__x86_64__)
  asm volatile("pause" ::: "memory");
#endif
}

}  // namespace

Workers::Workers(int threads)
    : shares_(static_cast<size_t>(std::max(threads, 1))),
      busy_time_(shares_.size()),
      busy_copy_(shares_.size()) {
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
  share_out(tasks);
  call_ = call_fn;
  fn_ = fn;
  gate_.store(kOpen, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  gate_.fetch_and(~kOpen, std::memory_order_relaxed);
  int spins = 0;
  while (gate_.load(std::memory_order_acquire) != 0) {
    pause_briefly();
    // More threads than cores: let the one that is still at work have this core.
    if (++spins > kSpins) std::this_thread::yield();
  }
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Workers::share_out(size_t tasks) {
  size_t begin = 0;
  for (size_t worker = 0; worker < threads(); ++worker) {
    Share& share = shares_[worker];
    share.next.store(begin, std::memory_order_relaxed);
    begin = share.end = (worker + 1) * tasks / threads();
  }
}

void Workers::take_tasks(size_t worker) try {
  for (size_t i = 0; i < threads(); ++i) take_from(shares_[(worker + i) % threads()], worker);
} catch (...) {
  for (Share& share : shares_) {  // Nobody starts another.
    share.next.store(share.end, std::memory_order_relaxed);
  }
  if (!failed_.exchange(true)) error_ = std::current_exception();
}

void Workers::take_from(Share& share, size_t worker) {
  // Looking is cheaper than taking: the line stays with its owner.
  while (share.next.load(std::memory_order_relaxed) < share.end) {
    const size_t task = share.next.fetch_add(1, std::memory_order_relaxed);
    if (task < share.end) call_(fn_, task, worker);
  }
}

void Workers::work(size_t worker) {
  if (!recording_) return take_tasks(worker);
  const auto start = Clock::now();
  take_tasks(worker);
  const auto end = Clock::now();
  busy_time_[worker].seconds += std::chrono::duration<double>(end - start).count();
}

std::span<const double> Workers::busy_seconds() {
  std::ranges::transform(busy_time_, busy_copy_.begin(), &Busy::seconds);
  return busy_copy_;
}

// Spins for a while, then lets others have the core if they want it, and sleeps in the end.
void Workers::await(unsigned seen) {
  const auto waiting = [&] { return round_.load(std::memory_order_acquire) == seen; };
  for (int spins = 0; waiting() && spins < kSpins; ++spins) pause_briefly();
  if (!waiting()) return;
  for (const auto start = Clock::now(); waiting() && Clock::now() - start < kAwake;) {
    std::this_thread::yield();
  }
  while (waiting()) round_.wait(seen, std::memory_order_acquire);
}

// Into whatever round is open, which may be another than the one that woke the worker.
bool Workers::enter() {
  unsigned gate = gate_.load(std::memory_order_relaxed);
  while ((gate & kOpen) != 0) {
    if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void Workers::serve(size_t worker) {
  unsigned seen = 0;
  while (true) {
    await(seen);
    seen = round_.load(std::memory_order_acquire);
    if (stop_) return;
    if (!enter()) continue;
    work(worker);
    gate_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace hone
