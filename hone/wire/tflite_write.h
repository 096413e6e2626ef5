#pragma once

#include <string>

#include "hone/base/result.h"
#include "hone/wire/tflite.h"

namespace hone {

// The structs as schema version 3, whatever `version` says: the same bytes for the same structs.
// Constants of the same bytes share a buffer. Unsupported when an operator, an option or an element
// type is none of the schema's, or when the constants do not fit the 2 GB of a file.
Result<std::string> write_tflite_bytes(const TfliteModel& model);

}  // namespace hone
