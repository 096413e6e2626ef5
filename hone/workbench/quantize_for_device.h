#pragma once

#include "hone/model/load.h"
#include "hone/targets/target.h"
#include "hone/validate/data_set.h"

namespace hone {

// True when products of the model are floats that the target would leave to its host: the program
// is the model compiled for it as it is.
bool wants_integers(const TargetDef& target, const Program& program);

// A copy with int8 where the target computes on integers, for its speed. Ranges come from up to 100
// samples of `data`; null: from random inputs, and then its accuracy means nothing.
Result<Model> quantize_for_device(const Model& model, const TargetDef& target, const DataSet* data);

}  // namespace hone
