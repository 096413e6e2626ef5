// YAMNet (tensorflow/models, audioset/yamnet): MobileNet v1 on 0.96 s of sound as 96 log mel spectra
// of 64 bands, 521 classes.

#include "hone/zoo/mobilenet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

Graph build_yamnet(uint64_t seed) {
  NetworkBuilder b("yamnet", seed);
  Value* x = b.input("input", {1, 1, 96, 64});
  x = mobilenet_v1_blocks(b, x, {.activation = Nonlinearity::Relu}).back();
  x = b.linear(b.flatten(b.global_average_pool(x, "pool"), "flatten"), 521, "logits");
  return b.finish(b.apply("sigmoid", {x}, "sigmoid"), "scores");
}

}  // namespace

// README of audioset/yamnet: 3.7 M weights, 69.2 M multiplications per frame; AI Hub states 3.73 M.
extern const NetworkDef network_yamnet = {
    .name = "yamnet",
    .summary = "YAMNet (2019), sound events, 96x64 mel spectra, 521 classes.",
    .published_parameters = 3.73e6,
    .published_macs = 69.2e6,
    .build = build_yamnet,
};

}  // namespace hone
