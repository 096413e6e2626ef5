#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_average_pool_2d(TfliteImport& in);
Status import_l2_pool_2d(TfliteImport& in);
Status import_max_pool_2d(TfliteImport& in);

}  // namespace hone
