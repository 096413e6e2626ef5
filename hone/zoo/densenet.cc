// "Densely Connected Convolutional Networks" (2016), table 1, with torchvision's names: every layer
// sees the results of all layers of its block.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int kDensenetLayers[] = {6, 12, 24, 16};
constexpr int64_t kGrowth = 32;
constexpr double kBeforePool = 1.73;  // So that after the mean of four it is about 1 again.

// Batch norm and relu come in front of each convolution.
Value* norm_relu(NetworkBuilder& b, Value* x, const std::string& name, const std::string& number) {
  x = b.batch_norm(x, name + "norm" + number);
  return b.activation(x, Nonlinearity::Relu, name + "relu" + number);
}

Value* dense_block(NetworkBuilder& b, Value* x, int layers, const std::string& name) {
  std::vector<Value*> features = {x};
  for (int i = 1; i <= layers; ++i) {
    const std::string layer = str(name, ".denselayer", i, ".");
    Value* y = i == 1 ? x : b.concat(features, 1, layer + "concat");
    y = b.conv(norm_relu(b, y, layer, "1"), {.channels = 4 * kGrowth}, layer + "conv1");
    y = b.conv(norm_relu(b, y, layer, "2"), {.channels = kGrowth, .kernel = 3}, layer + "conv2");
    features.push_back(y);
  }
  return b.concat(features, 1, name + ".concat");
}

Graph build_densenet(uint64_t seed) {
  NetworkBuilder b("densenet121", seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  x = b.conv(x, {.channels = 2 * kGrowth, .kernel = 7, .stride = 2}, "features.conv0");
  x = b.max_pool(norm_relu(b, x, "features.", "0"), 3, 2, "features.pool0");
  int block = 0;
  for (const int layers : kDensenetLayers) {
    if (block > 0) {
      const std::string name = str("features.transition", block, ".");
      const int64_t half = NetworkBuilder::channels(x) / 2;
      const Conv conv = {.channels = half, .deviation = kBeforePool};
      x = b.conv(norm_relu(b, x, name, ""), conv, name + "conv");
      x = b.average_pool(x, 2, 2, name + "pool");
    }
    x = dense_block(b, x, layers, str("features.denseblock", ++block));
  }
  x = norm_relu(b, x, "features.", "5");
  x = b.flatten(b.global_average_pool(x, "avgpool"), "flatten");
  return b.finish(b.linear(x, 1000, "classifier"), "logits");
}

}  // namespace

// torchvision's model page (DenseNet121_Weights: num_params, _ops).
extern const NetworkDef network_densenet121 = {
    .name = "densenet121",
    .summary = "DenseNet-121 (2016), ImageNet, 224x224.",
    .published_parameters = 7978856,
    .published_macs = 2.834e9,
    .build = build_densenet,
};

}  // namespace hone
