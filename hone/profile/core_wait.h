#pragma once

#include "hone/profile/profile.h"

namespace hone {

// How long threads of a measurement were ready to run and had no core; both 0 where nobody told.
struct CoreWait {
  double part = 0;  // Of the time of all threads: at most 1.
  // Over all threads, of the measurement: threads wait for each other, so that one that waits
  // holds up a whole run.
  double sum = 0;

  // More than a run suffers by itself.
  bool busy() const { return sum > 0.02; }
};
CoreWait core_wait(const Profile& profile);

// "threads waited for a core during 17 % of their time".
std::string text_of(const CoreWait& wait);

}  // namespace hone
