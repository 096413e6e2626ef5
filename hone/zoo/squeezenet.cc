// "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters" (2016) in version 1.1 of its
// authors' repository, which needs 2.4 times less arithmetic; with torchvision's names. And a
// detector on it (chuanqi305/SqueezeNet-SSD) as ncnn's benchmark runs it (squeezenet_ssd.param).

#include "hone/zoo/builder.h"
#include "hone/zoo/ssd.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

// Batch norms are only in the layers that the detector adds or trains anew.
struct FireNorms {
  bool squeeze = false;
  bool expand = false;
};

Value* fire(NetworkBuilder& b, Value* x, int64_t squeezed, int64_t expanded,
            const std::string& name, const FireNorms& norms = {}) {
  const auto conv = [&](Value* from, const Conv& options, bool norm, const std::string& part) {
    const std::string layer = str(name, ".", part);
    Value* y = b.conv(from, options, layer);
    if (norm) y = b.batch_norm(y, layer + ".bn");
    return b.activation(y, Nonlinearity::Relu, layer + "_activation");
  };
  Value* s = conv(x, {.channels = squeezed, .bias = true}, norms.squeeze, "squeeze");
  Value* ones = conv(s, {.channels = expanded, .bias = true}, norms.expand, "expand1x1");
  Value* threes =
      conv(s, {.channels = expanded, .kernel = 3, .bias = true}, norms.expand, "expand3x3");
  return b.concat({ones, threes}, 1, name + ".concat");
}

Value* squeezenet_pool(NetworkBuilder& b, Value* x, const std::string& name) {
  return b.max_pool(x, 3, 2, name, Padding::Valid, true);
}

struct SqueezenetFeatures {
  Value* fine = nullptr;    // At 1/8.
  Value* coarse = nullptr;  // At 1/16.
};

SqueezenetFeatures squeezenet_features(NetworkBuilder& b, Value* x, const FireNorms& last = {}) {
  SqueezenetFeatures features;
  const Conv stem = {
      .channels = 64, .kernel = 3, .stride = 2, .padding = Padding::Valid, .bias = true};
  x = b.activation(b.conv(x, stem, "features.0"), Nonlinearity::Relu, "features.1");
  x = squeezenet_pool(b, x, "features.2");
  x = fire(b, x, 16, 64, "features.3");
  x = fire(b, x, 16, 64, "features.4");
  x = squeezenet_pool(b, x, "features.5");
  x = fire(b, x, 32, 128, "features.6");
  features.fine = fire(b, x, 32, 128, "features.7");
  x = squeezenet_pool(b, features.fine, "features.8");
  x = fire(b, x, 48, 192, "features.9");
  x = fire(b, x, 48, 192, "features.10");
  x = fire(b, x, 64, 256, "features.11");
  features.coarse = fire(b, x, 64, 256, "features.12", last);
  return features;
}

Graph build_squeezenet(uint64_t seed) {
  NetworkBuilder b("squeezenet", seed);
  Value* x = squeezenet_features(b, b.input("input", {1, 3, 224, 224})).coarse;
  x = b.conv(x, {.channels = 1000, .bias = true}, "classifier.1");
  x = b.activation(x, Nonlinearity::Relu, "classifier.2");
  return b.finish(b.flatten(b.global_average_pool(x, "classifier.3"), "flatten"), "logits");
}

// The last 1x1 has a border of zeros, as in the authors' prototxt: two more rows and columns.
Graph build_squeezenet_caffe(uint64_t seed) {
  NetworkBuilder b("squeezenet_caffe", seed);
  Value* x = squeezenet_features(b, b.input("input", {1, 3, 227, 227})).coarse;
  const Ints border = {0, 0, 1, 1, 0, 0, 1, 1};
  x = b.apply("pad", {x, b.constant("border.pads", Tensor::of_ints(border))}, "border");
  x = b.conv(x, {.channels = 1000, .bias = true}, "conv10");
  x = b.activation(x, Nonlinearity::Relu, "relu10");
  x = b.flatten(b.global_average_pool(x, "pool10"), "flatten");
  return b.finish(b.softmax(x, "prob"), "output");
}

// Halves x; the 1x1 before keeps the 3x3 small.
Value* squeezenet_extra(NetworkBuilder& b, Value* x, int64_t channels, const std::string& name) {
  x = b.conv_bn(x, {.channels = channels / 2}, Nonlinearity::Relu, name + ".1");
  return b.conv_bn(x, {.channels = channels, .kernel = 3, .stride = 2}, Nonlinearity::Relu,
                   name + ".2");
}

Graph build_squeezenet_ssd(const Shape& image, uint64_t seed) {
  NetworkBuilder b("squeezenet_ssd", seed);
  const FireNorms norms = {.squeeze = true, .expand = true};
  const SqueezenetFeatures features =
      squeezenet_features(b, b.input("input", image), {.expand = true});
  std::vector<Value*> maps = {features.coarse};
  for (const char* name : {"fire10", "fire11"}) {
    Value* pooled = squeezenet_pool(b, maps.back(), str(name, ".pool"));
    maps.push_back(fire(b, pooled, 96, 384, name, norms));
  }
  maps.push_back(squeezenet_extra(b, maps.back(), 256, "conv12"));
  maps.push_back(squeezenet_extra(b, maps.back(), 128, "conv13"));
  maps.insert(maps.begin(), b.batch_norm(features.fine, "fine.bn"));
  SsdHead head(b, 21, true);
  for (size_t i = 0; i < maps.size(); ++i) {
    const bool end = i == 0 || i + 1 == maps.size();
    const SsdPredictor predictor = {.anchors = end ? 4 : 6, .kernel = 3};
    head.predict_boxes(maps[i], predictor);
    head.predict_classes(maps[i], predictor);
  }
  return head.finish();
}

}  // namespace

// torchvision's model page (SqueezeNet1_1_Weights: num_params, _ops).
extern const NetworkDef network_squeezenet = {
    .name = "squeezenet",
    .summary = "SqueezeNet 1.1 (2016), ImageNet, 224x224.",
    .published_parameters = 1235496,
    .published_macs = 0.349e9,
    .build = build_squeezenet,
};

// Counted from squeezenet.param of ncnn's benchmark.
extern const NetworkDef network_squeezenet_caffe = {
    .name = "squeezenet_caffe",
    .summary = "SqueezeNet 1.1 (2016) as in Caffe, ImageNet, 227x227.",
    .published_parameters = 1235496,
    .published_macs = 418467520,
    .build = build_squeezenet_caffe,
};

// Counted from squeezenet_ssd.param. The smallest image is the one whose last map still has a cell.
extern const NetworkDef network_squeezenet_ssd = {
    .name = "squeezenet_ssd",
    .summary = "SSD (2016) on SqueezeNet 1.1, Pascal VOC, 300x300, boxes not decoded.",
    .published_parameters = 5530656,
    .published_macs = 1175969984,
    .sized = {.extent = 300, .smallest = 97, .build = build_squeezenet_ssd},
};

}  // namespace hone
