#pragma once

#include <cstddef>
#include <functional>

namespace hone {

// Threads this process may run at once: those of cpu_share().
int hardware_threads();

// Calls fn(0) ... fn(n - 1), each once, in no fixed order, on up to `threads` threads (0: as many
// as the hardware has), the caller's among them. Returns when all are done. After an
// exception out of `fn` no other call is begun, and it comes out of here. Threads are made per
// call: meant for work of milliseconds and more.
void parallel_for(size_t n, int threads, const std::function<void(size_t)>& fn);

}  // namespace hone
