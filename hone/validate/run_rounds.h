#pragma once

#include "hone/profile/compare_programs.h"
#include "hone/validate/slowdown.h"

namespace hone {

// Runs two sessions of `base`, and one of `candidate` unless it is null, in turn for about
// `seconds`, and at least twelve rounds, or six when twelve take four times as long. Who comes
// after whom changes from round to round, and nobody's first run of a turn counts: what another
// left in the caches favours and harms nobody.
Result<Rounds> run_rounds(const Contestant& base, const Contestant* candidate, double seconds);

}  // namespace hone
