// The depthwise separable network of "Hello Edge: Keyword Spotting on Microcontrollers" (2017), in
// the size MLPerf Tiny uses (mlcommons/tiny, training/keyword_spotting/keras_model.py).

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kFilters = 64;

Graph build_ds_cnn(uint64_t seed) {
  NetworkBuilder b("ds_cnn_kws", seed);
  Value* x = b.input("input", {1, 1, 49, 10});  // 49 frames of 10 cepstral coefficients.
  const Conv stem = {.channels = kFilters,
                     .kernel = 10,
                     .stride = 2,
                     .padding = Padding::Same,
                     .bias = true,
                     .kernel_w = 4};
  const Conv depthwise = {.channels = kFilters, .kernel = 3, .groups = kFilters, .bias = true};
  const Conv pointwise = {.channels = kFilters, .bias = true};
  x = b.conv_bn(x, stem, Nonlinearity::Relu, "stem", 1e-3);
  for (int i = 0; i < 4; ++i) {
    x = b.conv_bn(x, depthwise, Nonlinearity::Relu, str("block.", i, ".depthwise"), 1e-3);
    x = b.conv_bn(x, pointwise, Nonlinearity::Relu, str("block.", i, ".pointwise"), 1e-3);
  }
  // Half of 49 rounded down, so the reference leaves the last of the 25 rows out.
  x = b.average_pool(x, 24, 5, "pool");
  x = b.linear(b.flatten(x, "flatten"), 12, "classifier");
  return b.finish(b.softmax(x, "softmax"), "output");
}

}  // namespace

// Parameters: what Keras prints for the reference (24,908, of which the batch norms' statistics are
// 1,152). MACs: counted by hand from the reference's layers; MLPerf Tiny states none.
extern const NetworkDef network_ds_cnn_kws = {
    .name = "ds_cnn_kws",
    .summary = "Keyword spotting of MLPerf Tiny: DS-CNN, 49x10 features, 12 classes.",
    .published_parameters = 23756,
    .published_macs = 2656768,
    .build = build_ds_cnn,
};

}  // namespace hone
