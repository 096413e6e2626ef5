#pragma once

#include "hone/wire/tflite.h"

namespace hone {

// The lowest version of an operator that does what this one does with tensors of these types:
// readers refuse versions that they do not know, so that more than is needed is too much.
int tflite_version(const TfliteOp& op, const TfliteSubgraph& subgraph);

}  // namespace hone
