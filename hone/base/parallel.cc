#include "hone/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "hone/base/cpu_share.h"

namespace hone {
int hardware_threads() {
  return cpu_share().threads();
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
