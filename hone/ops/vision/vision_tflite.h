#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

// Positions and their number; the fifth version has a sigma, and scores between the two.
Status import_non_max_suppression_v4(TfliteImport& in);
Status import_non_max_suppression_v5(TfliteImport& in);
// The custom operator at the end of SSD detectors.
Status import_detection_postprocess(TfliteImport& in);

}  // namespace hone
