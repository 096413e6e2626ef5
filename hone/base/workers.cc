#include "hone/base/workers.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// Of Workers::Place::taken.
constexpr uint64_t taken_of(unsigned round, size_t count) {
  return uint64_t{round} << 32 | count;
}
constexpr size_t kAllTaken = ~uint32_t{0};

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
    : places_(static_cast<size_t>(std::max(threads, 1))),
      busy_time_(places_.size()),
      busy_copy_(places_.size()) {
  try {
    for (int t = 1; t < threads; ++t) {
      others_.emplace_back([this, t] { serve(static_cast<size_t>(t)); });
    }
  } catch (const std::system_error&) {  // No more threads to be had: these will do.
  }
}

Workers::~Workers() {
  stop_ = true;
  order_.round += 2;
  order_.round.notify_all();
  for (std::thread& other : others_) other.join();
}

void Workers::run_all(size_t tasks, Call call_fn, const void* fn) {
  order_.call = call_fn;
  order_.fn = fn;
  order_.tasks = tasks;
  order_.recording = recording_;
  const unsigned round = order_.round.load(std::memory_order_relaxed) + 1;
  order_.round.store(round, std::memory_order_release);
  order_.round.notify_all();
  work(0, round);
  // Who comes after this sees it and leaves again; who came before is seen here and waited for.
  order_.round.store(round + 1, std::memory_order_seq_cst);
  int spins = 0;
  for (const Place& place : places_) {
    while (place.at.load(std::memory_order_seq_cst) == round) {
      pause_briefly();
      // More threads than cores: let the one that is still at work have this core.
      if (++spins > kSpins) std::this_thread::yield();
    }
  }
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Workers::take_tasks(size_t worker, unsigned round) try {
  for (size_t i = 0; i < threads(); ++i) take_from((worker + i) % threads(), worker, round);
} catch (...) {
  for (Place& place : places_) {  // Nobody starts another.
    place.taken.store(taken_of(round, kAllTaken), std::memory_order_relaxed);
  }
  if (!failed_.exchange(true)) error_ = std::current_exception();
}

void Workers::take_from(size_t owner, size_t worker, unsigned round) {
  const size_t begin = owner * order_.tasks / threads();
  const size_t end = (owner + 1) * order_.tasks / threads();
  std::atomic<uint64_t>& taken = places_[owner].taken;
  uint64_t seen = taken.load(std::memory_order_relaxed);
  while (true) {
    // Nobody has to set it back: what is of another round counts as none.
    const size_t task = begin + (seen >> 32 == round ? static_cast<uint32_t>(seen) : 0);
    if (task >= end) return;
    const uint64_t now = taken_of(round, task - begin + 1);
    if (!taken.compare_exchange_weak(seen, now, std::memory_order_relaxed)) continue;
    order_.call(order_.fn, task, worker);
    seen = taken.load(std::memory_order_relaxed);
  }
}

void Workers::work(size_t worker, unsigned round) {
  if (!order_.recording) return take_tasks(worker, round);
  const auto start = Clock::now();
  take_tasks(worker, round);
  const auto end = Clock::now();
  busy_time_[worker].seconds += std::chrono::duration<double>(end - start).count();
}

std::span<const double> Workers::busy_seconds() {
  std::ranges::transform(busy_time_, busy_copy_.begin(), &Busy::seconds);
  return busy_copy_;
}

// Spins for a while, then lets others have the core if they want it, and sleeps in the end.
void Workers::await(unsigned seen) {
  const auto waiting = [&] { return order_.round.load(std::memory_order_acquire) == seen; };
  for (int spins = 0; waiting() && spins < kSpins; ++spins) pause_briefly();
  if (!waiting()) return;
  for (const auto start = Clock::now(); waiting() && Clock::now() - start < kAwake;) {
    std::this_thread::yield();
  }
  while (waiting()) order_.round.wait(seen, std::memory_order_acquire);
}

// Unless the round is over by now: then the caller may have gone on without this worker.
bool Workers::enter(size_t worker, unsigned round) {
  std::atomic<unsigned>& at = places_[worker].at;
  at.store(round, std::memory_order_seq_cst);
  if (order_.round.load(std::memory_order_seq_cst) == round) return true;
  at.store(0, std::memory_order_release);
  return false;
}

void Workers::serve(size_t worker) {
  unsigned seen = 0;
  while (true) {
    await(seen);
    seen = order_.round.load(std::memory_order_acquire);
    if (stop_) return;
    if (seen % 2 == 0 || !enter(worker, seen)) continue;
    work(worker, seen);
    places_[worker].at.store(0, std::memory_order_release);
  }
}

}  // namespace hone
