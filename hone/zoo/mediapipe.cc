// MediaPipe's detectors as AI Hub runs them from zmurez/MediaPipePyTorch (BlazeFace for the back
// camera, its landmarks, BlazePose), and its portrait segmentation as in quic/ai-hub-models
// (mediapipe_selfie). Batch norms are folded in what is published.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

class MediaPipeBlaze {
 public:
  MediaPipeBlaze(std::string_view name, int64_t kernel, bool prelu, uint64_t seed)
      : kernel_(kernel), prelu_(prelu), b_(name, seed) {}

  Graph face() {
    Value* x = b_.input("input", {1, 3, 256, 256});
    x = active(conv(x, 24, 5, 2, "stem"), "stem.relu");
    x = repeated(x, 24, 7);
    for (const int64_t channels : {24, 48, 96}) {
      x = repeated(block(x, channels, 2), channels, 7);
    }
    Value* last = active(separable(x, 96, 2, "final"), "final.relu");
    return heads(x, last, 16, {2, 6});
  }

  Graph face_landmark() {
    Value* x = b_.input("input", {1, 3, 192, 192});
    x = active(conv(x, 16, 3, 2, "stem"), "stem.relu");
    x = repeated(x, 16, 2);
    for (const int64_t channels : {32, 64, 128, 128}) {
      x = repeated(block(x, channels, 2), channels, 2);
    }
    Value* points = conv_last(repeated(block(x, 128, 2), 128, 2), 3 * 468, "points");
    points = b_.reshape(points, {0, 468, 3}, "points.reshape");
    points = b_.apply("div", {points, b_.scalar(192)}, "points.scale");
    Value* flag = b_.apply("sigmoid", {conv_last(block(x, 128, 2), 1, "flag")}, "flag.sigmoid");
    return b_.finish({{b_.flatten(flag, "flag.flatten"), "score"}, {points, "landmarks"}});
  }

  Graph pose() {
    Value* x = b_.input("input", {1, 3, 128, 128});
    x = active(conv(x, 48, 5, 1, "stem"), "stem.relu");
    x = repeated(x, 48, 3);
    x = repeated(block(x, 64, 2), 64, 3);
    x = repeated(block(x, 96, 2), 96, 6);
    x = repeated(block(x, 128, 2), 128, 7);
    Value* last = repeated(block(x, 256, 2), 256, 6);
    return heads(x, last, 12, {2, 6});
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name) {
    const Conv options = {.channels = channels,
                          .kernel = kernel,
                          .stride = stride,
                          .padding = Padding::Same,
                          .bias = true};
    return b_.conv(x, options, name);
  }

  Value* active(Value* x, const std::string& name) {
    if (!prelu_) return b_.activation(x, Nonlinearity::Relu, name);
    Value* slopes = b_.factors(name + ".weight", {NetworkBuilder::channels(x), 1, 1}, 0.2);
    return b_.apply("prelu", {x, slopes}, name);
  }

  Value* separable(Value* x, int64_t channels, int64_t stride, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    const Conv depthwise = {.channels = n,
                            .kernel = kernel_,
                            .stride = stride,
                            .groups = n,
                            .padding = Padding::Same,
                            .bias = true};
    return conv(b_.conv(x, depthwise, name + ".dw"), channels, 1, 1, name + ".pw");
  }

  // The shortcut gets its channels by zeros, or with large kernels by a convolution.
  Value* block(Value* x, int64_t channels, int64_t stride) {
    const std::string name = str("block.", number_++);
    Value* y = separable(x, channels, stride, name);
    if (stride == 2) x = b_.max_pool(x, 2, 2, name + ".pool", Padding::Valid);
    const int64_t missing = channels - NetworkBuilder::channels(x);
    if (missing > 0 && kernel_ == 3) {
      const Ints pads = {0, 0, 0, 0, 0, missing, 0, 0};
      x = b_.apply("pad", {x, b_.constant(name + ".pads", Tensor::of_ints(pads))}, name + ".pad");
    } else if (missing > 0) {
      x = conv(x, channels, 1, 1, name + ".skip_proj");
    }
    return active(b_.apply("add", {y, x}, name + ".add"), name + ".act");
  }

  Value* repeated(Value* x, int64_t channels, int times) {
    for (int i = 0; i < times; ++i) x = block(x, channels, 1);
    return x;
  }

  Value* conv_last(Value* x, int64_t channels, const std::string& name) {
    x = active(conv(x, 32, 1, 1, name + ".reduce"), name + ".reduce.act");
    x = block(x, 32, 1);
    const Conv last = {.channels = channels, .kernel = 3, .padding = Padding::Valid, .bias = true};
    return b_.conv(x, last, name);
  }

  // [batch, boxes, values] of both scales.
  Value* head(Value* first, Value* second, int64_t values, const Ints& boxes,
              const std::string& name) {
    std::vector<Value*> parts;
    for (Value* x : {first, second}) {
      const size_t i = parts.size();
      const std::string part = str(name, ".", i);
      Value* y = b_.transpose(conv(x, boxes[i] * values, 1, 1, part), {0, 2, 3, 1}, part + ".last");
      parts.push_back(b_.reshape(y, {0, -1, values}, part + ".reshape"));
    }
    return b_.concat(parts, 1, name + ".concat");
  }

  Graph heads(Value* first, Value* second, int64_t values, const Ints& boxes) {
    return b_.finish({{head(first, second, values, boxes, "regressor"), "box_coords"},
                      {head(first, second, 1, boxes, "classifier"), "box_scores"}});
  }

  int64_t kernel_;
  bool prelu_;
  NetworkBuilder b_;
  int number_ = 0;
};

// After MobileNet v3: gates in the encoder, and a decoder whose shortcuts are gated by both sides.
class MediaPipeSelfie {
 public:
  explicit MediaPipeSelfie(uint64_t seed) : b_("mediapipe_selfie", seed) {}

  Graph build() {
    Value* image = b_.input("input", {1, 3, 256, 256});
    Value* half = swish(conv(image, {.channels = 16, .kernel = 3, .stride = 2}));
    Value* x = relu(conv(half, {.channels = 16}));
    Value* quarter = conv(gate(relu(depthwise(x, 3, 2)), 8), {.channels = 16});
    x = relu(depthwise(relu(conv(quarter, {.channels = 72})), 3, 2));
    Value* y = conv(x, {.channels = 24});
    x = relu(depthwise(relu(conv(y, {.channels = 88})), 3, 1));
    Value* eighth = add(conv(x, {.channels = 24}), y);
    x = middle(eighth, 96, 2, 24, false);
    for (const int64_t n : {128, 128, 96, 96}) x = middle(x, n, 1, n / 4, true);
    x = mul(relu(conv(x, {.channels = 128})), sigmoid(conv(pooled(x), {.channels = 128})));
    x = up(x, eighth, 24);
    x = up(x, quarter, 16);
    x = up(x, half, 16);
    const Conv last = {
        .channels = 1, .kernel = 2, .stride = 2, .padding = Padding::Valid, .bias = true};
    return b_.finish(sigmoid(b_.conv_transpose(x, last, next("transpose"))), "mask");
  }

 private:
  std::string next(std::string_view what) { return str(what, ".", number_++); }

  Value* conv(Value* x, Conv options) {
    options.bias = true;
    return b_.conv(x, options, next("conv"));
  }
  Value* depthwise(Value* x, int64_t kernel, int64_t stride) {
    const int64_t n = NetworkBuilder::channels(x);
    return conv(x, {.channels = n, .kernel = kernel, .stride = stride, .groups = n});
  }
  Value* relu(Value* x) { return b_.activation(x, Nonlinearity::Relu, next("relu")); }
  Value* swish(Value* x) { return b_.activation(x, Nonlinearity::HardSwish, next("hard_swish")); }
  Value* sigmoid(Value* x) { return b_.apply("sigmoid", {x}, next("sigmoid")); }
  Value* add(Value* x, Value* y) { return b_.apply("add", {x, y}, next("add")); }
  Value* mul(Value* x, Value* y) { return b_.apply("mul", {x, y}, next("mul")); }
  Value* pooled(Value* x) { return b_.global_average_pool(x, next("avgpool")); }

  Value* gate(Value* x, int64_t squeezed) {
    Value* y = relu(conv(pooled(x), {.channels = squeezed}));
    return mul(sigmoid(conv(y, {.channels = NetworkBuilder::channels(x)})), x);
  }

  Value* middle(Value* x, int64_t expanded, int64_t stride, int64_t squeezed, bool residual) {
    Value* y = swish(depthwise(swish(conv(x, {.channels = expanded})), 5, stride));
    y = conv(gate(y, squeezed), {.channels = 32});
    return residual ? add(y, x) : y;
  }

  Value* up(Value* x, Value* shortcut, int64_t channels) {
    x = b_.resize_like(x, shortcut, Resizing::Bilinear, next("upsample"));
    x = conv(x, {.channels = channels});
    Value* y = relu(conv(pooled(add(shortcut, x)), {.channels = channels}));
    y = sigmoid(conv(y, {.channels = channels}));
    x = relu(conv(add(x, mul(shortcut, y)), {.channels = channels}));
    return add(x, relu(depthwise(x, 3, 1)));
  }

  NetworkBuilder b_;
  int number_ = 0;
};

}  // namespace

// AI Hub states 135 k (face), 603 k (its landmarks), 815 k (pose) and 106 k (selfie) parameters. No
// MACs are published: those of a script over the layer lists.
extern const NetworkDef network_mediapipe_face = {
    .name = "mediapipe_face",
    .summary = "MediaPipe's face detector for the back camera, 256x256, boxes not decoded.",
    .published_parameters = 135e3,
    .published_macs = 188.7e6,
    .build = [](uint64_t seed) { return MediaPipeBlaze("mediapipe_face", 3, false, seed).face(); },
};

extern const NetworkDef network_mediapipe_face_landmark = {
    .name = "mediapipe_face_landmark",
    .summary = "MediaPipe's 468 landmarks of a face, 192x192.",
    .published_parameters = 603e3,
    .published_macs = 34.98e6,
    .build =
        [](uint64_t seed) {
          return MediaPipeBlaze("mediapipe_face_landmark", 3, true, seed).face_landmark();
        },
};

extern const NetworkDef network_mediapipe_pose = {
    .name = "mediapipe_pose",
    .summary = "MediaPipe's pose detector, 128x128, boxes not decoded.",
    .published_parameters = 815e3,
    .published_macs = 493.0e6,
    .build = [](uint64_t seed) { return MediaPipeBlaze("mediapipe_pose", 5, false, seed).pose(); },
};

extern const NetworkDef network_mediapipe_selfie = {
    .name = "mediapipe_selfie",
    .summary = "MediaPipe's segmentation of a person, 256x256.",
    .published_parameters = 106e3,
    .published_macs = 59.2e6,
    .build = [](uint64_t seed) { return MediaPipeSelfie(seed).build(); },
};

}  // namespace hone
