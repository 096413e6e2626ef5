// "Rethinking the Inception Architecture for Computer Vision" (2015), with torchvision's names and
// without the classifier that only helps training.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

// A module's branches are chains of convolutions, numbered from 1.
class InceptionV3 {
 public:
  explicit InceptionV3(uint64_t seed) : b_("inception_v3", seed) {}

  Graph build() {
    Value* x = stem(b_.input("input", {1, 3, 299, 299}));
    x = module_a(x, 32, "Mixed_5b");
    x = module_a(x, 64, "Mixed_5c");
    x = module_a(x, 64, "Mixed_5d");
    x = module_b(x, "Mixed_6a");
    x = module_c(x, 128, "Mixed_6b");
    x = module_c(x, 160, "Mixed_6c");
    x = module_c(x, 160, "Mixed_6d");
    x = module_c(x, 192, "Mixed_6e");
    x = module_d(x, "Mixed_7a");
    x = module_e(x, "Mixed_7b");
    x = module_e(x, "Mixed_7c");
    x = b_.flatten(b_.global_average_pool(x, "avgpool"), "flatten");
    return b_.finish(b_.linear(x, 1000, "fc"), "logits");
  }

 private:
  static Conv square(int64_t channels, int64_t kernel) {
    return {.channels = channels, .kernel = kernel};
  }
  static Conv row(int64_t channels, int64_t extent) {
    return {.channels = channels, .kernel = 1, .kernel_w = extent};
  }
  static Conv column(int64_t channels, int64_t extent) {
    return {.channels = channels, .kernel = extent, .kernel_w = 1};
  }
  static Conv halving(int64_t channels) {
    return {.channels = channels, .kernel = 3, .stride = 2, .padding = Padding::Valid};
  }

  Value* conv(Value* x, const Conv& options, const std::string& name) {
    return b_.conv_bn(x, options, Nonlinearity::Relu, name, 1e-3);
  }

  Value* branch(Value* x, const std::vector<Conv>& convs, const std::string& name) {
    for (size_t i = 0; i < convs.size(); ++i) x = conv(x, convs[i], str(name, "_", i + 1));
    return x;
  }

  Value* pooled(Value* x, int64_t channels, const std::string& name) {
    return conv(b_.smooth(x, 3, name + ".pool"), {.channels = channels}, name + ".branch_pool");
  }

  Value* shrunk(Value* x, const std::string& name) {
    return b_.max_pool(x, 3, 2, name + ".pool", Padding::Valid);
  }

  Value* stem(Value* x) {
    const auto valid = [](int64_t channels) {
      return Conv{.channels = channels, .kernel = 3, .padding = Padding::Valid};
    };
    x = conv(x, halving(32), "Conv2d_1a_3x3");
    x = conv(x, valid(32), "Conv2d_2a_3x3");
    x = shrunk(conv(x, square(64, 3), "Conv2d_2b_3x3"), "maxpool1");
    x = conv(x, {.channels = 80}, "Conv2d_3b_1x1");
    return shrunk(conv(x, valid(192), "Conv2d_4a_3x3"), "maxpool2");
  }

  Value* module_a(Value* x, int64_t pool_channels, const std::string& name) {
    Value* ones = branch(x, {square(64, 1)}, name + ".branch1x1");
    Value* fives = branch(x, {square(48, 1), square(64, 5)}, name + ".branch5x5");
    Value* threes =
        branch(x, {square(64, 1), square(96, 3), square(96, 3)}, name + ".branch3x3dbl");
    return b_.concat({ones, fives, threes, pooled(x, pool_channels, name)}, 1, name + ".concat");
  }

  Value* module_b(Value* x, const std::string& name) {
    Value* threes = branch(x, {halving(384)}, name + ".branch3x3");
    Value* twice = branch(x, {square(64, 1), square(96, 3), halving(96)}, name + ".branch3x3dbl");
    return b_.concat({threes, twice, shrunk(x, name)}, 1, name + ".concat");
  }

  Value* module_c(Value* x, int64_t n, const std::string& name) {
    Value* ones = branch(x, {square(192, 1)}, name + ".branch1x1");
    Value* sevens = branch(x, {square(n, 1), row(n, 7), column(192, 7)}, name + ".branch7x7");
    Value* twice = branch(x, {square(n, 1), column(n, 7), row(n, 7), column(n, 7), row(192, 7)},
                          name + ".branch7x7dbl");
    return b_.concat({ones, sevens, twice, pooled(x, 192, name)}, 1, name + ".concat");
  }

  Value* module_d(Value* x, const std::string& name) {
    Value* threes = branch(x, {square(192, 1), halving(320)}, name + ".branch3x3");
    Value* sevens = branch(x, {square(192, 1), row(192, 7), column(192, 7), halving(192)},
                           name + ".branch7x7x3");
    return b_.concat({threes, sevens, shrunk(x, name)}, 1, name + ".concat");
  }

  // A row and a column of three side by side.
  Value* spread(Value* x, const std::string& name) {
    Value* across = conv(x, row(384, 3), name + "a");
    return b_.concat({across, conv(x, column(384, 3), name + "b")}, 1, name + ".concat");
  }

  Value* module_e(Value* x, const std::string& name) {
    Value* ones = branch(x, {square(320, 1)}, name + ".branch1x1");
    Value* threes = branch(x, {square(384, 1)}, name + ".branch3x3");
    Value* twice = branch(x, {square(448, 1), square(384, 3)}, name + ".branch3x3dbl");
    threes = spread(threes, name + ".branch3x3_2");
    twice = spread(twice, name + ".branch3x3dbl_3");
    return b_.concat({ones, threes, twice, pooled(x, 192, name)}, 1, name + ".concat");
  }

  NetworkBuilder b_;
};

}  // namespace

// torchvision's model page (Inception_V3_Weights): _ops 5.713; its num_params (27161264) have the
// second classifier in them. AI Hub states 23.9 M for the network without, Keras 23.85 M.
extern const NetworkDef network_inception_v3 = {
    .name = "inception_v3",
    .summary = "Inception v3 (2015), ImageNet, 299x299.",
    .published_parameters = 23.85e6,
    .published_macs = 5.713e9,
    .build = [](uint64_t seed) { return InceptionV3(seed).build(); },
};

}  // namespace hone
