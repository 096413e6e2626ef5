// "A ConvNet for the 2020s" (2022), with torchvision's names. As torchvision exports it, the two
// pointwise layers of a block are matrix products over the last axis, between transposes.

#include <array>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr double kConvnextEpsilon = 1e-6;

struct ConvnextVariant {
  std::string_view name;
  std::array<int, 4> depths;
  int64_t width;  // Of the first stage; doubles from stage to stage.
};

class ConvNext {
 public:
  ConvNext(const ConvnextVariant& variant, uint64_t seed)
      : variant_(variant), b_(variant.name, seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 224, 224});
    x = conv(x, {.channels = variant_.width, .kernel = 4, .stride = 4}, "features.0.0");
    x = norm(x, "features.0.1");
    for (size_t stage = 0; stage < variant_.depths.size(); ++stage) {
      if (stage > 0) x = halve(x, str("features.", 2 * stage));
      for (int i = 0; i < variant_.depths[stage]; ++i) {
        x = block(x, str("features.", 2 * stage + 1, ".", i));
      }
    }
    x = norm(b_.global_average_pool(x, "avgpool"), "classifier.0");
    return b_.finish(b_.linear(b_.flatten(x, "classifier.1"), 1000, "classifier.2"), "logits");
  }

 private:
  Value* conv(Value* x, Conv options, const std::string& name) {
    options.bias = true;
    options.padding = Padding::Valid;
    return b_.conv(x, options, name);
  }

  Value* norm(Value* x, const std::string& name) {
    x = b_.transpose(x, {0, 2, 3, 1}, name + ".to_last");
    return b_.transpose(b_.layer_norm(x, name, kConvnextEpsilon), {0, 3, 1, 2}, name + ".back");
  }

  Value* halve(Value* x, const std::string& name) {
    const int64_t channels = 2 * NetworkBuilder::channels(x);
    return conv(norm(x, name + ".0"), {.channels = channels, .kernel = 2, .stride = 2},
                name + ".1");
  }

  Value* block(Value* x, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    Value* y =
        b_.conv(x, {.channels = n, .kernel = 7, .groups = n, .bias = true}, name + ".block.0");
    y = b_.transpose(y, {0, 2, 3, 1}, name + ".block.1");
    y = b_.layer_norm(y, name + ".block.2", kConvnextEpsilon);
    y = b_.apply("gelu", {b_.project(y, 4 * n, name + ".block.3")}, name + ".block.4");
    y = b_.transpose(b_.project(y, n, name + ".block.5"), {0, 3, 1, 2}, name + ".block.6");
    y = b_.apply("mul", {b_.factors(name + ".layer_scale", {n, 1, 1}, 0.2), y}, name + ".scale");
    return b_.apply("add", {y, x}, name + ".add");
  }

  const ConvnextVariant& variant_;
  NetworkBuilder b_;
};

constexpr ConvnextVariant kConvnextTiny = {"convnext_tiny", {3, 3, 9, 3}, 96};
constexpr ConvnextVariant kConvnextBase = {"convnext_base", {3, 3, 27, 3}, 128};

}  // namespace

// torchvision's model pages (ConvNeXt_*_Weights: num_params, _ops).
extern const NetworkDef network_convnext_tiny = {
    .name = "convnext_tiny",
    .summary = "ConvNeXt tiny (2022), ImageNet, 224x224.",
    .published_parameters = 28589128,
    .published_macs = 4.456e9,
    .build = [](uint64_t seed) { return ConvNext(kConvnextTiny, seed).build(); },
};

extern const NetworkDef network_convnext_base = {
    .name = "convnext_base",
    .summary = "ConvNeXt base (2022), ImageNet, 224x224.",
    .published_parameters = 88591464,
    .published_macs = 15.355e9,
    .build = [](uint64_t seed) { return ConvNext(kConvnextBase, seed).build(); },
};

}  // namespace hone
