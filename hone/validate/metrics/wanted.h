// What the outputs of a sample are compared with, element by element.
#pragma once

#include "hone/validate/metric_def.h"

namespace hone {

// targets.npy, or the first input when there are none: then the model reconstructs it.
const SampleRows& wanted_rows(const DataSet& data);

// BadInput unless output 0 has as many elements as what it is compared with, as far as is known.
Status check_wanted(const DataSet& data, const Graph& graph);

// Row `s` as real numbers: integers of the type of `like`, a quantized value, are dequantized with
// its parameters, everything else means itself.
Result<std::vector<double>> row_values(const SampleRows& rows, size_t s, const Value& like);

// The real values that output 0 of sample `s` should have.
Result<std::vector<double>> wanted_values(const Evaluation& in, size_t s);

// Mean of (output - wanted)^2 over the elements of output 0 of sample `s`.
Result<double> squared_error(const Evaluation& in, size_t s, const std::vector<double>& wanted);

}  // namespace hone
