// A quantized network as microcontrollers and NPUs take it in a .tflite file: integers from its inputs
// to its outputs, channels last.
#pragma once

#include "hone/passes/device_io.h"
#include "hone/quantize/scheme.h"
#include "hone/validate/data_set.h"

namespace hone {

// Weights of gemm and matmul get one scale for all channels, whatever else the plan says of scales:
// TFLite's interpreters know others of FULLY_CONNECTED since 2024 alone. Rules that the plan has come
// after. Gives the layers' names.
std::vector<std::string> give_dense_one_scale(QuantizePlan& plan, const Graph& graph);

// Functions with one scale in TFLite give integers of it, inputs and outputs are integers, and images
// come channels last. Says how inputs and outputs changed.
IoChange use_full_integers(Graph& graph);

// How the answers of a file differ from those of the Q/DQ pairs that it was made of: TFLite rounds
// twice where pairs, made integers of, are rounded once, and has functions of its own.
struct FileAgreement {
  int64_t samples = 0;
  int64_t same_class = 0;  // Samples whose first output is largest at the same place.
  double changed = 0;      // Part of all outputs that are another number,
  double largest = 0;      // by at most so much,
  bool in_steps = true;    // which is steps of integers; of floats, where one output is such.
};

// On the cpu target, on the first `samples` of the set, which is of inputs as `given` takes them.
// `pairs` is what use_full_integers made of it, and `io` what it said.
Result<FileAgreement> compare_with_file(const Graph& pairs, const Graph& file, const IoChange& io,
                                        const DataSet& data, const Graph& given, int64_t samples);

}  // namespace hone
