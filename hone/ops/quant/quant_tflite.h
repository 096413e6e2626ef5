// Import rules of the operators in this folder.
#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_quantize(TfliteImport& in);
Status import_dequantize(TfliteImport& in);

}  // namespace hone
