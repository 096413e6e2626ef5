// The cpu target against the references, end to end.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "hone/kernels/gemm_bf16/gemm_bf16.h"
#include "hone/passes/pass_def.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

std::unique_ptr<Program> compile(const std::string& target, const Graph& graph,
                                 const CompileOptions& options) {
  const auto def = find_target(target);
  auto program = (*def)->open()->compile(std::move(*graph.clone()), options);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return program.ok() ? *std::move(program) : nullptr;
}

Model open(const std::string& spec) {
  auto model = open_model(spec);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return *std::move(model);
}

std::vector<Item> run(const Program& program, const std::vector<Item>& inputs) {
  auto outputs = program.run(inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return *std::move(outputs);
}

// The largest difference, relative to the largest magnitude.
double error_of(const Item& actual, const Item& expected) {
  const Difference difference = compare(actual.tensor, expected.tensor);
  return difference.max_abs / std::max(1e-30, difference.max_magnitude);
}

class FloatNetworks : public testing::TestWithParam<const char*> {};

TEST_P(FloatNetworks, GiveTheReferencesAnswers) {
  const Model model = open(GetParam());
  const auto inputs = make_inputs(model.graph, {}, 7);
  ASSERT_TRUE(inputs.ok());
  const auto expected = run(*compile("ref", model.graph, {}), *inputs);
  for (const int threads : {1, 3}) {
    const auto actual = run(*compile("cpu", model.graph, {.threads = threads}), *inputs);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_LT(error_of(actual[i], expected[i]), 1e-4);
  }
  const auto half =
      run(*compile("cpu", model.graph, {.threads = 1, .precision = Precision::F16}), *inputs);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_LT(error_of(half[i], expected[i]), 0.05);
}
INSTANTIATE_TEST_SUITE_P(Zoo, FloatNetworks,
                         testing::Values("zoo:ds_cnn_kws", "zoo:resnet8", "zoo:mobilenet_v1_025_96",
                                         "zoo:autoencoder", "zoo:mobilenet_v3_small",
                                         "zoo:squeezenet", "zoo:transformer_encoder"),
                         [](const auto& test) { return std::string(test.param).substr(4); });
// Cells with operators that only zeros read, or that read only zeros.
INSTANTIATE_TEST_SUITE_P(Nas201, FloatNetworks,
                         testing::Values("zoo:nas201:320314", "zoo:nas201:042013"),
                         [](const auto& test) { return std::string(test.param).substr(11); });

// Products of two inputs whose rows are shared out.
TEST(LargeProducts, GiveTheReferencesAnswers) {
  for (const std::string spec :
       {"op:matmul:300x200x1700", "op:matmul:1x4000x4000", "op:matmul:4000x1x600",
        "op:matmul:2x129x130x513", "op:matmul:257x255x256:fp16"}) {
    const Model model = open(spec);
    const auto inputs = make_inputs(model.graph, {}, 7);
    ASSERT_TRUE(inputs.ok());
    const auto expected = run(*compile("ref", model.graph, {}), *inputs);
    for (const int threads : {1, 3}) {
      const auto program = compile("cpu", model.graph, {.threads = threads});
      EXPECT_EQ(program->steps()[0].kind.family, StepFamily::Product) << spec;
      const auto actual = run(*program, *inputs);
      EXPECT_LT(error_of(actual[0], expected[0]), spec.ends_with("fp16") ? 0.02 : 1e-5) << spec;
    }
  }
}

class Bf16Networks : public testing::TestWithParam<const char*> {};

// Rounding to the 8 bits of a bfloat16 is off by up to 2^-9 of a multiplicand. Here 0.6 % of the
// largest output is the most that comes of it; a wrong tile gives far more than the 2 % allowed.
TEST_P(Bf16Networks, AreNearTheFloatAnswers) {
  const Model model = open(GetParam());
  const auto inputs = make_inputs(model.graph, {}, 7);
  ASSERT_TRUE(inputs.ok());
  const auto expected = run(*compile("cpu", model.graph, {.threads = 1}), *inputs);
  for (const int threads : {1, 3}) {
    const auto program =
        compile("cpu", model.graph, {.threads = threads, .precision = Precision::BF16});
    const auto steps = program->steps();
    const auto rounded = std::ranges::count_if(
        steps, [](const StepInfo& step) { return step.kind.precision == Arithmetic::Bf16; });
    EXPECT_EQ(rounded > 0, best_variant(gemm_bf16_variants()).name != "ref");
    const auto actual = run(*program, *inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      const double error = error_of(actual[i], expected[i]);
      EXPECT_LT(error, 0.02);
      EXPECT_EQ(error > 0, rounded > 0);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Zoo, Bf16Networks,
                         testing::Values("zoo:ds_cnn_kws", "zoo:resnet8", "zoo:mobilenet_v1_025_96",
                                         "zoo:squeezenet", "zoo:transformer_encoder"),
                         [](const auto& test) { return std::string(test.param).substr(4); });

// Where the CPU has no kernels for a precision, floats are fp32: no step takes its reference for
// it.
TEST(CpuTarget, NoPrecisionIsComputedByReferences) {
  const Model model = open("zoo:mobilenet_v1_025_96");
  const auto references = [&](Precision precision) {
    const auto steps = compile("cpu", model.graph, {.threads = 1, .precision = precision})->steps();
    return std::ranges::count_if(steps, [](const StepInfo& step) { return step.kind.reference; });
  };
  EXPECT_EQ(references(Precision::F16), references(Precision::F32));
  EXPECT_EQ(references(Precision::BF16), references(Precision::F32));
}

// A lowering that leaves out what its step is would be seen as nothing by the rules of analyze.
TEST(CpuTarget, EveryStepSaysWhatItIs) {
  for (const char* spec : {"zoo:mobilenet_v3_small", "zoo:resnet8", "zoo:transformer_encoder",
                           "zoo:ds_cnn_kws:int8"}) {
    for (const StepInfo& step : compile("cpu", open(spec).graph, {.threads = 1})->steps()) {
      EXPECT_EQ(step.kind.family == StepFamily::Other, step.kind.reference) << step.node->op;
      EXPECT_NE(step.kind.precision, Arithmetic::Unknown) << step.node->op;
      EXPECT_FALSE(step.kind.work.empty()) << step.node->op;
      EXPECT_FALSE(step.kind.on_host);
    }
  }
}

class IntegerNetworks : public testing::TestWithParam<const char*> {};

TEST_P(IntegerNetworks, GiveTheReferencesBits) {
  Model model = open(GetParam());
  const auto inputs = make_inputs(model.graph, {}, 7);
  ASSERT_TRUE(inputs.ok());
  ASSERT_TRUE(optimize(model.graph, {.disabled = {}, .last = PassStage::Engine}).ok());
  for (const Rounding rounding : {Rounding::Double, Rounding::Single, Rounding::DoubleUpward}) {
    CompileOptions options{.threads = 2};
    options.eval.rounding = rounding;
    const auto expected = run(*compile("ref", model.graph, options), *inputs);
    const auto actual = run(*compile("cpu", model.graph, options), *inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      // The last step is a softmax in float; one unit of what it reads would show a hundred times
      // as much.
      EXPECT_TRUE(all_close(actual[i].tensor, expected[i].tensor, 1e-5, 1e-7));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Zoo, IntegerNetworks,
                         testing::Values("zoo:ds_cnn_kws:int8", "zoo:resnet8:int8",
                                         "zoo:mobilenet_v1_025_96:int8"),
                         [](const auto& test) {
                           const std::string name = std::string(test.param).substr(4);
                           return name.substr(0, name.find(':'));
                         });

TEST(CpuTarget, EightThreadsOnOnePlanGiveIdenticalResults) {
  const Model model = open("zoo:ds_cnn_kws");
  const auto inputs = make_inputs(model.graph, {}, 7);
  const auto program = compile("cpu", model.graph, {.threads = 1});
  const auto expected = run(*program, *inputs);
  std::atomic<int> different = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const std::unique_ptr<Session> session = program->open();
      std::vector<Item> outputs;
      for (int i = 0; i < 1000; ++i) {
        const Status status = session->run(*inputs, outputs);
        const bool same = status.ok() && compare(outputs[0].tensor, expected[0].tensor).equal();
        different += same ? 0 : 1;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(different, 0);
}

TEST(CpuTarget, WritesIntoTheOutputsOfTheLastRun) {
  const Model model = open("zoo:ds_cnn_kws");
  const auto inputs = make_inputs(model.graph, {}, 7);
  const auto session = compile("cpu", model.graph, {.threads = 1})->open();
  std::vector<Item> outputs;
  ASSERT_TRUE(session->run(*inputs, outputs).ok());
  const std::byte* memory = outputs[0].tensor.bytes().data();
  ASSERT_TRUE(session->run(*inputs, outputs).ok());
  EXPECT_EQ(outputs[0].tensor.bytes().data(), memory);
}

TEST(CpuTarget, DisabledPassesChangeTheStepsButNotTheAnswer) {
  const Model model = open("zoo:resnet8");
  const auto inputs = make_inputs(model.graph, {}, 7);
  const auto all = compile("cpu", model.graph, {.threads = 1});
  CompileOptions options{.threads = 1};
  options.disabled_passes = {"fuse_activation", "fuse_residual"};
  const auto fewer = compile("cpu", model.graph, options);
  EXPECT_GT(fewer->steps().size(), all->steps().size());
  EXPECT_LT(error_of(run(*fewer, *inputs)[0], run(*all, *inputs)[0]), 1e-4);
}

TEST(CpuTarget, NamesTheNodesThatRunThroughTheirReference) {
  auto graph = parse_graph(R"(graph(%x: f32[4]) -> (%z) {
    %y = cum_sum(%x, i64[]{0})
    %z = relu(%y)
  })");
  ASSERT_TRUE(graph.ok());
  const auto program = compile("cpu", *graph, {.threads = 1});
  const auto steps = program->steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_TRUE(steps[0].kind.reference);
  EXPECT_FALSE(steps[1].kind.reference);
  const auto outputs = run(*program, {Item(Tensor::of<float>({4}, {1, -3, 1, 4}))});
  EXPECT_EQ(to_doubles(outputs[0].tensor), (std::vector<double>{1, 0, 0, 3}));
}

TEST(CpuTarget, RunsWhatOnlyTheDataDecides) {
  auto graph = parse_graph(R"(graph(%x: f32[4]) -> (%n, %x2, %k) {
    %n = non_zero(%x)
    %x2 = identity(%x)
    const %k: f32[2] = {5 6}
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto outputs =
      run(*compile("cpu", *graph, {.threads = 1}), {Item(Tensor::of<float>({4}, {1, 0, 0, 4}))});
  EXPECT_EQ(outputs[0].tensor.shape(), (Shape{1, 2}));
  EXPECT_EQ(to_doubles(outputs[1].tensor), (std::vector<double>{1, 0, 0, 4}));
  EXPECT_EQ(to_doubles(outputs[2].tensor), (std::vector<double>{5, 6}));
}

TEST(CpuTarget, RefusesInputsOfAnotherShape) {
  const Model model = open("zoo:ds_cnn_kws");
  const auto outputs =
      compile("cpu", model.graph, {.threads = 1})->run({Item(Tensor::of<float>({1}, {1}))});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::BadInput);
}

TEST(CpuTarget, ArenaIsNearTheLargestSumOfLiveTensors) {
  const Model model = open("zoo:mobilenet_v2");
  const auto memory = compile("cpu", model.graph, {.threads = 1})->memory();
  ASSERT_TRUE(memory.has_value());
  const auto live = static_cast<double>(memory->largest_live_bytes);
  EXPECT_LE(static_cast<double>(memory->arena_bytes), 1.1 * live);
  for (const MemoryUse& a : memory->buffers) {
    for (const MemoryUse& b : memory->buffers) {
      const bool meet = a.first_step <= b.last_step && b.first_step <= a.last_step;
      if (&a == &b || !meet) continue;
      EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset)
          << a.value << " and " << b.value;
    }
  }
}

}  // namespace
}  // namespace hone
