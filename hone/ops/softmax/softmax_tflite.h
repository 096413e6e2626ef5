#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_softmax(TfliteImport& in);

}  // namespace hone
