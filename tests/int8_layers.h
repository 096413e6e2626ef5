// Small layers of integers, for tests of targets.
#pragma once

#include <string>

namespace hone {

struct Int8Layer {
  std::string op;
  std::string text;  // As of OpDef::cases.
};

inline const Int8Layer kInt8Layers[] = {
    // Products: depths and columns that are whole pieces and such that are not, windows and padding.
    {"conv",
     "i8[1,9,7,24]<0.4:3> = (i8[1,9,7,16]<0.1:-5>, const i8[24,3,3,16]<0.02:0>, const "
     "i32[24]) layout=\"nhwc\" pads=[1,1,1,1]"},
    {"conv",
     "i8[1,5,4,10]<0.4:3> = (i8[1,9,7,24]<0.1:127>, const i8[10,3,3,24]<0.02:0>, const "
     "i32[10]) layout=\"nhwc\" pads=[1,1,1,1] strides=[2,2] activation=\"relu\""},
    {"conv",
     "i8[2,13,13,64]<2:-128> = (i8[2,13,13,100]<0.1:7>, const i8[64,1,1,100]<0.02:0>, "
     "const i32[64]) layout=\"nhwc\""},
    {"conv",
     "i8[1,6,6,33]<0.3:0> = (i8[1,12,12,3]<0.1:-9>, const i8[33,3,3,3]<0.02:0>, _) "
     "layout=\"nhwc\" pads=[0,0,1,1] strides=[2,2]"},
    {"conv",
     "u8[1,8,8,20]<0.9:120> = (u8[1,8,8,32]<0.1:130>, const u8[20,3,3,32]<0.02:151>, const "
     "i32[20]) layout=\"nhwc\" pads=[1,1,1,1] activation=\"relu6\""},
    {"conv",
     "i8[1,7,7,256]<3:1> = (i8[1,7,7,640]<0.1:4>, const i8[256,1,1,640]<0.02:0>, const "
     "i32[256]) layout=\"nhwc\""},
    {"conv",
     "i8[1,10,10,8]<0.4:3> = (i8[1,12,12,12]<0.1:-5>, const i8[8,2,2,12]<0.02:0>, _) "
     "layout=\"nhwc\" dilations=[2,2]"},
    // Of groups, and of every channel by itself.
    {"conv",
     "i8[1,6,6,12]<0.4:3> = (i8[1,6,6,8]<0.1:-5>, const i8[12,3,3,2]<0.02:0>, const "
     "i32[12]) layout=\"nhwc\" pads=[1,1,1,1] group=4"},
    {"conv",
     "i8[1,7,6,60]<0.4:3> = (i8[1,7,6,24]<0.1:-5>, const i8[60,1,1,8]<0.02:0>, const "
     "i32[60]) layout=\"nhwc\" group=3"},
    {"conv",
     "i8[1,5,4,40]<0.4:3> = (i8[1,5,4,20]<0.1:-5>, const i8[40,3,3,1]<0.02:0>, _) "
     "layout=\"nhwc\" pads=[1,1,1,1] group=20"},
    {"conv",
     "i8[1,9,11,32]<0.2:3> = (i8[1,9,11,32]<0.1:-5>, const i8[32,3,3,1]<0.02:0>, const "
     "i32[32]) layout=\"nhwc\" pads=[1,1,1,1] group=32 activation=\"relu6\""},
    {"conv",
     "u8[2,5,6,6]<0.2:3> = (u8[2,9,11,6]<0.1:90>, const u8[6,5,5,1]<0.02:77>, const "
     "i32[6]) layout=\"nhwc\" pads=[2,2,2,2] strides=[2,2] group=6"},
    {"gemm",
     "i8[1,37]<0.5:3> = (i8[1,128]<0.1:-5>, const i8[37,128]<0.02:0>, const i32[37]) "
     "transB=1"},
    {"gemm", "i8[5,12]<0.5:3> = (i8[5,20]<0.1:-5>, const i8[12,20]<0.02:0>, _) transB=1"},
    {"gemm",
     "u8[19,40]<0.5:3> = (u8[19,30]<0.1:128>, const u8[40,30]<0.02:131>, const i32[40]) "
     "transB=1"},
    // Element by element.
    {"add", "i8[2,5,7,12]<0.3:2> = (i8[2,5,7,12]<0.2:-7>, i8[2,5,7,12]<0.1:9>)"},
    {"add", "u8[2,5,7,3]<0.3:2> = (u8[2,5,7,3]<0.2:70>, u8[3]<0.1:9>) activation=\"relu\""},
    {"sub", "i16[2,40]<0.003:0> = (i16[2,40]<0.002:0>, i16[2,1]<0.001:0>)"},
    {"mul", "i8[2,5,7,16]<0.3:2> = (i8[2,5,7,16]<0.2:-7>, i8[2,1,1,16]<0.1:9>)"},
    {"sigmoid", "i8[3,50]<0.00390625:-128> = (i8[3,50]<0.05:3>)"},
    {"hard_swish", "i8[3,50]<0.04:-110> = (i8[3,50]<0.05:3>)"},
    {"requantize", "i8[3,50]<0.07:-11> = (i8[3,50]<0.05:3>)"},
    {"requantize", "i8[3,50]<0.07:-11> = (i16[3,50]<0.0005:0>)"},
    {"requantize", "u8[3,50]<0.01:11> = (f32[3,50])"},
    {"requantize", "f32[3,50] = (i8[3,50]<0.05:3>)"},
    {"quantize_linear", "(f32[2,3,50], f32[]{0.01}, i8[]{3})"},
    {"dequantize_linear", "(u8[2,3,50], f32[]{0.01}, u8[]{3})"},
    // Over windows, axes and rows.
    {"max_pool",
     "i8[1,5,4,20]<0.1:3> = (i8[1,9,7,20]<0.1:3>) layout=\"nhwc\" kernel_shape=[3,3] "
     "strides=[2,2] pads=[1,1,1,1]"},
    {"average_pool",
     "u8[1,5,4,6]<0.1:3> = (u8[1,9,7,6]<0.1:3>) layout=\"nhwc\" "
     "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]"},
    {"average_pool",
     "i8[2,1,1,64]<0.1:3> = (i8[2,7,7,64]<0.1:3>) layout=\"nhwc\" "
     "kernel_shape=[7,7]"},
    {"reduce_mean", "i8[2,36]<0.05:3> = (i8[2,7,7,36]<0.1:-20>, i64[2]{1 2}) keepdims=0"},
    {"reduce_mean", "u8[2,7,1]<0.05:3> = (u8[2,7,9]<0.1:20>, i64[1]{2})"},
    {"softmax", "i8[3,10]<0.00390625:-128> = (i8[3,10]<0.2:5>)"},
    {"softmax", "u8[2,700]<0.00390625:0> = (u8[2,700]<0.03:5>)"},
};

}  // namespace hone
