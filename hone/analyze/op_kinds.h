// Kinds of operators and steps that rules ask about.
#pragma once

#include <string>
#include <string_view>

#include "hone/analyze/rule_def.h"

namespace hone {

bool is_elementwise(std::string_view op);    // One pass over its operands: add, mul, relu, ...
bool is_data_movement(std::string_view op);  // Only moves bytes, and is no transpose.
bool is_conversion(std::string_view op);     // Only changes the element type.
// Multiplies with constant weights in one of the product kernels.
bool is_product(const StepProfile& step);
// Of what the caller gives, as it is or in another type; false without a graph.
bool reads_an_input(const Evidence& in, size_t s);

// The kind of kernel it runs on, as a device file's [[kernels]] name it.
std::string_view kernel_kind(const StepProfile& step);

double bytes_per_element(std::string_view precision);
double elements_written(const StepProfile& step);

// What the step would take in another precision: by the machine's roofs for its operations and
// bytes and by how near kernels of that precision come to their roof, compared with those it runs
// on now.
double time_in_precision(const Evidence& in, size_t step, const std::string& precision);
// The steps that would change with the run's precision from fp32 to fp16 or bf16, and what that saves.
std::vector<size_t> steps_narrowed(const Evidence& in, const std::string& precision);
double saved_in_precision(const Evidence& in, const std::string& precision);

}  // namespace hone
