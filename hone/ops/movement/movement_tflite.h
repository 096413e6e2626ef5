// Import rules of the operators that move elements.
#pragma once

#include "hone/ops/tflite_import.h"

namespace hone {

Status import_concatenation(TfliteImport& in);
Status import_pad(TfliteImport& in);  // PAD and PADV2
Status import_mirror_pad(TfliteImport& in);
Status import_split(TfliteImport& in);
Status import_split_v(TfliteImport& in);
Status import_slice(TfliteImport& in);
Status import_strided_slice(TfliteImport& in);
Status import_reverse(TfliteImport& in);
Status import_pack(TfliteImport& in);
Status import_unpack(TfliteImport& in);
Status import_depth_to_space(TfliteImport& in);
Status import_space_to_depth(TfliteImport& in);
Status import_space_to_batch(TfliteImport& in);
Status import_batch_to_space(TfliteImport& in);
Status import_shape(TfliteImport& in);
Status import_fill(TfliteImport& in);
Status import_broadcast_to(TfliteImport& in);
Status import_zeros_like(TfliteImport& in);
Status import_rank(TfliteImport& in);
Status import_reverse_sequence(TfliteImport& in);
Status import_densify(TfliteImport& in);
Status import_tile(TfliteImport& in);

}  // namespace hone
