// Two detectors of AI Hub (quic/ai-hub-models, models/face_det_lite and models/foot_track_net): a
// backbone after MobileNet v3 with dense 3x3 convolutions, a top-down pyramid, and heads that give
// maps of centres, boxes and landmarks.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct DetLiteBlock {
  int64_t convs;  // 3x3 convolutions behind the expansion; the last has the stride.
  int64_t expanded;
  int64_t channels;
  bool gated;
  int64_t stride;
  bool kept = false;  // For the pyramid.
};
constexpr DetLiteBlock kFaceDetLite[] = {
    {1, 16, 16, false, 2}, {1, 64, 32, false, 2},       {1, 96, 32, false, 1, true},
    {2, 96, 32, true, 2},  {2, 224, 32, true, 1},       {2, 224, 32, true, 1},
    {2, 128, 64, true, 1}, {2, 160, 64, true, 1, true}, {2, 256, 96, true, 2}};
constexpr DetLiteBlock kFootTrackNet[] = {
    {1, 16, 16, false, 1},       {1, 64, 16, false, 2},  {1, 64, 16, false, 1, true},
    {2, 96, 32, true, 2},        {2, 96, 32, true, 1},   {2, 128, 32, true, 1, true},
    {1, 128, 64, false, 2},      {1, 128, 64, false, 1}, {1, 160, 64, false, 1},
    {1, 160, 64, false, 1},      {1, 256, 64, true, 1},  {1, 320, 64, true, 1},
    {2, 320, 64, true, 1, true}, {2, 320, 96, true, 2},  {2, 480, 96, true, 1}};

class DetLite {
 public:
  DetLite(std::string_view name, int64_t width, uint64_t seed) : width_(width), b_(name, seed) {}

  Graph face_det_lite() {
    Value* x = detect(pyramid(backbone(b_.input("input", {1, 1, 480, 640}), kFaceDetLite)));
    return b_.finish({{head(x, 1, false, "center"), "heatmap"},
                      {head(x, 4, false, "box"), "bbox"},
                      {head(x, 10, false, "landmark"), "landmark"}});
  }

  Graph foot_track_net() {
    Value* x = detect(pyramid(backbone(b_.input("input", {1, 3, 480, 640}), kFootTrackNet)));
    std::vector<Value*> centres, boxes;
    for (int i = 1; i <= 3; ++i) {
      centres.push_back(
          sigmoid(head(x, 1, true, str("heatmap", i)), str("heatmap", i, ".sigmoid")));
      boxes.push_back(head(x, 4, true, str("box", i)));
    }
    return b_.finish({{b_.concat(centres, 1, "heatmaps"), "heatmap"},
                      {b_.concat(boxes, 1, "boxes"), "bbox"},
                      {head(x, 34, true, "landmark"), "landmark"},
                      {sigmoid(head(x, 17, true, "landmark_vis"), "landmark_vis.sigmoid"),
                       "landmark_visibility"}});
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name) {
    return b_.conv_bn(x, {.channels = channels, .kernel = kernel, .stride = stride},
                      Nonlinearity::Relu, name);
  }

  Value* sigmoid(Value* x, const std::string& name) { return b_.apply("sigmoid", {x}, name); }

  Value* gate(Value* x, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    Value* y = conv(b_.global_average_pool(x, name + ".pool"), n / 4, 1, 1, name + ".reduce");
    y = b_.conv_bn(y, {.channels = n}, Nonlinearity::None, name + ".expand");
    return b_.apply("mul", {x, sigmoid(y, name + ".sigmoid")}, name);
  }

  Value* block(Value* x, const DetLiteBlock& options, const std::string& name) {
    Value* y = conv(x, options.expanded, 1, 1, name + ".conv1");
    for (int64_t i = 0; i < options.convs; ++i) {
      const int64_t stride = i + 1 == options.convs ? options.stride : 1;
      y = conv(y, options.channels, 3, stride, str(name, ".conv", i + 2));
    }
    if (options.gated) y = gate(y, name + ".se");
    if (options.stride != 1) return y;
    if (NetworkBuilder::channels(x) != options.channels) {
      x = b_.conv_bn(x, {.channels = options.channels}, Nonlinearity::None, name + ".shortcut");
    }
    return b_.apply("add", {y, x}, name + ".add");
  }

  // The features of the pyramid, the smallest last.
  template <size_t N>
  std::vector<Value*> backbone(Value* x, const DetLiteBlock (&blocks)[N]) {
    x = conv(x, 16, 3, 2, "bb.conv1");
    std::vector<Value*> kept;
    for (size_t i = 0; i < N; ++i) {
      x = block(x, blocks[i], str("bb.bneck.", i));
      if (blocks[i].kept) kept.push_back(x);
    }
    kept.push_back(x);
    return kept;
  }

  Value* pyramid(const std::vector<Value*>& features) {
    Value* x = conv(features.back(), width_, 1, 1, "conv3");
    for (size_t i = features.size() - 1; i-- > 0;) {
      x = conv(b_.upsample(x, str("up.", i, ".up")), width_, 3, 1, str("up.", i));
      Value* lateral = conv(features[i], width_, 1, 1, str("connect.", i));
      x = b_.apply("add", {x, lateral}, str("add.", i));
    }
    return x;
  }

  Value* detect(Value* x) {
    Value* up = conv(x, width_ / 2, 3, 1, "detect.upconv");
    Value* inner = conv(x, width_ / 4, 3, 1, "detect.context.inconv");
    Value* left = conv(inner, width_ / 4, 3, 1, "detect.context.upconv");
    Value* right = conv(inner, width_ / 4, 3, 1, "detect.context.downconv");
    right = conv(right, width_ / 4, 3, 1, "detect.context.downconv2");
    return b_.concat({up, b_.concat({left, right}, 1, "detect.context.concat")}, 1,
                     "detect.concat");
  }

  Value* head(Value* x, int64_t channels, bool extended, const std::string& name) {
    if (extended) x = conv(x, width_, 3, 1, name + ".ext");
    return b_.conv(x, {.channels = channels, .bias = true}, name + ".head");
  }

  int64_t width_;
  NetworkBuilder b_;
};

}  // namespace

// AI Hub states 878 k and 2.53 M parameters. No MACs are published: those of a script over the
// layer list.
extern const NetworkDef network_face_det_lite = {
    .name = "face_det_lite",
    .summary = "Face detection of AI Hub, grey 480x640, maps not decoded.",
    .published_parameters = 878e3,
    .published_macs = 1.408e9,
    .build = [](uint64_t seed) { return DetLite("face_det_lite", 32, seed).face_det_lite(); },
};

extern const NetworkDef network_foot_track_net = {
    .name = "foot_track_net",
    .summary = "Detection of persons, faces and feet of AI Hub, 480x640, maps not decoded.",
    .published_parameters = 2.53e6,
    .published_macs = 10.82e9,
    .build = [](uint64_t seed) { return DetLite("foot_track_net", 64, seed).foot_track_net(); },
};

}  // namespace hone
