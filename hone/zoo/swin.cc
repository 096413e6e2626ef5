// "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows" (2021) as in torchvision:
// attention inside windows of 7x7, which every second layer shifts by 3. The windows of other image
// sizes would need other shapes and masks; other batches do not.

#include <array>
#include <cmath>

#include "hone/zoo/transformer.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kSwinWindow = 7;
constexpr int64_t kSwinCells = kSwinWindow * kSwinWindow;
constexpr int64_t kSwinShift = 3;
constexpr std::array<int, 4> kSwinDepths = {2, 2, 6, 2};
constexpr std::array<int64_t, 4> kSwinHeads = {3, 6, 12, 24};

// Which of the three bands a row or column of a shifted image belongs to: cells of different bands
// are no neighbours.
int64_t swin_band(int64_t position, int64_t extent) {
  if (position < extent - kSwinWindow) return 0;
  return position < extent - kSwinShift ? 1 : 2;
}

// [windows, 1, cells, cells]: -100 where two cells of a window are no neighbours.
Tensor swin_mask(int64_t extent) {
  const int64_t side = extent / kSwinWindow;
  std::vector<float> mask;
  for (int64_t window = 0; window < side * side; ++window) {
    std::vector<int64_t> bands;
    for (int64_t cell = 0; cell < kSwinCells; ++cell) {
      const int64_t row = window / side * kSwinWindow + cell / kSwinWindow;
      const int64_t column = window % side * kSwinWindow + cell % kSwinWindow;
      bands.push_back(3 * swin_band(row, extent) + swin_band(column, extent));
    }
    for (const int64_t a : bands) {
      for (const int64_t b : bands) mask.push_back(a == b ? 0.0f : -100.0f);
    }
  }
  return Tensor::of<float>({side * side, 1, kSwinCells, kSwinCells}, mask);
}

class Swin {
 public:
  explicit Swin(uint64_t seed) : b_("swin_tiny", seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 224, 224});
    const Conv patches = {
        .channels = 96, .kernel = 4, .stride = 4, .padding = Padding::Valid, .bias = true};
    x = b_.transpose(b_.conv(x, patches, "features.0.0"), {0, 2, 3, 1}, "features.0.1");
    x = b_.layer_norm(x, "features.0.2");
    for (size_t stage = 0; stage < kSwinDepths.size(); ++stage) {
      if (stage > 0) x = merge(x, str("features.", 2 * stage));
      for (int i = 0; i < kSwinDepths[stage]; ++i) {
        const bool shifted = i % 2 == 1 && extent(x) > kSwinWindow;
        x = layer(x, kSwinHeads[stage], shifted, str("features.", 2 * stage + 1, ".", i));
      }
    }
    x = b_.transpose(b_.layer_norm(x, "norm"), {0, 3, 1, 2}, "permute");
    x = b_.flatten(b_.global_average_pool(x, "avgpool"), "flatten");
    return b_.finish(b_.linear(x, 1000, "head"), "logits");
  }

 private:
  static int64_t extent(const Value* x) { return NetworkBuilder::shape(x)[1]; }

  Value* ints(const Ints& values, const std::string& name) {
    return b_.constant(name, Tensor::of_ints(values));
  }

  // Every second cell of every second row, four times, side by side.
  Value* merge(Value* x, const std::string& name) {
    std::vector<Value*> parts;
    for (const Ints& begin : {Ints{0, 0}, Ints{1, 0}, Ints{0, 1}, Ints{1, 1}}) {
      const std::string part = str(name, ".slice.", parts.size());
      Value* ends = ints({extent(x), extent(x)}, part + ".ends");
      parts.push_back(b_.apply("slice",
                               {x, ints(begin, part + ".starts"), ends,
                                ints({1, 2}, part + ".axes"), ints({2, 2}, part + ".steps")},
                               part));
    }
    x = b_.layer_norm(b_.concat(parts, 3, name + ".concat"), name + ".norm");
    const int64_t n = NetworkBuilder::shape(x).back();
    return b_.apply("matmul", {x, b_.factors(name + ".weight", {n, n / 2}, 0.05)},
                    name + ".reduction");
  }

  // Moves the first `cells` rows behind the others, and the same of columns.
  Value* roll(Value* x, int64_t cells, const std::string& name) {
    for (const int64_t axis : {1, 2}) {
      const std::string part = str(name, ".", axis);
      const auto parts = b_.split(x, {cells, extent(x) - cells}, axis, part + ".split");
      x = b_.concat({parts[1], parts[0]}, axis, part);
    }
    return x;
  }

  // [batch * windows, cells, width] and back.
  Value* to_windows(Value* x, const std::string& name) {
    const int64_t side = extent(x) / kSwinWindow;
    const int64_t width = NetworkBuilder::shape(x).back();
    x = b_.reshape(x, {-1, side, kSwinWindow, side, kSwinWindow, width}, name + ".split");
    x = b_.transpose(x, {0, 1, 3, 2, 4, 5}, name + ".transpose");
    return b_.reshape(x, {-1, kSwinCells, width}, name);
  }
  Value* from_windows(Value* x, int64_t side, const std::string& name) {
    const int64_t width = NetworkBuilder::shape(x).back();
    x = b_.reshape(x, {-1, side, side, kSwinWindow, kSwinWindow, width}, name + ".split");
    x = b_.transpose(x, {0, 1, 3, 2, 4, 5}, name + ".transpose");
    return b_.reshape(x, {-1, side * kSwinWindow, side * kSwinWindow, width}, name);
  }

  // The bias of relative positions, with the mask of shifted windows.
  Value* bias(int64_t heads, const std::string& name) {
    return b_.factors(name + ".relative_position_bias", {1, heads, kSwinCells, kSwinCells}, 0.1);
  }

  Value* add_mask(Value* scores, int64_t heads, int64_t grid, const std::string& name) {
    const int64_t windows = grid * grid / kSwinCells;
    Value* mask = b_.constant(name + ".values", swin_mask(grid));
    scores = b_.reshape(scores, {-1, windows, heads, kSwinCells, kSwinCells}, name + ".split");
    scores = b_.apply("add", {scores, mask}, name + ".add");
    return b_.reshape(scores, {-1, heads, kSwinCells, kSwinCells}, name);
  }

  Value* attention(Value* x, int64_t heads, bool shifted, const std::string& name) {
    const int64_t grid = extent(x);
    const int64_t width = NetworkBuilder::shape(x).back();
    if (shifted) x = roll(x, kSwinShift, name + ".shift");
    x = to_windows(x, name + ".windows");
    const auto per_head = [&](std::string_view which, const Ints& order) {
      const std::string part = str(name, ".", which);
      Value* y = b_.reshape(b_.project(x, width, part), {0, kSwinCells, heads, width / heads},
                            part + ".reshape");
      return b_.transpose(y, order, part + ".transpose");
    };
    const float scale = 1 / std::sqrt(static_cast<float>(width / heads));
    Value* q =
        b_.apply("mul", {per_head("query", {0, 2, 1, 3}), b_.scalar(scale)}, name + ".scale");
    Value* scores = b_.apply("matmul", {q, per_head("key", {0, 2, 3, 1})}, name + ".scores");
    scores = b_.apply("add", {scores, bias(heads, name)}, name + ".biased");
    if (shifted) scores = add_mask(scores, heads, grid, name + ".mask");
    Value* y =
        b_.apply("matmul", {b_.softmax(scores, name + ".softmax"), per_head("value", {0, 2, 1, 3})},
                 name + ".context");
    y = b_.transpose(y, {0, 2, 1, 3}, name + ".transpose");
    y = b_.project(b_.reshape(y, {0, kSwinCells, width}, name + ".reshape"), width, name + ".proj");
    y = from_windows(y, grid / kSwinWindow, name + ".image");
    return shifted ? roll(y, grid - kSwinShift, name + ".unshift") : y;
  }

  Value* layer(Value* x, int64_t heads, bool shifted, const std::string& name) {
    Value* y = attention(b_.layer_norm(x, name + ".norm1"), heads, shifted, name + ".attn");
    x = b_.apply("add", {x, y}, name + ".add1");
    const int64_t width = NetworkBuilder::shape(x).back();
    y = feed_forward(b_, b_.layer_norm(x, name + ".norm2"), 4 * width, name + ".mlp");
    return b_.apply("add", {x, y}, name + ".add2");
  }

  NetworkBuilder b_;
};

// Of the shifted layers, whose masks are constants but not trained.
constexpr int64_t kSwinMasks = (64 + 16 + 3 * 4) * kSwinCells * kSwinCells;

}  // namespace

// torchvision's model page (Swin_T_Weights: num_params 28288354, _ops). An export has the biases of
// relative positions per pair of cells, 49 * 49 in place of 169 for each of 138 heads, and masks.
extern const NetworkDef network_swin_tiny = {
    .name = "swin_tiny",
    .summary = "Swin transformer tiny (2021), ImageNet, 224x224.",
    .published_parameters = 28288354 + 138 * (kSwinCells * kSwinCells - 169) + kSwinMasks,
    .published_macs = 4.491e9,
    .build = [](uint64_t seed) { return Swin(seed).build(); },
};

}  // namespace hone
