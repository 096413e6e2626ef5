// The words that device files choose from.
#pragma once

#include <string_view>

namespace hone {

// What a device is: "npu" has an NpuSpec, the others an AnalyticSpec. A "soc" is a phone's or
// board's chip whose accelerator is known by its peak alone.
inline constexpr std::string_view kDeviceKinds[] = {"npu", "cpu", "gpu", "mcu", "soc"};

// Operators that a file may allow or forbid with limits.ops.
inline constexpr std::string_view kNpuOperators[] = {"conv",         "depthwise_conv",
                                                     "gemm",         "matmul",
                                                     "add",          "sub",
                                                     "mul",          "max_pool",
                                                     "average_pool", "global_average_pool",
                                                     "reduce_mean",  "softmax",
                                                     "resize",       "concat",
                                                     "lookup",       "requantize",
                                                     "sigmoid",      "tanh",
                                                     "hard_swish",   "leaky_relu",
                                                     "elu",          "gelu",
                                                     "relu",         "reshape",
                                                     "transpose",    "slice",
                                                     "pad"};

// Operations of the vector engine that vector.cost may price, and operators that are made of tables
// and have a price of their own.
inline constexpr std::string_view kVectorOperations[] = {
    "add",     "sub",     "mul",        "table",      "max_pool",  "average_pool",
    "mean",    "softmax", "copy",       "resize",     "depthwise", "requantize",
    "sigmoid", "tanh",    "hard_swish", "leaky_relu", "relu"};

inline constexpr std::string_view kNpuTypes[] = {"int8", "uint8"};

// Keys of AnalyticSpec::peak_ops and AnalyticSpec::efficiency.
inline constexpr std::string_view kPeakPrecisions[] = {"fp32", "fp16", "int8"};
inline constexpr std::string_view kStepKinds[] = {"dense", "depthwise", "product", "other"};

}  // namespace hone
