#include "hone/targets/cpu/follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "hone/targets/cpu/cpu_program.h"
#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

constexpr ChainLimits kOnlyFollowers = {.smallest_link = ~size_t{0},
                                        .most_rows = 0,
                                        .most_weights = 0,
                                        .most_overlap = 0,
                                        .followers = true};

struct Shape4 {
  int batch, height, width, channels;
};

// The text of a network that ends in a product and a sum of it with something else.
class SumText {
 public:
  explicit SumText(std::mt19937& random) : random_(random), dtype_(coin() ? "i8" : "u8") {
    const bool is_gemm = between(1, 5) == 1;
    const int small = between(1, 3) == 1 ? 3 : 20;
    const Shape4 in{is_gemm ? 1 : between(1, 2), is_gemm ? 1 : between(1, small), between(1, small),
                    is_gemm ? between(1, 40) : 2 * between(1, 12)};
    Shape4 out = in;
    if (between(1, 3) != 1) out.channels = 2 * between(1, 70);
    text_ = str("graph(%x: ", type(in, is_gemm), ", %r: ", type(out, is_gemm), ") -> (%y) {\n");
    const std::string other = add_other(in, out, is_gemm);
    if (is_gemm) {
      text_ += str("  %p: ", type(out, true), " = gemm(%h, ", weights({out.channels, in.channels}),
                   ", ", bias(out.channels), ") transB=1", activation(), "\n");
    } else {
      add_conv(in, out);
    }
    const char* op = between(1, 3) != 1 ? "add" : coin() ? "sub" : "mul";
    const bool first = coin();
    text_ += str("  %s: ", type(out, is_gemm), " = ", op, "(", first ? "%p" : other, ", ",
                 first ? other : "%p", ")", activation(), "\n");
    // Another step behind it, so that the sum may take its operand's place in the arena.
    text_ += str("  %y: ", type(out, is_gemm), " = add(%s, %s)\n}\n");
  }
  const std::string& text() const { return text_; }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  bool coin() { return between(0, 1) == 1; }

  std::string type(const Shape4& shape, bool flat) {
    const int zero = dtype_ == "i8" ? between(-128, 127) : between(0, 255);
    return str(dtype_, "[",
               flat ? str(shape.width) : str(shape.batch, ",", shape.height, ",", shape.width), ",",
               shape.channels, "]<", 0.01 * between(1, 40), ":", zero, ">");
  }

  // %h, which the product reads, and the name of the sum's other operand: an input, what a step
  // before leaves, or what the product reads too.
  std::string add_other(const Shape4& in, const Shape4& out, bool is_gemm) {
    const std::string clip = dtype_ == "i8" ? "relu" : "relu6";
    text_ += str("  %h: ", type(in, is_gemm), " = add(%x, %x) activation=\"", clip, "\"\n");
    if (in.channels == out.channels && between(1, 3) == 1) return "%h";
    if (coin()) return "%r";
    text_ += str("  %o: ", type(out, is_gemm), " = add(%r, %r)\n");
    return "%o";
  }

  void add_conv(const Shape4& in, const Shape4& out) {
    const int side = coin() ? 1 : 3;
    const bool groups = in.channels > 2 && between(1, 3) == 1;
    const int depth = in.channels / (groups ? 2 : 1);
    text_ +=
        str("  %p: ", type(out, false), " = conv(%h, ", weights({out.channels, side, side, depth}),
            ", ", bias(out.channels), ") layout=\"nhwc\" group=", groups ? 2 : 1);
    if (side == 3) text_ += " pads=[1,1,1,1]";
    text_ += activation() + "\n";
  }

  std::string weights(const std::vector<int>& shape) {
    std::string extents, list;
    int count = 1;
    for (const int extent : shape) {
      extents += str(extents.empty() ? "" : ",", extent);
      count *= extent;
    }
    for (int i = 0; i < count; ++i) list += str(" ", between(-127, 127));
    return str("i8[", extents, "]<0.01:0>{", list, "}");
  }

  std::string bias(int channels) {
    std::string list;
    for (int i = 0; i < channels; ++i) list += str(" ", between(-900, 900));
    return str("i32[", channels, "]<0.001:0>{", list, "}");
  }

  std::string activation() { return coin() ? "" : " activation=\"relu\""; }

  std::mt19937& random_;
  std::string dtype_;
  std::string text_;
};

Graph graph_of(const std::string& text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message << "\n" << text;
  return *std::move(graph);
}

size_t followed(const Plan& plan) {
  return static_cast<size_t>(std::ranges::count_if(plan.stages, &Stage::followed));
}

std::vector<Item> random_inputs(const Plan& plan, std::mt19937& random) {
  std::vector<Item> inputs;
  for (const Value* input : plan.graph.inputs()) {
    Tensor tensor(input->type.tensor);
    for (std::byte& x : tensor.mutable_bytes()) x = static_cast<std::byte>(random());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

std::vector<Item> run_reference(const std::string& text, const CompileOptions& options,
                                const std::vector<Item>& inputs) {
  const auto program = (*find_target("ref"))->open()->compile(graph_of(text), options);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *(*program)->run(inputs);
}

void expect_same(const std::vector<Item>& actual, const std::vector<Item>& expected,
                 const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto a = actual[i].tensor.bytes(), b = expected[i].tensor.bytes();
    EXPECT_TRUE(std::ranges::equal(a, b)) << where;
  }
}

TEST(Follower, GivesTheBitsOfTheReference) {
  std::mt19937 random(1);
  constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single, Rounding::DoubleUpward};
  for (int round = 0; round < 150; ++round) {
    const std::string text = SumText(random).text();
    CompileOptions options{.threads = 1};
    options.eval.rounding = kRoundings[round % 3];
    const auto inputs = random_inputs(*plan_of(text, options, kOnlyFollowers), random);
    const auto expected = run_reference(text, options, inputs);
    for (const int threads : {1, 3}) {
      options.threads = threads;
      const auto plan = plan_of(text, options, kOnlyFollowers);
      EXPECT_EQ(followed(*plan), 1u) << text;
      expect_same(*make_cpu_program(plan)->run(inputs), expected, str(threads, "\n", text));
    }
  }
}

std::string ones(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += " 1";
  return list;
}

// Two products and a pool between them that can be a chain, and a sum behind it.
std::string inverted_residual() {
  return str(R"(graph(%x: i8[2,40,9,4]<0.1:-3>) -> (%y) {
  %h: i8[2,40,9,4]<0.1:5> = add(%x, %x)
  %a: i8[2,40,9,8]<0.2:-9> = conv(%h, i8[8,1,1,4]<0.1:0>{)",
             ones(32), R"(}) layout="nhwc"
  %b: i8[2,40,9,8]<0.2:-9> = max_pool(%a) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %p: i8[2,40,9,4]<0.3:2> = conv(%b, i8[4,1,1,8]<0.1:0>{)",
             ones(32), R"(}) layout="nhwc"
  %y: i8[2,40,9,4]<0.3:7> = add(%h, %p) activation="relu"
})");
}

TEST(Follower, ComesBehindAChain) {
  std::mt19937 random(2);
  for (const int threads : {1, 3}) {
    const CompileOptions options{.threads = threads};
    const auto plan = plan_of(inverted_residual(), options, kAnyChain);
    ASSERT_EQ(plan->stages.size(), 2u);
    EXPECT_NE(plan->stages[1].chain, nullptr);
    EXPECT_EQ(plan->stages[1].steps(), 4u);
    const auto inputs = random_inputs(*plan, random);
    expect_same(*make_cpu_program(plan)->run(inputs),
                run_reference(inverted_residual(), options, inputs), str(threads));
  }
}

TEST(Follower, HasATimeOfItsOwn) {
  std::mt19937 random(3);
  for (const ChainLimits& limits : {kOnlyFollowers, kAnyChain}) {
    const auto plan = plan_of(inverted_residual(), {.threads = 2}, limits);
    EXPECT_EQ(followed(*plan), 1u);
    Listener listener;
    std::vector<Item> outputs;
    const auto session = make_cpu_program(plan)->open();
    ASSERT_TRUE(session->run_observed(random_inputs(*plan, random), outputs, listener).ok());
    EXPECT_EQ(listener.steps, (std::vector<size_t>{0, 1, 2, 3, 4}));
  }
}

// `reader` is what the product reads, `sum` is what it goes into.
std::string block(std::string_view reader, std::string_view sum, std::string_view outputs = "%y") {
  return str("graph(%x: i8[4000,64]<0.1:0>) -> (", outputs, R"() {
  %r: i8[4000,64]<0.1:0> = add(%x, %x)
  %p: i8[4000,64]<0.1:0> = gemm()",
             reader, ", i8[64,64]<0.1:0>{", ones(64 * 64), R"(}) transB=1
  %s: i8[4000,64]<0.1:0> = )",
             sum, R"(
  %y: i8[4000,64]<0.1:0> = add(%s, %x)
})");
}

const SlotInfo& slot_named(const Plan& plan, std::string_view name) {
  return *std::ranges::find_if(plan.slots,
                               [&](const SlotInfo& info) { return info.value->name == name; });
}

bool over(const Plan& plan, std::string_view result, std::string_view operand) {
  return slot_named(plan, result).root == slot_named(plan, operand).root;
}

TEST(Follower, NeverHasTheWholeOfItsOperand) {
  const auto plan = plan_of(block("%x", "add(%p, %r)"), {.threads = 2}, kOnlyFollowers);
  EXPECT_EQ(slot_named(*plan, "p").home, SlotInfo::Home::Rows);
  EXPECT_LT(slot_named(*plan, "p").bytes, 4000u * 64 / 2);
}

TEST(Follower, WritesOverItsOtherOperandUnlessTheProductReadsIt) {
  const auto apart = plan_of(block("%x", "add(%p, %r)"), {.threads = 1}, kOnlyFollowers);
  EXPECT_EQ(followed(*apart), 1u);
  EXPECT_TRUE(over(*apart, "s", "r"));
  const auto both = plan_of(block("%r", "sub(%r, %p)"), {.threads = 1}, kOnlyFollowers);
  EXPECT_EQ(followed(*both), 1u);
  EXPECT_FALSE(over(*both, "s", "r"));
}

TEST(Follower, LeavesAloneWhatIsWantedWhole) {
  const CompileOptions one{.threads = 1};
  EXPECT_EQ(followed(*plan_of(block("%x", "add(%p, %r)", "%p, %y"), one, kOnlyFollowers)), 0u);
  EXPECT_EQ(followed(*plan_of(block("%x", "add(%p, %p)"), one, kOnlyFollowers)), 0u);
  EXPECT_EQ(followed(*plan_of(block("%x", "add(%p, %r)"), {.threads = 1, .keep_values = true},
                              kOnlyFollowers)),
            0u);
}

}  // namespace
}  // namespace hone::cpu
