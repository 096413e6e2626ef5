// "ImageNet Classification with Deep Convolutional Neural Networks" (2012) on one device, as Caffe's
// bvlc_alexnet has it: convolutions in two groups where the paper had two GPUs, and normalization
// across channels in front of the first two pools.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

class AlexNet {
 public:
  explicit AlexNet(uint64_t seed) : b_("alexnet", seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 227, 227});
    x = conv(x, {.channels = 96, .kernel = 11, .stride = 4, .padding = Padding::Valid}, "conv1");
    x = pool(norm(x, "norm1"), "pool1");
    x = conv(x, {.channels = 256, .kernel = 5, .groups = 2}, "conv2");
    x = pool(norm(x, "norm2"), "pool2");
    x = conv(x, {.channels = 384, .kernel = 3}, "conv3");
    x = conv(x, {.channels = 384, .kernel = 3, .groups = 2}, "conv4");
    x = conv(x, {.channels = 256, .kernel = 3, .groups = 2}, "conv5");
    x = b_.flatten(pool(x, "pool5"), "flatten");
    x = relu(b_.linear(x, 4096, "fc6"), "relu6");
    x = relu(b_.linear(x, 4096, "fc7"), "relu7");
    return b_.finish(b_.softmax(b_.linear(x, 1000, "fc8"), "prob"), "output");
  }

 private:
  Value* relu(Value* x, const std::string& name) {
    return b_.activation(x, Nonlinearity::Relu, name);
  }

  Value* conv(Value* x, Conv conv, const std::string& name) {
    conv.bias = true;
    return relu(b_.conv(x, conv, name), name + ".relu");
  }

  Value* norm(Value* x, const std::string& name) {
    return b_.apply("lrn", {x}, name, {{"size", int64_t{5}}});
  }

  Value* pool(Value* x, const std::string& name) {
    return b_.max_pool(x, 3, 2, name, Padding::Valid);
  }

  NetworkBuilder b_;
};

}  // namespace

// Counted from alexnet.param of ncnn's benchmark; the paper states 60 M parameters.
extern const NetworkDef network_alexnet = {
    .name = "alexnet",
    .summary = "AlexNet (2012) as in Caffe, ImageNet, 227x227.",
    .published_parameters = 60965224,
    .published_macs = 724406816,
    .build = [](uint64_t seed) { return AlexNet(seed).build(); },
};

}  // namespace hone
