#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace hone {

// Puts every worker of a team on a CPU of its own: left alone, the scheduler may run two of them on
// one CPU for longer than a measurement takes when other work is about. The thread that makes it is
// worker 0 and gets its CPUs back at the end.
class OwnCpus {
 public:
  explicit OwnCpus(size_t workers);
  ~OwnCpus();
  OwnCpus(const OwnCpus&) = delete;
  OwnCpus& operator=(const OwnCpus&) = delete;

  // Called by the worker itself, as often as it likes. Without effect on workers beyond the number
  // of CPUs.
  void place(size_t worker);

 private:
  struct alignas(64) Placed {  // Each on a cache line of its own: workers ask all the time.
    bool flag = false;
  };
  cpu_set_t allowed_;
  std::vector<Placed> placed_;
};

}  // namespace hone
