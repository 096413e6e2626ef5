// Import rules of TFLite's resource variables.
#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_var_handle(TfliteImport& in);
Status import_read_variable(TfliteImport& in);
Status import_assign_variable(TfliteImport& in);
Status import_call_once(TfliteImport& in);

}  // namespace hone
