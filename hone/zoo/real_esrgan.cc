// Real-ESRGAN x4plus (2021): RRDBNet (xinntao/BasicSR, rrdbnet_arch.py) of 23 blocks of three dense
// blocks, which makes an image four times as high and wide.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int kEsrganBlocks = 23;
constexpr int64_t kEsrganWidth = 64;
constexpr int64_t kEsrganGrowth = 32;

class RealEsrgan {
 public:
  explicit RealEsrgan(uint64_t seed) : b_("real_esrgan_x4plus", seed) {}

  Graph build() {
    Value* first = conv(b_.input("input", {1, 3, 128, 128}), kEsrganWidth, "conv_first");
    Value* x = first;
    for (int i = 0; i < kEsrganBlocks; ++i) x = block(x, str("body.", i));
    x = b_.apply("add", {first, conv(x, kEsrganWidth, "conv_body")}, "add_body");
    for (int i = 1; i <= 2; ++i) {
      x = b_.upsample(x, str("upsample", i));
      x = active(conv(x, kEsrganWidth, str("conv_up", i)), str("lrelu_up", i));
    }
    x = active(conv(x, kEsrganWidth, "conv_hr"), "lrelu_hr");
    return b_.finish(conv(x, 3, "conv_last"), "output");
  }

 private:
  Value* conv(Value* x, int64_t channels, const std::string& name) {
    return b_.conv(x, {.channels = channels, .kernel = 3, .bias = true}, name);
  }

  Value* active(Value* x, const std::string& name) { return b_.leaky_relu(x, 0.2, name); }

  // x + 0.2 y.
  Value* residual(Value* x, Value* y, const std::string& name) {
    y = b_.apply("mul", {y, b_.scalar(0.2f)}, name + ".scale");
    return b_.apply("add", {y, x}, name + ".add");
  }

  // Every layer sees x and the results of all before it.
  Value* dense(Value* x, const std::string& name) {
    Value* all = x;
    for (int i = 1; i <= 4; ++i) {
      const std::string part = str(name, ".conv", i);
      Value* y = active(conv(all, kEsrganGrowth, part), part + ".lrelu");
      all = b_.concat({all, y}, 1, part + ".concat");
    }
    return residual(x, conv(all, kEsrganWidth, name + ".conv5"), name);
  }

  Value* block(Value* x, const std::string& name) {
    Value* y = x;
    for (int i = 1; i <= 3; ++i) y = dense(y, str(name, ".rdb", i));
    return residual(x, y, name);
  }

  NetworkBuilder b_;
};

// Weights of the body meet every pixel of the input, those behind an enlargement 4 or 16 times.
constexpr double real_esrgan_macs() {
  constexpr double kPixels = 128 * 128;
  constexpr double kDense = 9 * (32 * (64 + 96 + 128 + 160) + 64 * 192);
  constexpr double kSame = 9 * 64 * 64;
  return kPixels * (9 * 3 * 64 + 3 * kEsrganBlocks * kDense + kSame + 4 * kSame + 16 * 2 * kSame +
                    16 * 9 * 64 * 3);
}

}  // namespace

// AI Hub states 16.7 M parameters. MACs in closed form.
extern const NetworkDef network_real_esrgan_x4plus = {
    .name = "real_esrgan_x4plus",
    .summary = "Real-ESRGAN x4plus (2021), 128x128 to 512x512.",
    .published_parameters = 16.7e6,
    .published_macs = real_esrgan_macs(),
    .build = [](uint64_t seed) { return RealEsrgan(seed).build(); },
};

}  // namespace hone
