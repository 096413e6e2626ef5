#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_l2_normalization(TfliteImport& in);
Status import_local_response_normalization(TfliteImport& in);

}  // namespace hone
