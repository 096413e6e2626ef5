// Operators in many forms that the cuda target is to compute itself, not its host. T stands for the
// element type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/ops/op_case.h"

namespace hone {

struct CudaOperatorCase {
  std::string_view op;
  std::string_view text;
};

inline const std::vector<CudaOperatorCase> kCudaOperators = {
    {"batch_norm", "(T[2,3,4,5], f32[3]{1 2 3}, f32[3]{0 1 -1}, f32[3]{0.5 0 1}, f32[3]{1 2 4})"},
    {"batch_norm",
     "(T[2,4,5,4], f32[4]{1 2 3 1}, f32[4]{0 1 -1 2}, f32[4]{0.5 0 1 0}, f32[4]{1 2 4 1}) "
     "layout=\"nhwc\" activation=\"relu\""},
    {"reduce_sum", "(T[2,3,4,5], i64[2]{0 -1}) keepdims=0"},
    {"reduce_sum", "(T[2,3,4])"},
    {"reduce_mean", "(T[3,1000], i64[1]{1})"},
    {"reduce_mean", "(T[2,70,33], i64[1]{0})"},
    {"reduce_max", "(T[2,70,33], i64[1]{1})"},
    {"reduce_max", "(T[5,300], i64[1]{-1}) keepdims=0"},
    {"reduce_min", "(T[3,4,5], i64[2]{0 2})"},
    {"reduce_prod", "(T[3,4], i64[1]{0})"},
    {"reduce_l1", "(T[3,40], i64[1]{1})"},
    {"reduce_l2", "(T[3,40], i64[1]{1})"},
    {"reduce_sum_square", "(T[3,40], i64[1]{0})"},
    {"arg_max", "(T[3,40,7]) axis=1 keepdims=0"},
    {"arg_max", "(T[3,1000]) axis=-1"},
    {"arg_min", "(T[300,5]) select_last_index=1"},
    {"gather", "(T[6,8], i64[5]{3 0 -1 4 4})"},
    {"gather", "(T[2,6,3], i32[2,2]{5 1 0 2}) axis=1"},
    {"gather_elements", "(T[3,4], i64[2,3]{0 3 1 -1 2 0}) axis=1"},
    {"resize", "(T[1,4,5,6], _, _, i64[4]{1 4 9 7}) mode=\"linear\""},
    {"resize",
     "(T[1,8,5,6], _, f32[4]{1 1 2 2}) mode=\"linear\" "
     "coordinate_transformation_mode=\"align_corners\""},
    {"resize",
     "(T[1,3,5,6], _, f32[4]{1 1 0.6 1.7}) mode=\"linear\" "
     "coordinate_transformation_mode=\"asymmetric\""},
    {"resize",
     "(T[1,3,5,6], _, _, i64[4]{1 3 1 12}) mode=\"linear\" "
     "coordinate_transformation_mode=\"pytorch_half_pixel\""},
    {"resize",
     "(T[1,3,5,6], _, f32[4]{1 1 1.3 1.3}) mode=\"linear\" "
     "coordinate_transformation_mode=\"half_pixel_symmetric\""},
    {"resize",
     "(T[1,3,5,6], f32[8]{0 0 0.2 -0.3 1 1 0.9 1.2}, _, i64[4]{1 3 4 8}) "
     "mode=\"linear\" coordinate_transformation_mode=\"tf_crop_and_resize\" "
     "extrapolation_value=2.0"},
    {"resize", "(T[1,3,5,6], _, _, i64[4]{1 3 9 4}) mode=\"cubic\" exclude_outside=1"},
    {"resize", "(T[1,3,9,8], _, _, i64[4]{1 3 4 3}) mode=\"linear\" antialias=1"},
    {"resize", "(T[1,3,5,6], _, _, i64[4]{1 3 7 4}) nearest_mode=\"ceil\""},
    {"conv_transpose", "(T[1,4,5,5], const T[4,6,3,3], const T[6]) strides=[2,2]"},
    {"conv_transpose", "(T[2,8,5,7], const T[8,16,2,2]) strides=[2,2]"},
    {"conv_transpose",
     "(T[1,8,5,7], const T[8,8,3,3], const T[8]) strides=[2,1] pads=[1,0,1,2] "
     "dilations=[2,1] output_padding=[1,0]"},
    {"conv_transpose", "(T[1,4,5,5], const T[4,3,2,2]) group=2 strides=[2,2]"},
    {"conv_transpose", "(T[1,4,9], const T[4,2,3]) pads=[1,1]"},
    {"matmul", "(T[2,3,8], T[1,8,16])"},
    {"matmul", "(T[2,1,3,8], T[1,6,8,16])"},
    {"matmul", "(T[8], T[8,16])"},
    {"matmul", "(T[2,3,8], T[8])"},
    {"gemm", "(T[8,3], T[8,16], T[3,1]) transA=1 alpha=0.5 beta=2.0"},
    {"attention", "(T[1,2,3,4], T[1,2,5,4], T[1,2,5,4])"},
    {"attention", "(T[2,3,32], T[2,5,32], T[2,5,32]) q_num_heads=2 kv_num_heads=2 is_causal=1"},
    {"attention", "(T[1,4,3,8], T[1,2,5,8], T[1,2,5,8]) softcap=2.0"},
    {"attention", "(T[1,2,3,4], T[1,2,5,4], T[1,2,5,4], const f32[3,5])"},
    {"attention", "(T[1,2,2,4], T[1,2,3,4], T[1,2,3,4], bool[2,3]{true false true false false false})"},
    {"attention", "(T[1,2,3,4], T[1,2,2,4], T[1,2,2,4], _, T[1,2,3,4], T[1,2,3,4])"},
    {"concat", "(T[1,3,4,8], T[1,3,4,16], T[1,3,4,5]) axis=-1"},
};

// "f32", "f16" or "bf16" in the place of every T.
inline Result<Graph> operator_graph(const CudaOperatorCase& given, std::string_view type) {
  std::string text(given.text);
  for (size_t at = text.find("T["); at != std::string::npos; at = text.find("T[", at)) {
    text.replace(at, 1, type);
  }
  return graph_of_case(given.op, text);
}

}  // namespace hone
