// Products of real networks, for the benchmarks.
#pragma once

#include <cstddef>

namespace hone {

struct GemmLayer {
  const char* name;
  size_t rows, n, taps, depth;
};

inline constexpr GemmLayer kGemmLayers[] = {
    {"square/1024", 1024, 1024, 1, 1024},      {"mobilenet_v2/1", 12544, 96, 1, 16},
    {"mobilenet_v2/2", 3136, 144, 1, 24},      {"mobilenet_v2/4", 784, 192, 1, 32},
    {"mobilenet_v2/8", 196, 384, 1, 64},       {"mobilenet_v2/11", 196, 96, 1, 576},
    {"mobilenet_v2/17", 49, 320, 1, 960},      {"resnet50/layer1", 3136, 64, 9, 64},
    {"resnet50/layer1.1x1", 3136, 256, 1, 64}, {"resnet50/layer2", 784, 128, 9, 128},
    {"resnet50/layer3", 196, 256, 9, 256},     {"resnet50/layer3.1x1", 196, 1024, 1, 256},
    {"resnet50/layer4", 49, 512, 9, 512},      {"resnet50/layer4.1x1", 49, 2048, 1, 512},
    {"mobilenet_v3_large/3", 3136, 24, 1, 72}, {"mobilenet_v3_large/5", 784, 40, 1, 120},
    {"fully_connected", 1, 1000, 1, 2048},
};

}  // namespace hone
