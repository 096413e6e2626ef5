// Hints in the words of the command line: the one place where one becomes a flag.
#pragma once

#include "hone/base/result.h"

namespace hone {

// "--threads 2", "hone quantize MODEL --data DIR -d npu"; empty for HintKind::None.
std::string hint_words(const Hint& hint);

// The message, and behind it in brackets what would make it work.
std::string message_of(const Error& error);

}  // namespace hone
