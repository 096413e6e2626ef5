#include "hone/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace hone {
namespace {

// CPUs the control group may use, from "<quota> <period>" in microseconds; "max" means no limit.
int quota_threads() {
  std::ifstream in("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (!(in >> quota >> period) || quota <= 0 || period <= 0) return std::numeric_limits<int>::max();
  return static_cast<int>(std::ceil(std::min(quota / period, 1e6)));
}

int detect_threads() {
  const int affinity = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, std::min(affinity, quota_threads()));
}

}  // namespace

int hardware_threads() {
  static const int threads = detect_threads();
  return threads;
}

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& fn) {
  const auto wanted = static_cast<size_t>(threads > 0 ? threads : hardware_threads());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;  // The first, as when memory runs out; nothing is begun after it.
  const auto work = [&]() noexcept {
    try {
      for (size_t i = next++; i < n; i = next++) fn(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = n;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (size_t t = 1; t < std::min(wanted, n); ++t) others.emplace_back(work);
    } catch (const std::system_error&) {  // No more threads to be had: these will do.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hone
