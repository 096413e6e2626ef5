// The image classifier of MLPerf Tiny (mlcommons/tiny,
// training/image_classification/keras_model.py): "Deep Residual Learning for Image Recognition"
// (2015) cut to three stacks of one block.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

// The shortcut has a convolution, without batch norm, where the shape changes.
Value* stack(NetworkBuilder& b, Value* x, int64_t channels, int64_t stride,
             const std::string& name) {
  Conv conv = {
      .channels = channels, .kernel = 3, .stride = stride, .padding = Padding::Same, .bias = true};
  Value* y = b.conv_bn(x, conv, Nonlinearity::Relu, name + ".conv1", 1e-3);
  conv.stride = 1;
  y = b.conv_bn(y, conv, Nonlinearity::None, name + ".conv2", 1e-3);
  if (stride != 1) {
    const Conv shortcut = {
        .channels = channels, .stride = stride, .padding = Padding::Same, .bias = true};
    x = b.conv(x, shortcut, name + ".shortcut");
  }
  return b.activation(b.apply("add", {x, y}, name + ".add"), Nonlinearity::Relu, name + ".relu");
}

Graph build_resnet8(uint64_t seed) {
  NetworkBuilder b("resnet8", seed);
  Value* x = b.input("input", {1, 3, 32, 32});
  const Conv stem = {.channels = 16, .kernel = 3, .bias = true};
  x = b.conv_bn(x, stem, Nonlinearity::Relu, "stem", 1e-3);
  x = stack(b, x, 16, 1, "stack.0");
  x = stack(b, x, 32, 2, "stack.1");
  x = stack(b, x, 64, 2, "stack.2");
  x = b.average_pool(x, 8, 8, "pool");
  x = b.linear(b.flatten(x, "flatten"), 10, "classifier");
  return b.finish(b.softmax(x, "softmax"), "output");
}

}  // namespace

// Counted by hand from the reference's layers, without the batch norms' statistics. Its published
// .tflite file, with the norms folded, is about the size of the 77,706 numbers that leaves.
extern const NetworkDef network_resnet8 = {
    .name = "resnet8",
    .summary = "Image classification of MLPerf Tiny: ResNet-8, CIFAR-10, 32x32.",
    .published_parameters = 78186,
    .published_macs = 12501632,
    .build = build_resnet8,
};

}  // namespace hone
