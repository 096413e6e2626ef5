// RetinaNet ("Focal Loss for Dense Object Detection", 2017) on ResNeXt-50 with a feature pyramid, as
// in MLPerf Inference (mlcommons/inference, retinanet.py) with 264 classes of Open Images. Encoded
// boxes and class scores are the outputs; choosing among them is left to the host.

#include <map>

#include "hone/zoo/resnet.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kRetinaClasses = 264;
constexpr int64_t kRetinaAnchors = 9;
constexpr int64_t kRetinaWidth = 256;

class RetinaNet {
 public:
  explicit RetinaNet(uint64_t seed) : b_("retinanet", seed) {}

  Graph build() {
    const std::vector<Value*> stages =
        resnet_stages(b_, b_.input("input", {1, 3, 800, 800}), kResNext50);
    const std::vector<Value*> levels = pyramid({stages[1], stages[2], stages[3]});
    Value* boxes = head(levels, 4, "head.regression_head");
    Value* scores = head(levels, kRetinaClasses, "head.classification_head");
    scores = b_.apply("sigmoid", {scores}, "head.sigmoid");
    return b_.finish({{boxes, "box_encodings"}, {scores, "class_scores"}});
  }

 private:
  Value* conv(Value* x, int64_t channels, int64_t kernel, int64_t stride, const std::string& name) {
    return b_.conv(x, {.channels = channels, .kernel = kernel, .stride = stride, .bias = true},
                   name);
  }

  // From 1/8 to 1/128 of the resolution.
  std::vector<Value*> pyramid(const std::vector<Value*>& stages) {
    std::vector<Value*> levels(stages.size());
    Value* sum = nullptr;
    for (size_t i = stages.size(); i-- > 0;) {
      Value* inner = conv(stages[i], kRetinaWidth, 1, 1, str("fpn.inner_blocks.", i));
      if (sum != nullptr) {
        Value* above = b_.resize_like(sum, inner, Resizing::Nearest, str("fpn.upsample.", i));
        inner = b_.apply("add", {inner, above}, str("fpn.add.", i));
      }
      sum = inner;
      levels[i] = conv(sum, kRetinaWidth, 3, 1, str("fpn.layer_blocks.", i));
    }
    levels.push_back(conv(levels.back(), kRetinaWidth, 3, 2, "fpn.extra_blocks.p6"));
    Value* p6 = b_.activation(levels.back(), Nonlinearity::Relu, "fpn.extra_blocks.relu");
    levels.push_back(conv(p6, kRetinaWidth, 3, 2, "fpn.extra_blocks.p7"));
    return levels;
  }

  // The same weights at every level: [batch, boxes, values].
  Value* head(const std::vector<Value*>& levels, int64_t values, const std::string& name) {
    std::vector<Value*> parts;
    for (size_t level = 0; level < levels.size(); ++level) {
      const std::string part = str(name, ".", level);
      Value* x = levels[level];
      for (int i = 0; i < 4; ++i) {
        x = shared(x, kRetinaWidth, str(name, ".conv.", i), str(part, ".", i));
        x = b_.activation(x, Nonlinearity::Relu, str(part, ".", i, ".relu"));
      }
      x = shared(x, kRetinaAnchors * values, name + ".last", part + ".last");
      x = b_.reshape(x, {0, kRetinaAnchors, values, -1}, part + ".split");
      x = b_.transpose(x, {0, 3, 1, 2}, part + ".permute");
      parts.push_back(b_.reshape(x, {0, -1, values}, part + ".boxes"));
    }
    return b_.concat(parts, 1, name + ".concat");
  }

  // A 3x3 convolution with the weights of an earlier one of the same `layer`.
  Value* shared(Value* x, int64_t channels, const std::string& layer, const std::string& name) {
    const auto known = layers_.find(layer);
    if (known != layers_.end()) {
      return b_.apply("conv", {x, known->second[1], known->second[2]}, name,
                      known->second[0]->producer->attrs);
    }
    Value* y = conv(x, channels, 3, 1, name);
    layers_[layer] = {y, y->producer->inputs[1], y->producer->inputs[2]};
    return y;
  }

  NetworkBuilder b_;
  std::map<std::string, std::vector<Value*>> layers_;
};

// MACs of the pyramid and the heads per level, from the layer list.
constexpr double retina_macs() {
  constexpr double kCells[] = {100 * 100, 50 * 50, 25 * 25, 13 * 13, 7 * 7};
  constexpr double kInputs[] = {512, 1024, 2048};
  double macs = 0;
  for (int i = 0; i < 3; ++i) macs += kCells[i] * 256 * (kInputs[i] + 9 * 256);
  macs += (kCells[3] + kCells[4]) * 9 * 256 * 256;
  for (const double cells : kCells) {
    macs += cells * 9 * 256 * (8 * 256 + kRetinaAnchors * (kRetinaClasses + 4));
  }
  return macs;
}

}  // namespace

// Not published: the backbone as torchvision counts it (4.230 GMACs at 224 without its last layer,
// scaled to 800), and the rest from the layer list. Parameters: those of the backbone without its
// last layer, 22979904, and the rest in closed form.
extern const NetworkDef network_retinanet = {
    .name = "retinanet",
    .summary = "RetinaNet on ResNeXt-50 of MLPerf Inference, Open Images, 800x800, not decoded.",
    .published_parameters = 22979904 + 256 * (512 + 1024 + 2048 + 3) + 5 * (9 * 256 * 256 + 256) +
                            8 * (9 * 256 * 256 + 256) + 9 * 268 * (9 * 256 + 1),
    .published_macs = (4.230e9 - 2.048e6) * (800.0 * 800) / (224 * 224) + retina_macs(),
    .build = [](uint64_t seed) { return RetinaNet(seed).build(); },
};

}  // namespace hone
