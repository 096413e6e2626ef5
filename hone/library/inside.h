// hone/hone.h as Hone's own sources see it, and what leads from one side to the other.
#pragma once

#define HONE_INSIDE
#include "hone/hone.h"

#include "hone/base/result.h"
#include "hone/cli/hint_words.h"

namespace hone::v1 {

[[noreturn]] inline void raise(const hone::Error& error) {
  const Fault faults[] = {Fault::BadInput, Fault::Unsupported, Fault::Resource};
  throw Error(faults[static_cast<size_t>(error.kind)], message_of(error));
}

// What a Result holds, or its error thrown.
template <class T>
T unwrap(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return *std::move(result);
}

}  // namespace hone::v1
