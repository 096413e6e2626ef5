#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_conv_2d(TfliteImport& in);
Status import_conv_3d(TfliteImport& in);
Status import_depthwise_conv_2d(TfliteImport& in);
Status import_transpose_conv(TfliteImport& in);
// MediaPipe's transposed convolution with a bias.
Status import_transpose_conv_bias(TfliteImport& in);

}  // namespace hone
