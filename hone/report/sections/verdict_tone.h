#pragma once

#include "hone/report/document/document.h"
#include "hone/validate/slowdown.h"

namespace hone {

inline Tone tone_of(Verdict verdict) {
  return verdict == Verdict::Pass ? Tone::Good : verdict == Verdict::Fail ? Tone::Bad : Tone::Warn;
}

}  // namespace hone
