#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_resize_bilinear(TfliteImport& in);
Status import_resize_nearest_neighbor(TfliteImport& in);

}  // namespace hone
