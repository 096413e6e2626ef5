#pragma once

#include "hone/ops/tflite_import.h"

namespace hone {

Status import_gather(TfliteImport& in);
Status import_scatter_nd(TfliteImport& in);
Status import_sparse_to_dense(TfliteImport& in);
Status import_embedding_lookup(TfliteImport& in);
Status import_unique(TfliteImport& in);
Status import_one_hot(TfliteImport& in);
// Of one input: where it is true.
Status import_where(TfliteImport& in);

}  // namespace hone
