// The anomaly detector of MLPerf Tiny (mlcommons/tiny, training/anomaly_detection/keras_model.py),
// which is the baseline of DCASE 2020 task 2: 5 frames of 128 mel bands through a bottleneck of 8.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kFeatures = 640;

Graph build_autoencoder(uint64_t seed) {
  NetworkBuilder b("autoencoder", seed);
  Value* x = b.input("input", {1, kFeatures});
  int layer = 0;
  for (const int64_t width : {128, 128, 128, 128, 8, 128, 128, 128, 128}) {
    const std::string name = str("layer.", layer++);
    x = b.linear(x, width, name + ".0");
    x = b.batch_norm(x, name + ".1", 1e-3);
    x = b.activation(x, Nonlinearity::Relu, name + ".2");
  }
  return b.finish(b.linear(x, kFeatures, str("layer.", layer)), "output");
}

}  // namespace

// Counted by hand from the reference's layers, without the batch norms' statistics. Its published
// .tflite file, with the norms folded, is about the size of the 265,864 numbers that leaves.
extern const NetworkDef network_autoencoder = {
    .name = "autoencoder",
    .summary = "Anomaly detection of MLPerf Tiny: dense autoencoder, 640 features.",
    .published_parameters = 267928,
    .published_macs = 264192,
    .build = build_autoencoder,
};

}  // namespace hone
