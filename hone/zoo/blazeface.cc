// "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs" (2019): the features, which are
// what ncnn's benchmark runs (blazeface.param). Shortcuts are widened with zeros; batch norms are
// folded in what was published.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct BlazeBlock {
  int64_t channels;
  int64_t stride = 1;
  int repeats = 1;
};
constexpr BlazeBlock kBlazeBlocks[] = {{24}, {28}, {32, 2}, {36}, {42},    {48, 2},   {56},
                                       {64}, {72}, {80},    {88}, {96, 2}, {96, 1, 4}};

Value* widen(NetworkBuilder& b, Value* x, int64_t channels, const std::string& name) {
  const int64_t more = channels - NetworkBuilder::channels(x);
  if (more == 0) return x;
  const Ints pads = {0, 0, 0, 0, 0, more, 0, 0};
  return b.apply("pad", {x, b.constant(name + ".pads", Tensor::of_ints(pads))}, name);
}

Value* blaze_block(NetworkBuilder& b, Value* x, int64_t channels, int64_t stride,
                   const std::string& name) {
  const int64_t inputs = NetworkBuilder::channels(x);
  const Conv depthwise = {.channels = inputs,
                          .kernel = 3,
                          .stride = stride,
                          .groups = inputs,
                          .padding = Padding::Same,
                          .bias = true};
  Value* y = b.conv(x, depthwise, name + ".depthwise");
  // Half as large as x, so that long sums do not grow.
  y = b.conv(y, {.channels = channels, .bias = true, .deviation = 0.5}, name + ".pointwise");
  if (stride != 1) x = b.max_pool(x, stride, stride, name + ".pool", Padding::Valid);
  x = widen(b, x, channels, name + ".pad");
  return b.activation(b.apply("add", {y, x}, name + ".add"), Nonlinearity::Relu, name + ".relu");
}

Graph build_blazeface(uint64_t seed) {
  NetworkBuilder b("blazeface", seed);
  Value* x = b.input("input", {1, 3, 128, 128});
  const Conv stem = {
      .channels = 24, .kernel = 5, .stride = 2, .padding = Padding::Same, .bias = true};
  x = b.activation(b.conv(x, stem, "stem"), Nonlinearity::Relu, "stem.relu");
  int number = 0;
  for (const BlazeBlock& block : kBlazeBlocks) {
    for (int i = 0; i < block.repeats; ++i) {
      x = blaze_block(b, x, block.channels, block.stride, str("block.", number++));
    }
  }
  return b.finish(x, "features");
}

}  // namespace

// Counted from blazeface.param.
extern const NetworkDef network_blazeface = {
    .name = "blazeface",
    .summary = "BlazeFace (2019), the features, 128x128.",
    .published_parameters = 88470,
    .published_macs = 29368320,
    .build = build_blazeface,
};

}  // namespace hone
