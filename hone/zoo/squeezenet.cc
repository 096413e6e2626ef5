// "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters" (2016) in version 1.1 of its
// authors' repository, which needs 2.4 times less arithmetic; with torchvision's names.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

Value* fire(NetworkBuilder& b, Value* x, int64_t squeezed, int64_t expanded,
            const std::string& name) {
  const auto conv = [&](Value* from, int64_t channels, int64_t kernel, const std::string& part) {
    Value* y =
        b.conv(from, {.channels = channels, .kernel = kernel, .bias = true}, str(name, ".", part));
    return b.activation(y, Nonlinearity::Relu, str(name, ".", part, "_activation"));
  };
  Value* s = conv(x, squeezed, 1, "squeeze");
  return b.concat({conv(s, expanded, 1, "expand1x1"), conv(s, expanded, 3, "expand3x3")}, 1,
                  name + ".concat");
}

Graph build_squeezenet(uint64_t seed) {
  NetworkBuilder b("squeezenet", seed);
  const auto pool = [&](Value* x, const std::string& name) {
    return b.max_pool(x, 3, 2, name, Padding::Valid, true);
  };
  Value* x = b.input("input", {1, 3, 224, 224});
  const Conv stem = {
      .channels = 64, .kernel = 3, .stride = 2, .padding = Padding::Valid, .bias = true};
  x = b.activation(b.conv(x, stem, "features.0"), Nonlinearity::Relu, "features.1");
  x = pool(x, "features.2");
  x = fire(b, x, 16, 64, "features.3");
  x = fire(b, x, 16, 64, "features.4");
  x = pool(x, "features.5");
  x = fire(b, x, 32, 128, "features.6");
  x = fire(b, x, 32, 128, "features.7");
  x = pool(x, "features.8");
  x = fire(b, x, 48, 192, "features.9");
  x = fire(b, x, 48, 192, "features.10");
  x = fire(b, x, 64, 256, "features.11");
  x = fire(b, x, 64, 256, "features.12");
  x = b.conv(x, {.channels = 1000, .bias = true}, "classifier.1");
  x = b.activation(x, Nonlinearity::Relu, "classifier.2");
  return b.finish(b.flatten(b.global_average_pool(x, "classifier.3"), "flatten"), "logits");
}

}  // namespace

// torchvision's model page (SqueezeNet1_1_Weights: num_params, _ops).
extern const NetworkDef network_squeezenet = {
    .name = "squeezenet",
    .summary = "SqueezeNet 1.1 (2016), ImageNet, 224x224.",
    .published_parameters = 1235496,
    .published_macs = 0.349e9,
    .build = build_squeezenet,
};

}  // namespace hone
