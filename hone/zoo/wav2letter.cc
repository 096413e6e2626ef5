// "Wav2Letter: an End-to-End ConvNet-based Speech Recognition System" (2016) in the form of Arm's
// published files (ARM-software/ML-zoo, wav2letter.py): convolutions over time, 296 frames of 39
// cepstral features to 148 distributions over 29 letters. Features are channels, time is the width.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

Graph build_wav2letter(uint64_t seed) {
  NetworkBuilder b("wav2letter", seed);
  int layer = 0;
  const auto conv = [&](Value* x, int64_t channels, int64_t frames, int64_t stride = 1) {
    const std::string name = str("conv.", layer++);
    const Conv over_time = {.channels = channels,
                            .kernel = 1,
                            .stride = stride,
                            .padding = Padding::Same,
                            .bias = true,
                            .kernel_w = frames};
    return b.leaky_relu(b.conv(x, over_time, name), 0.2, name + ".activation");
  };
  Value* x = b.input("input", {1, 39, 1, 296});
  x = conv(x, 250, 48, 2);
  for (int i = 0; i < 7; ++i) x = conv(x, 250, 7);
  x = conv(x, 2000, 32);
  x = conv(x, 2000, 1);
  return b.finish(b.conv(x, {.channels = 29, .bias = true}, str("conv.", layer)), "letters");
}

}  // namespace

// MACs: half of the 6,982 million operations that NXP's eIQ model zoo states. Parameters: counted
// by hand from the reference's layers.
extern const NetworkDef network_wav2letter = {
    .name = "wav2letter",
    .summary = "Wav2Letter (2016), speech to letters, 296 frames of 39 features.",
    .published_parameters = 23594529,
    .published_macs = 6982e6 / 2,
    .build = build_wav2letter,
};

}  // namespace hone
