// "SSD: Single Shot MultiBox Detector" (2016) on MobileNets, as TensorFlow's detection API builds
// it (tensorflow/models, research/object_detection: samples/configs/ssd*_mobilenet_v*_coco.config,
// 300x300, 90 classes and background). Results are box encodings and class scores of 1917 anchors;
// decoding them and suppressing what overlaps is left to the caller, as those models' .tflite files
// leave it to a custom operator.

#include "hone/zoo/mobilenet.h"
#include "hone/zoo/ssd.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

// Features below the backbone's two, each at half of the resolution of the one before.
constexpr int64_t kExtraChannels[] = {512, 256, 256, 128};

struct MobilenetSsdVariant {
  std::string_view name;
  bool lite = false;  // SSDLite: depthwise and pointwise convolutions where SSD has full ones.
  int64_t classes = 91;
  Nonlinearity activation = Nonlinearity::Relu6;
  bool softmax = false;
};

class MobilenetSsd {
 public:
  MobilenetSsd(const MobilenetSsdVariant& variant, uint64_t seed)
      : variant_(variant), b_(variant.name, seed) {}

  Graph build_on_v1(const Shape& image) {
    const MobileNetV1Options options = {.activation = variant_.activation};
    const std::vector<Value*> blocks = mobilenet_v1_blocks(b_, b_.input("input", image), options);
    return build(blocks[10], blocks[12]);
  }

  Graph build_on_v2(const Shape& image) {
    const MobileNetV2Features features = mobilenet_v2_features(b_, b_.input("input", image));
    return build(features.expanded, features.last);
  }

 private:
  // From the backbone's features at 1/16 and 1/32.
  Graph build(Value* fine, Value* coarse) {
    std::vector<Value*> maps = {fine, coarse};
    for (const int64_t channels : kExtraChannels) maps.push_back(extra(maps.back(), channels));
    SsdHead head(b_, variant_.classes, variant_.softmax);
    for (size_t i = 0; i < maps.size(); ++i) {
      const auto of = [&](const char* what) {
        if (!variant_.lite) return maps[i];
        return depthwise(maps[i], 1, str("predictor.", i, ".", what, ".depthwise"));
      };
      const SsdPredictor predictor = {.anchors = i == 0 ? 3 : 6};
      head.predict_boxes(of("boxes"), predictor);
      head.predict_classes(of("classes"), predictor);
    }
    return head.finish();
  }

  Value* layer(Value* x, Conv conv, const std::string& name) {
    conv.padding = Padding::Same;
    return b_.conv_bn(x, conv, variant_.activation, name, 1e-3);
  }

  Value* depthwise(Value* x, int64_t stride, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    return layer(x, {.channels = n, .kernel = 3, .stride = stride, .groups = n}, name);
  }

  Value* extra(Value* x, int64_t channels) {
    const std::string name = str("extra.", extras_++);
    x = layer(x, {.channels = channels / 2}, name + ".0");
    if (!variant_.lite) {
      return layer(x, {.channels = channels, .kernel = 3, .stride = 2}, name + ".1");
    }
    return layer(depthwise(x, 2, name + ".1"), {.channels = channels}, name + ".2");
  }

  const MobilenetSsdVariant& variant_;
  NetworkBuilder b_;
  int extras_ = 0;
};

constexpr MobilenetSsdVariant kSsdV1 = {"mobilenet_v1_ssd"};
constexpr MobilenetSsdVariant kSsdV1Voc = {.name = "mobilenet_v1_ssd_voc",
                                           .classes = 21,
                                           .activation = Nonlinearity::Relu,
                                           .softmax = true};
constexpr MobilenetSsdVariant kSsdV2 = {"mobilenet_v2_ssd"};
constexpr MobilenetSsdVariant kSsdLiteV2 = {"mobilenet_v2_ssdlite", true};

constexpr int64_t kSsdExtent = 300;

template <const MobilenetSsdVariant& variant>
Graph build_ssd_v1(const Shape& image, uint64_t seed) {
  return MobilenetSsd(variant, seed).build_on_v1(image);
}

template <const MobilenetSsdVariant& variant>
Graph build_ssd_v2(const Shape& image, uint64_t seed) {
  return MobilenetSsd(variant, seed).build_on_v2(image);
}

}  // namespace

// Open Model Zoo's page of ssd_mobilenet_v1_coco; two of its FLOPs to a MAC.
extern const NetworkDef network_mobilenet_v1_ssd = {
    .name = "mobilenet_v1_ssd",
    .summary = "SSD (2016) on MobileNet v1, COCO, 300x300, boxes not decoded.",
    .published_parameters = 6.807e6,
    .published_macs = 2.494e9 / 2,
    .sized = {.extent = kSsdExtent, .build = build_ssd_v1<kSsdV1>},
};

// chuanqi305/MobileNet-SSD, which Caffe's users and ncnn's benchmark run: 20 classes of Pascal VOC
// and background, relu, softmax. Counted from mobilenet_ssd.param, with two parameters to a channel
// whose batch norm that file has folded.
extern const NetworkDef network_mobilenet_v1_ssd_voc = {
    .name = "mobilenet_v1_ssd_voc",
    .summary = "SSD (2016) on MobileNet v1 as in Caffe, Pascal VOC, 300x300, boxes not decoded.",
    .published_parameters = 5796089,
    .published_macs = 1148479168,
    .sized = {.extent = kSsdExtent, .build = build_ssd_v1<kSsdV1Voc>},
};

// Counted by hand from ssd_mobilenet_v2_quantized_300x300_coco.config, which is what integer
// accelerators run: predictors are 1x1. Its .tflite file has about as many bytes.
extern const NetworkDef network_mobilenet_v2_ssd = {
    .name = "mobilenet_v2_ssd",
    .summary = "SSD (2016) on MobileNet v2, COCO, 300x300, boxes not decoded.",
    .published_parameters = 6066431,
    .published_macs = 772779056,
    .sized = {.extent = kSsdExtent, .build = build_ssd_v2<kSsdV2>},
};

// Parameters: Open Model Zoo's page of ssdlite_mobilenet_v2. MACs: half of the 1.5 GFLOPs that
// NXP's eIQ model zoo states; Open Model Zoo's 1.525 count more than convolutions.
extern const NetworkDef network_mobilenet_v2_ssdlite = {
    .name = "mobilenet_v2_ssdlite",
    .summary = "SSDLite on MobileNet v2 (2018), COCO, 300x300, boxes not decoded.",
    .published_parameters = 4.475e6,
    .published_macs = 1.5e9 / 2,
    .sized = {.extent = kSsdExtent, .build = build_ssd_v2<kSsdLiteV2>},
};

}  // namespace hone
