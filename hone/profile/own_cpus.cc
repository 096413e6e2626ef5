#include "hone/profile/own_cpus.h"

namespace hone {

OwnCpus::OwnCpus(size_t workers) : placed_(workers) {
  CPU_ZERO(&allowed_);
  sched_getaffinity(0, sizeof(allowed_), &allowed_);
}

OwnCpus::~OwnCpus() {
  if (CPU_COUNT(&allowed_) > 0) sched_setaffinity(0, sizeof(allowed_), &allowed_);
}

void OwnCpus::place(size_t worker) {
  if (placed_[worker].flag) return;
  placed_[worker].flag = true;
  size_t index = 0;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed_) || index++ != worker) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof(own), &own);
  }
}

}  // namespace hone
