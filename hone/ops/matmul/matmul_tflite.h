#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_fully_connected(TfliteImport& in);
Status import_batch_matmul(TfliteImport& in);

}  // namespace hone
