// Two programs in turn on the same machine: which is faster, and by how much.
#pragma once

#include "hone/profile/diff.h"
#include "hone/profile/statistics.h"
#include "hone/profile/turn_taker.h"

namespace hone {

struct Comparison {
  double ms_a = 0;  // Medians.
  double ms_b = 0;
  // What b saves in a run: the median over pairs of neighbouring turns, which is not the difference
  // of medians where a machine has two speeds. The interval is that of 95 % confidence, and holds
  // what every quarter of the measurement says by itself.
  double gain_ms = 0;
  double low_gain_ms = 0;
  double high_gain_ms = 0;
  Interval turns = {};           // What four of five turns say by themselves.
  Change change = Change::Same;  // Of b against a.
  int64_t n = 0;                 // Turns of each.
  Mode mode = Mode::Measured;
};

// Both take turns for about `seconds`, so that what disturbs one disturbs the other; for less, but a
// quarter at least, where the gain is known within a tenth of itself, or within `least` of a, by then,
// or 64 turns do not tell: what more of them would not mend is a machine that changes.
// A change counts when it is more than `least` of a and beyond noise. Programs of a modelled machine
// are not timed: their model is asked, once.
Result<Comparison> compare_programs(const Contestant& a, const Contestant& b, double seconds,
                                    double least);

}  // namespace hone
