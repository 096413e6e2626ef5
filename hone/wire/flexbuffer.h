// Flexbuffers: how custom operators of .tflite files keep their options.
#pragma once

#include "hone/wire/tflite.h"

namespace hone {

// The numbers, booleans and strings of a map, by their keys; values of other kinds are left out.
// BadInput when the bytes are no such map.
Result<std::map<std::string, TfliteOption>> read_flexbuffer_map(std::span<const std::byte> bytes);

}  // namespace hone
