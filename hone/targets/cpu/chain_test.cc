#include "hone/targets/cpu/chain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "hone/device/cpu_features.h"
#include "hone/targets/cpu/cpu_program.h"
#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();
constexpr ChainLimits kNoChains = {.smallest_link = kAll,
                                   .most_rows = 0,
                                   .most_weights = 0,
                                   .most_overlap = 0,
                                   .followers = false};
// The text of a network whose layers follow one another, with images of up to 40 rows.
class NetworkText {
 public:
  NetworkText(std::mt19937& random, bool quantized) : random_(random), quantized_(quantized) {
    batch_ = between(1, 2);
    height_ = between(20, 40);
    width_ = between(1, 9);
    channels_ = 2 * between(1, 12);
    const int layers = between(2, 5);
    const bool from_planes = between(1, 3) == 1;
    text_ = str("graph(", from_planes ? str("%planes: ", planes_type()) : str("%v0: ", type()),
                ") -> (%v", layers, ") {\n");
    if (from_planes) text_ += str("  %v0: ", type(), " = transpose(%planes) perm=[0,2,3,1]\n");
    for (int i = 0; i < layers; ++i) add_layer();
    text_ += "}\n";
  }
  const std::string& text() const { return text_; }

 private:
  struct Window {
    int kernel, stride, dilation, begin, end, out;
  };

  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }

  std::string type() const {
    return type_of(str("[", batch_, ",", height_, ",", width_, ",", channels_, "]"));
  }
  std::string planes_type() const {
    return type_of(str("[", batch_, ",", channels_, ",", height_, ",", width_, "]"));
  }
  std::string type_of(const std::string& shape) const {
    return quantized_ ? str("i8", shape, "<0.1:-3>") : str("f32", shape);
  }

  Window slide(int extent, int most_stride) {
    for (;;) {
      Window w{.kernel = between(1, 3) == 1 ? 1 : between(2, 5),
               .stride = between(1, most_stride),
               .dilation = between(1, 4) == 1 ? 2 : 1,
               .begin = 0,
               .end = 0,
               .out = 0};
      w.begin = between(0, w.kernel - 1);
      w.end = between(0, w.kernel - 1);
      const int room = extent + w.begin + w.end - (w.kernel - 1) * w.dilation - 1;
      w.out = room / w.stride + 1;
      if (room >= 0 && (w.dilation == 1 || w.kernel > 1)) return w;
    }
  }

  static std::string attributes(const Window& down, const Window& right) {
    return str(" layout=\"nhwc\" strides=[", down.stride, ",", right.stride, "] dilations=[",
               down.dilation, ",", right.dilation, "] pads=[", down.begin, ",", right.begin, ",",
               down.end, ",", right.end, "]");
  }

  void add_layer() {
    const Window down = slide(height_, 2);
    const Window right = slide(width_, 2);
    const int from = values_++;
    const int before = channels_;
    const int what = between(1, 6);
    const bool depthwise = what <= 2;
    const bool pool = what == 3 && down.begin < down.kernel && right.begin < right.kernel;
    if (!depthwise && !pool) channels_ = 2 * between(1, 12);
    const bool keeps = down.out == height_ && right.out == width_ && before == channels_;
    height_ = down.out;
    width_ = right.out;
    text_ += str("  %v", values_, ": ", type(), " = ");
    if (pool) {
      text_ += str("max_pool(%v", from, ") kernel_shape=[", down.kernel, ",", right.kernel, "]",
                   attributes(down, right), "\n");
      return;
    }
    text_ += str("conv(%v", from, ", ", weights(down.kernel, right.kernel, depthwise ? 1 : before),
                 ", ", bias());
    // What an earlier step left whole.
    if (!quantized_ && keeps && between(1, 2) == 1) text_ += str(", %v", from);
    text_ += ")" + attributes(down, right) + (depthwise ? str(" group=", channels_) : "") +
             activation() + "\n";
  }

  std::string weights(int rows, int columns, int depth) {
    std::string list;
    for (int i = 0; i < channels_ * rows * columns * depth; ++i) {
      list += quantized_ ? str(" ", between(-127, 127)) : str(" ", 0.01 * between(-50, 50));
    }
    return str(quantized_ ? "i8" : "f32", "[", channels_, ",", rows, ",", columns, ",", depth, "]",
               quantized_ ? "<0.01:0>" : "", "{", list, "}");
  }

  std::string bias() {
    std::string list;
    for (int i = 0; i < channels_; ++i) list += str(" ", between(-9, 9));
    return str(quantized_ ? "i32[" : "f32[", channels_, "]", quantized_ ? "<0.001:0>" : "", "{",
               list, "}");
  }

  std::string activation() {
    const int what = between(1, 3);
    if (what == 1) return "";
    return what == 2 || quantized_ ? " activation=\"relu\"" : " activation=\"hard_swish\"";
  }

  std::mt19937& random_;
  bool quantized_;
  int batch_ = 1, height_ = 1, width_ = 1, channels_ = 1;
  int values_ = 0;
  std::string text_;
};

// Steps of chains, over random networks whose results must be those without chains.
size_t run_networks(unsigned seed, bool quantized, Precision precision) {
  std::mt19937 random(seed);
  size_t chained = 0;
  for (int round = 0; round < 60; ++round) {
    const std::string text = NetworkText(random, quantized).text();
    const auto whole = plan_of(text, {.threads = 1, .precision = precision}, kNoChains);
    const Item input = random_input(*whole, random);
    const auto expected = make_cpu_program(whole)->run({input});
    for (const int threads : {1, 3}) {
      const auto plan = plan_of(text, {.threads = threads, .precision = precision}, kAnyChain);
      for (const Stage& stage : plan->stages) chained += stage.chain ? stage.steps() : 0;
      const auto actual = make_cpu_program(plan)->run({input});
      EXPECT_TRUE(same_bytes((*actual)[0].tensor, (*expected)[0].tensor)) << threads << "\n"
                                                                          << text;
    }
  }
  return chained;
}

TEST(Chain, GivesTheBitsOfItsStepsInFloat) {
  EXPECT_GT(run_networks(1, false, Precision::F32), 200u);
}

TEST(Chain, GivesTheBitsOfItsStepsInHalfPrecision) {
  EXPECT_GT(run_networks(2, false, Precision::F16), 200u);
}

TEST(Chain, GivesTheBitsOfItsStepsInBfloat16) {
  if (!cpu_has(kBf16)) GTEST_SKIP() << "this CPU has no instructions for it";
  EXPECT_GT(run_networks(3, false, Precision::BF16), 200u);
}

TEST(Chain, GivesTheBitsOfItsStepsInIntegers) {
  EXPECT_GT(run_networks(4, true, Precision::F32), 200u);
}

constexpr const char* kThreeLayers = R"(graph(%x: f32[1,40,8,4]) -> (%y) {
  %a: f32[1,40,8,4] = conv(%x, f32[4,1,1,4]{1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7}) layout="nhwc"
  %b: f32[1,40,8,4] = max_pool(%a) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %y: f32[1,40,8,4] = conv(%b, f32[4,1,1,4]{1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7}) layout="nhwc"
})";

TEST(Chain, KeepsRowsOnlyOfWhatItHandsOn) {
  const auto plan = plan_of(kThreeLayers, {.threads = 1}, kAnyChain);
  ASSERT_EQ(plan->stages.size(), 1u);
  EXPECT_EQ(plan->stages[0].steps(), 3u);
  EXPECT_LT(plan->arena_bytes, 2u * 40 * 8 * 4 * sizeof(float));
}

TEST(Chain, IsNotMadeWhereValuesAreKept) {
  const auto plan = plan_of(kThreeLayers, {.threads = 1, .keep_values = true}, kAnyChain);
  EXPECT_EQ(plan->stages.size(), 3u);
}

TEST(Chain, IsNotMadeOfWhatOthersReadToo) {
  const auto plan = plan_of(R"(graph(%x: f32[1,40,8,4]) -> (%y, %b) {
  %a: f32[1,40,8,4] = max_pool(%x) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %b: f32[1,40,8,4] = max_pool(%a) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %c: f32[1,40,8,4] = max_pool(%b) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %y: f32[1,40,8,4] = add(%c, %a)
})",
                            {.threads = 1}, kAnyChain);
  for (const Stage& stage : plan->stages) EXPECT_EQ(stage.chain, nullptr);
}

TEST(Chain, BeginsWithPlanesButHandsNoneOn) {
  const auto plan = plan_of(R"(graph(%x: f32[1,4,40,8]) -> (%y) {
  %a: f32[1,40,8,4] = transpose(%x) perm=[0,2,3,1]
  %b: f32[1,40,8,4] = max_pool(%a) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %y: f32[1,40,8,4] = max_pool(%b) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
})",
                            {.threads = 1}, kAnyChain);
  ASSERT_EQ(plan->stages.size(), 1u);
  EXPECT_EQ(plan->stages[0].steps(), 3u);
  // The extents would do.
  const auto apart = plan_of(R"(graph(%x: f32[1,8,8,8]) -> (%y) {
  %a: f32[1,8,8,8] = max_pool(%x) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %y: f32[1,8,8,8] = transpose(%a) perm=[0,2,3,1]
})",
                             {.threads = 1}, kAnyChain);
  EXPECT_EQ(apart->stages.size(), 2u);
}

TEST(Chain, TellsTheTimeOfEachPart) {
  std::mt19937 random(5);
  for (const int threads : {1, 2}) {
    const auto plan = plan_of(kThreeLayers, {.threads = threads}, kAnyChain);
    const auto session = make_cpu_program(plan)->open();
    Listener listener;
    std::vector<Item> outputs;
    ASSERT_TRUE(session->run_observed({random_input(*plan, random)}, outputs, listener).ok());
    EXPECT_EQ(listener.steps, (std::vector<size_t>{0, 1, 2}));
  }
}

}  // namespace
}  // namespace hone::cpu
