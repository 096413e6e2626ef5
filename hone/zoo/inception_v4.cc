// "Inception-v4, Inception-ResNet and the Impact of Residual Connections on Learning" (2016),
// figures 3 to 9, with the names of timm.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr Padding kValid = Padding::Valid;

// Modules are numbered as they come; a branch is a chain of convolutions.
class InceptionV4 {
 public:
  explicit InceptionV4(uint64_t seed) : b_("inception_v4", seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 299, 299});
    x = stem(x);
    for (int i = 0; i < 4; ++i) x = inception_a(x);
    x = reduction_a(x);
    for (int i = 0; i < 7; ++i) x = inception_b(x);
    x = reduction_b(x);
    for (int i = 0; i < 3; ++i) x = inception_c(x);
    x = b_.flatten(b_.global_average_pool(x, "global_pool"), "flatten");
    return b_.finish(b_.linear(x, 1000, "last_linear"), "logits");
  }

 private:
  void begin_module() { name_ = str("features.", module_++); }

  Value* conv(Value* x, const Conv& conv, const std::string& name) {
    return b_.conv_bn(x, conv, Nonlinearity::Relu, name, 1e-3);
  }

  Value* branch(Value* x, std::string_view part, const std::vector<Conv>& convs) {
    for (size_t i = 0; i < convs.size(); ++i) x = conv(x, convs[i], str(name_, ".", part, ".", i));
    return x;
  }

  Value* pooled(Value* x) { return b_.max_pool(x, 3, 2, name_ + ".maxpool", kValid); }

  Value* smoothed(Value* x, int64_t channels) {
    return branch(b_.smooth(x, 3, name_ + ".branch3.pool"), "branch3", {{.channels = channels}});
  }

  Value* concat(const std::vector<Value*>& parts) { return b_.concat(parts, 1, name_ + ".concat"); }

  Value* stem(Value* x) {
    begin_module();
    x = conv(x, {.channels = 32, .kernel = 3, .stride = 2, .padding = kValid}, name_);
    begin_module();
    x = conv(x, {.channels = 32, .kernel = 3, .padding = kValid}, name_);
    begin_module();
    x = conv(x, {.channels = 64, .kernel = 3}, name_);
    begin_module();
    const Conv half = {.channels = 96, .kernel = 3, .stride = 2, .padding = kValid};
    x = concat({pooled(x), branch(x, "conv", {half})});
    begin_module();
    const Conv last = {.channels = 96, .kernel = 3, .padding = kValid};
    Value* straight = branch(x, "branch0", {{.channels = 64}, last});
    Value* crossed = branch(x, "branch1",
                            {{.channels = 64},
                             {.channels = 64, .kernel = 1, .kernel_w = 7},
                             {.channels = 64, .kernel = 7, .kernel_w = 1},
                             last});
    x = concat({straight, crossed});
    begin_module();
    const Conv quarter = {.channels = 192, .kernel = 3, .stride = 2, .padding = kValid};
    return concat({branch(x, "conv", {quarter}), pooled(x)});
  }

  Value* inception_a(Value* x) {
    begin_module();
    const Conv threes = {.channels = 96, .kernel = 3};
    return concat({branch(x, "branch0", {{.channels = 96}}),
                   branch(x, "branch1", {{.channels = 64}, threes}),
                   branch(x, "branch2", {{.channels = 64}, threes, threes}), smoothed(x, 96)});
  }

  Value* reduction_a(Value* x) {
    begin_module();
    const Conv wide = {.channels = 384, .kernel = 3, .stride = 2, .padding = kValid};
    const Conv last = {.channels = 256, .kernel = 3, .stride = 2, .padding = kValid};
    return concat({branch(x, "branch0", {wide}),
                   branch(x, "branch1", {{.channels = 192}, {.channels = 224, .kernel = 3}, last}),
                   pooled(x)});
  }

  Value* inception_b(Value* x) {
    begin_module();
    Value* sevens = branch(x, "branch1",
                           {{.channels = 192},
                            {.channels = 224, .kernel = 1, .kernel_w = 7},
                            {.channels = 256, .kernel = 7, .kernel_w = 1}});
    Value* twice = branch(x, "branch2",
                          {{.channels = 192},
                           {.channels = 192, .kernel = 7, .kernel_w = 1},
                           {.channels = 224, .kernel = 1, .kernel_w = 7},
                           {.channels = 224, .kernel = 7, .kernel_w = 1},
                           {.channels = 256, .kernel = 1, .kernel_w = 7}});
    return concat({branch(x, "branch0", {{.channels = 384}}), sevens, twice, smoothed(x, 128)});
  }

  Value* reduction_b(Value* x) {
    begin_module();
    const Conv narrow = {.channels = 192, .kernel = 3, .stride = 2, .padding = kValid};
    const Conv last = {.channels = 320, .kernel = 3, .stride = 2, .padding = kValid};
    Value* sevens = branch(x, "branch1",
                           {{.channels = 256},
                            {.channels = 256, .kernel = 1, .kernel_w = 7},
                            {.channels = 320, .kernel = 7, .kernel_w = 1},
                            last});
    return concat({branch(x, "branch0", {{.channels = 192}, narrow}), sevens, pooled(x)});
  }

  // Two branches end in a row and a column of three side by side.
  Value* inception_c(Value* x) {
    begin_module();
    const Conv row = {.channels = 256, .kernel = 1, .kernel_w = 3};
    const Conv column = {.channels = 256, .kernel = 3, .kernel_w = 1};
    Value* single = branch(x, "branch1_0", {{.channels = 384}});
    Value* twice = branch(x, "branch2_0",
                          {{.channels = 384},
                           {.channels = 448, .kernel = 3, .kernel_w = 1},
                           {.channels = 512, .kernel = 1, .kernel_w = 3}});
    return concat({branch(x, "branch0", {{.channels = 256}}), branch(single, "branch1_1a", {row}),
                   branch(single, "branch1_1b", {column}), branch(twice, "branch2_3a", {row}),
                   branch(twice, "branch2_3b", {column}), smoothed(x, 256)});
  }

  NetworkBuilder b_;
  int module_ = 0;
  std::string name_;
};

}  // namespace

// timm's model card (inception_v4.tf_in1k): 42.7 M parameters, 12.3 GMACs.
extern const NetworkDef network_inception_v4 = {
    .name = "inception_v4",
    .summary = "Inception v4 (2016), ImageNet, 299x299.",
    .published_parameters = 42.7e6,
    .published_macs = 12.3e9,
    .build = [](uint64_t seed) { return InceptionV4(seed).build(); },
};

}  // namespace hone
