#include "hone/targets/cpu/join_in_place.h"

#include <gtest/gtest.h>

#include <random>

#include "hone/device/cpu_features.h"
#include "hone/targets/cpu/cpu_program.h"
#include "hone/targets/cpu/join_step.h"
#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

// The text of a network of images of one size that are joined and cut in every way.
class JoinsText {
 public:
  JoinsText(std::mt19937& random, bool quantized) : random_(random), quantized_(quantized) {
    batch_ = between(1, 2);
    height_ = 2 * between(4, 8);
    width_ = 2 * between(4, 6);
    channels_.push_back(some_channels());
    text_ = str("(%v0: ", type(channels_[0]), ") -> (");
    std::string layers;
    layers_ = &layers;
    while (channels_.size() < 14) add_layer();
    text_ = str("graph", text_, outputs(), ") {\n", layers, "}\n");
  }
  const std::string& text() const { return text_; }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  // Enough for Winograd's form, sometimes.
  int some_channels() { return between(1, 3) == 1 ? between(32, 40) : between(1, 20); }
  int some_value() {
    const int last = static_cast<int>(channels_.size()) - 1;
    return between(1, 2) == 1 ? last : between(std::max(0, last - 4), last);
  }
  int channels(int value) const { return channels_[static_cast<size_t>(value)]; }

  std::string type(int channels, int times_higher = 1) const {
    const std::string shape =
        str("[", batch_, ",", times_higher * height_, ",", width_, ",", channels, "]");
    return quantized_ ? str("i8", shape, "<0.1:-3>") : str("f32", shape);
  }

  // The last value always, and some others: parts among them.
  std::string outputs() {
    const int last = static_cast<int>(channels_.size()) - 1;
    std::string list = str("%v", last);
    for (int v = 1; v < last; ++v) {
      if (between(1, 6) == 1) list += str(", %v", v);
    }
    return list;
  }

  int add_value(int channels, const std::string& made_by) {
    const int value = static_cast<int>(channels_.size());
    *layers_ += str("  %v", value, ": ", type(channels), " = ", made_by, "\n");
    channels_.push_back(channels);
    return value;
  }

  void add_layer() {
    switch (between(1, 11)) {
      case 1:
        return add_pool(some_value());
      case 2:
        return add_sum(some_value());
      case 3:
        return add_resize(some_value());
      case 4:
        return add_joined_rows(some_value());
      case 5:
        return add_split(some_value());
      case 6:
        add_convolution(some_value(), some_channels(), false);
        return;
      case 7: {
        const int from = some_value();
        add_convolution(from, channels(from), true);
        return;
      }
      case 8:
      case 9:
        return add_block(some_value());
      default:
        return add_joined_channels();
    }
  }

  int add_convolution(int from, int outputs, bool depthwise) {
    const int kernel = 2 * between(0, 1) + 1;
    const int depth = depthwise ? 1 : channels(from);
    std::string weights;
    for (int i = 0; i < outputs * kernel * kernel * depth; ++i) {
      weights += quantized_ ? str(" ", between(-127, 127)) : str(" ", 0.01 * between(-50, 50));
    }
    const std::string element = quantized_ ? "i8" : "f32";
    const int pad = kernel / 2;
    return add_value(outputs, str("conv(%v", from, ", ", element, "[", outputs, ",", kernel, ",",
                                  kernel, ",", depth, "]", quantized_ ? "<0.01:0>" : "", "{",
                                  weights, "}", residual(from, outputs, depthwise),
                                  ") layout=\"nhwc\" pads=[", pad, ",", pad, ",", pad, ",", pad,
                                  "]", depthwise ? str(" group=", outputs) : "", activation()));
  }

  std::string residual(int from, int outputs, bool depthwise) {
    const bool fits = !quantized_ && !depthwise && channels(from) == outputs;
    return fits && between(1, 2) == 1 ? str(", _, %v", from) : "";
  }

  std::string activation() {
    const int what = between(1, 3);
    if (what == 1) return "";
    return what == 2 || quantized_ ? " activation=\"relu\"" : " activation=\"hard_swish\"";
  }

  void add_pool(int from) {
    add_value(channels(from),
              str("max_pool(%v", from, ") kernel_shape=[3,3] pads=[1,1,1,1] layout=\"nhwc\""));
  }

  void add_sum(int from) {
    const int other = add_convolution(from, channels(from), false);
    add_value(channels(from), str("add(%v", from, ", %v", other, ")"));
  }

  // Half as large and back.
  void add_resize(int from) {
    const std::string shape =
        str("[", batch_, ",", height_ / 2, ",", width_ / 2, ",", channels(from), "]");
    const std::string small = str("%small", channels_.size());
    *layers_ +=
        str("  ", small, ": ", quantized_ ? "i8" : "f32", shape, quantized_ ? "<0.1:-3>" : "",
            " = max_pool(%v", from, ") kernel_shape=[2,2] strides=[2,2] layout=\"nhwc\"\n");
    add_value(channels(from), str("resize(", small, ", _, f32[4]{1 2 2 1}) mode=\"",
                                  between(1, 2) == 1 ? "nearest" : "linear", "\""));
  }

  // Two ways from one value to the next; steps of the longer one follow one another.
  void add_block(int from) {
    const int other = add_convolution(from, some_channels(), false);
    const int first = add_convolution(from, some_channels(), false);
    const int second = add_convolution(first, channels(first), true);
    const int third = add_convolution(second, some_channels(), false);
    add_value(channels(other) + channels(third),
              str("concat(%v", third, ", %v", other, ") axis=3"));
  }

  void add_joined_channels() {
    int sum = 0;
    std::string list;
    for (int parts = between(2, 4); parts > 0; --parts) {
      const int part = some_value();
      sum += channels(part);
      list += str(list.empty() ? "%v" : ", %v", part);
    }
    if (sum <= 80) add_value(sum, str("concat(", list, ") axis=3"));
  }

  // One above the other, twice, and back to images of the usual height.
  void add_joined_rows(int from) {
    const int a = add_convolution(from, channels(from), false);
    const int b = add_convolution(from, channels(from), false);
    const size_t id = channels_.size();
    *layers_ += str("  %two", id, ": ", type(channels(from), 2), " = concat(%v", a, ", %v", b,
                    ") axis=1\n  %four", id, ": ", type(channels(from), 4), " = concat(%v",
                    between(1, 2) == 1 ? a : from, ", %two", id, ", %v", b, ") axis=1\n");
    add_value(channels(from),
              str("max_pool(%four", id, ") kernel_shape=[4,1] strides=[4,1] layout=\"nhwc\""));
  }

  // The second half as it was, the first half changed or not.
  void add_split(int from) {
    if (channels(from) % 2 != 0) return;
    const int half = channels(from) / 2;
    const int first = static_cast<int>(channels_.size());
    *layers_ += str("  %v", first, ": ", type(half), ", %v", first + 1, ": ", type(half),
                    " = split(%v", from, ") axis=3\n");
    channels_.push_back(half);
    channels_.push_back(half);
    const int changed = between(1, 4) == 1 ? first : add_convolution(first, half, false);
    if (between(1, 4) == 1) add_pool(first + 1);
    const bool back = between(1, 4) != 1;
    add_value(channels(from), str("concat(%v", back ? changed : first + 1, ", %v",
                                  back ? first + 1 : changed, ") axis=3"));
  }

  std::mt19937& random_;
  bool quantized_;
  int batch_ = 1, height_ = 1, width_ = 1;
  std::vector<int> channels_;  // Of the values.
  std::string text_;
  std::string* layers_ = nullptr;
};

size_t parts_in_place(const Plan& plan) {
  size_t count = 0;
  for (const auto& step : plan.steps) {
    const auto* join = dynamic_cast<const JoinStep*>(step.get());
    if (join == nullptr) continue;
    for (const JoinStep::Part& part : join->parts()) count += part.in_place;
  }
  return count;
}

void expect_same_bytes(const std::vector<Item>& actual, const std::vector<Item>& expected,
                       const std::string& text) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(same_bytes(actual[i].tensor, expected[i].tensor)) << "output " << i << " of\n"
                                                                  << text;
  }
}

// Parts in place, over random networks whose results must be those with copies.
size_t run_joins(unsigned seed, bool quantized, Precision precision) {
  std::mt19937 random(seed);
  size_t in_place = 0, written_by_chains = 0;
  for (int round = 0; round < 25; ++round) {
    const std::string text = JoinsText(random, quantized).text();
    const auto copying = plan_of(text, {.threads = 1, .precision = precision, .keep_values = true});
    EXPECT_EQ(parts_in_place(*copying), 0u);
    const Item input = random_input(*copying, random);
    const auto expected = make_cpu_program(copying)->run({input});
    for (const int threads : {1, 3}) {
      for (const ChainLimits& limits : {usual_chain_limits(), kAnyChain}) {
        const auto plan = plan_of(text, {.threads = threads, .precision = precision}, limits);
        in_place += parts_in_place(*plan);
        for (const Stage& stage : plan->stages) {
          const Slot last = plan->steps[stage.last_step()]->writes[0];
          written_by_chains += stage.chain != nullptr && plan->slots[last].rows_apart > 1;
        }
        const auto actual = make_cpu_program(plan)->run({input});
        expect_same_bytes(*actual, *expected, text);
      }
    }
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(written_by_chains, 5u);
  return in_place;
}

TEST(JoinInPlace, GivesTheBitsOfCopiesInFloat) {
  EXPECT_GT(run_joins(1, false, Precision::F32), 200u);
}

TEST(JoinInPlace, GivesTheBitsOfCopiesInHalfPrecision) {
  EXPECT_GT(run_joins(2, false, Precision::F16), 200u);
}

TEST(JoinInPlace, GivesTheBitsOfCopiesInBfloat16) {
  if (!cpu_has(kBf16)) GTEST_SKIP() << "this CPU has no instructions for it";
  EXPECT_GT(run_joins(3, false, Precision::BF16), 200u);
}

TEST(JoinInPlace, GivesTheBitsOfCopiesInIntegers) {
  EXPECT_GT(run_joins(4, true, Precision::F32), 200u);
}

TEST(JoinInPlace, LeavesAWholeOfRowsNothingToDo) {
  const auto plan = plan_of(R"(graph(%x: f32[1,4,3]) -> (%y) {
  %a: f32[1,4,3] = relu(%x)
  %b: f32[1,4,3] = neg(%x)
  %r: f32[1,2,6] = reshape(%b, i64[3]{1 2 6})
  %s: f32[1,4,3] = reshape(%r, i64[3]{1 4 3})
  %y: f32[1,8,3] = concat(%a, %s) axis=1
})",
                            {.threads = 1});
  EXPECT_EQ(parts_in_place(*plan), 2u);
  EXPECT_EQ(plan->arena_bytes, 0u);
  const Step& join = *plan->steps.back();
  EXPECT_EQ(join.kind.family, StepFamily::Nothing);
  EXPECT_EQ(join.cost.bytes(), 0u);
}

TEST(JoinInPlace, HasChannelsWrittenApartWhereOnlyTheJoinReadsThem) {
  const auto parts = [](const std::string& more, const std::string& outputs) {
    const std::string weights = "f32[2,1,1,2]{1 2 3 4}";
    const std::string others = "f32[2,1,1,2]{5 6 7 8}";
    return parts_in_place(
        *plan_of(str("graph(%x: f32[1,3,5,2]) -> (", outputs, ") {\n  %a: f32[1,3,5,2] = conv(%x, ",
                     weights, ") layout=\"nhwc\"\n  %b: f32[1,3,5,2] = conv(%x, ", others,
                     ") layout=\"nhwc\"\n  %y: f32[1,3,5,4] = concat(%a, %b) axis=3\n", more, "}"),
                 {.threads = 1}));
  };
  EXPECT_EQ(parts("", "%y"), 2u);
  EXPECT_EQ(parts("", "%y, %b"), 1u);
  EXPECT_EQ(parts("  %z: f32[1,3,5,2] = relu(%a)\n", "%y, %z"), 1u);
}

TEST(JoinInPlace, LeavesPartsOfASplitWhereTheyAre) {
  const auto plan = plan_of(R"(graph(%x: f32[2,4]) -> (%z, %b) {
  %a: f32[2,4] = abs(%x)
  %a0: f32[2,2], %a1: f32[2,2] = split(%a) axis=1
  %b: f32[2,2] = neg(%a0)
  %y: f32[2,4] = concat(%b, %a1) axis=1
  %z: f32[2,4] = relu(%y)
})",
                            {.threads = 1});
  EXPECT_EQ(parts_in_place(*plan), 2u);
  Tensor x(plan->graph.inputs()[0]->type.tensor);
  for (size_t i = 0; i < 8; ++i) x.mutable_data<float>()[i] = -static_cast<float>(i);
  const auto outputs = make_cpu_program(plan)->run({x});
  const auto z = (*outputs)[0].tensor.data<float>();
  EXPECT_EQ(std::vector<float>(z.begin(), z.end()), (std::vector<float>{0, 0, 2, 3, 0, 0, 6, 7}));
}

TEST(JoinInPlace, LeavesPartsOfOneSplitOnly) {
  const auto plan = plan_of(R"(graph(%x: f32[2,2]) -> (%y, %a1, %b0) {
  %a: f32[2,2] = abs(%x)
  %a0: f32[2,1], %a1: f32[2,1] = split(%a) axis=1
  %b: f32[2,2] = neg(%x)
  %b0: f32[2,1], %b1: f32[2,1] = split(%b) axis=1
  %y: f32[2,2] = concat(%a0, %b1) axis=1
})",
                            {.threads = 1});
  EXPECT_EQ(parts_in_place(*plan), 2u);
  Tensor x(plan->graph.inputs()[0]->type.tensor);
  for (size_t i = 0; i < 4; ++i) x.mutable_data<float>()[i] = -1 - static_cast<float>(i);
  const auto outputs = make_cpu_program(plan)->run({x});
  const auto y = (*outputs)[0].tensor.data<float>();
  EXPECT_EQ(std::vector<float>(y.begin(), y.end()), (std::vector<float>{1, 2, 3, 4}));
}

TEST(JoinInPlace, CopiesInputsConstantsOutputsAndWhatIsThereAlready) {
  const auto plan = plan_of(R"(graph(%x: f32[2]) -> (%y, %b, %z) {
  %a: f32[2] = relu(%x)
  %b: f32[2] = neg(%x)
  %y: f32[10] = concat(%a, %a, %b, %x, f32[2]{1 2}) axis=0
  %c: f32[2] = abs(%x)
  %z: f32[4] = concat(%c, %a) axis=0
})",
                            {.threads = 1});
  EXPECT_EQ(parts_in_place(*plan), 2u);
  Tensor x(plan->graph.inputs()[0]->type.tensor);
  x.mutable_data<float>()[0] = -3;
  x.mutable_data<float>()[1] = 4;
  const auto outputs = make_cpu_program(plan)->run({x});
  const auto y = (*outputs)[0].tensor.data<float>();
  EXPECT_EQ(std::vector<float>(y.begin(), y.end()),
            (std::vector<float>{0, 4, 0, 4, 3, -4, -3, 4, 1, 2}));
  const auto z = (*outputs)[2].tensor.data<float>();
  EXPECT_EQ(std::vector<float>(z.begin(), z.end()), (std::vector<float>{3, 4, 0, 4}));
}

}  // namespace
}  // namespace hone::cpu
