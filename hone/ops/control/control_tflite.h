#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_if(TfliteImport& in);
Status import_while(TfliteImport& in);

}  // namespace hone
