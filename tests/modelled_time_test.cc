// On devices that are not here, run, bench and validate tell the time of the device's model, which
// is the same every time, and never that of this machine.

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"
#include "hone/profile/cache_counters.h"
#include "hone/report/profile_text.h"
#include "hone/workbench/bench.h"
#include "hone/workbench/layer_times.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/validate_model.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

constexpr const char* kModel = "zoo:ds_cnn_kws:int8";

Metric modelled(const std::string& spec, const std::string& target) {
  Model model = *open_model(spec);
  const auto program = (*find_target(target))->open()->compile(std::move(model.graph), {});
  EXPECT_TRUE(program.ok()) << program.error().message;
  return (*program)->modelled()->latency;
}

class ModelledTime : public testing::TestWithParam<const char*> {};

TEST_P(ModelledTime, IsWhatRunTells) {
  Model model = *open_model(kModel);
  const auto inputs = *make_inputs(model.graph, {}, 0);
  const auto result = run_model(model, GetParam(), {}, inputs, 3);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Metric expected = modelled(kModel, GetParam());
  EXPECT_EQ(result->latency.value, expected.value);
  EXPECT_EQ(result->latency.mode, expected.mode);
  EXPECT_NE(result->latency.mode, Mode::Measured);
  ASSERT_TRUE(result->computing);
  EXPECT_EQ(result->computing->mode, Mode::Measured);
  EXPECT_EQ(result->computing->n, 3);
}

TEST_P(ModelledTime, IsWhatBenchTells) {
  const auto result = std::move(bench_models({{"zoo:ds_cnn_kws", "int8"}}, GetParam(), {}, 60)[0]);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Metric expected = modelled(kModel, GetParam());
  EXPECT_EQ(result->latency.value, expected.value);
  EXPECT_EQ(result->latency.low, expected.low);
  EXPECT_NEAR(result->rate(), 2e3 * result->gmacs / *expected.value, 1e-9);
}

TEST_P(ModelledTime, IsWhatLayersSumUpTo) {
  const Model model = *open_model(kModel);
  const auto times = layer_times(model.graph, GetParam(), {});
  ASSERT_TRUE(times.ok()) << times.error().message;
  double sum = 0;
  for (const auto& [name, us] : *times) sum += us;
  const double whole = 1e3 * *modelled(kModel, GetParam()).value;
  EXPECT_GT(sum, 0.4 * whole);
  EXPECT_LE(sum, 1.0001 * whole);
}

INSTANTIATE_TEST_SUITE_P(Devices, ModelledTime, testing::Values("npu", "raspberry-pi-4"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

Validation validate(const std::string& spec, ValidateRequest request) {
  const Model model = *open_model(spec);
  request.target = "npu";
  request.seconds = 60;  // Nothing is timed.
  const auto result = validate_model(model, request);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result->validation;
}

TEST(ModelledGate, HoldsTheModelsTimeToTheLimit) {
  const double ms = *modelled(kModel, "npu").value;
  ValidateRequest request;
  request.budgets.latency = 1.001e-3 * ms;
  const Validation passed = validate(kModel, request);
  ASSERT_EQ(passed.gate.size(), 1u);
  EXPECT_EQ(passed.gate[0].verdict, Verdict::Pass) << passed.gate[0].reached;
  EXPECT_EQ(passed.gate[0].from, "simulated");
  EXPECT_EQ(passed.latency->value, ms);
  EXPECT_EQ(passed.device, "npu");
  request.budgets.latency = 0.999e-3 * ms;
  EXPECT_EQ(validate(kModel, request).gate[0].verdict, Verdict::Fail);
}

TEST(ModelledGate, KnowsASlowdownWithoutRunningAnything) {
  const Model slower = *open_model("zoo:ds_cnn_kws");  // Floats go to the host.
  const Model faster = *open_model(kModel);
  ValidateRequest request;
  request.budgets.slowdown = SlowdownLimits{.part = 0.05, .ms = 0};
  request.baseline_model = &slower;
  EXPECT_EQ(validate(kModel, request).gate[0].verdict, Verdict::Pass);
  request.baseline_model = &faster;
  EXPECT_EQ(validate("zoo:ds_cnn_kws", request).gate[0].verdict, Verdict::Fail);

  const double ms = *modelled(kModel, "npu").value;
  request.baseline_model = nullptr;
  request.baseline = Baseline{"old.json", "npu", "npu", {ms / 1.06}, {}};
  EXPECT_EQ(validate(kModel, request).gate[0].verdict, Verdict::Fail);
  request.baseline->samples_ms = {ms / 1.04};
  EXPECT_EQ(validate(kModel, request).gate[0].verdict, Verdict::Pass);
  request.baseline->device = "another";
  EXPECT_EQ(validate(kModel, request).gate[0].verdict, Verdict::Inconclusive);
}

TEST(ModelledGate, TakesTheEnergyOfTheDevice) {
  ValidateRequest request;
  request.budgets.energy = 1;
  const Validation validation = validate(kModel, request);
  EXPECT_TRUE(validation.gate[0].from.starts_with("predicted")) << validation.gate[0].from;
  EXPECT_EQ(validation.gate[0].verdict, Verdict::Pass);
}

Validation validate_on(const std::string& device, const Model& model, ValidateRequest request) {
  request.target = device;
  const auto result = validate_model(model, request);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result->validation;
}

// 13 MiB of weights into 2 MiB of flash, 5.7 MiB of activations into 1.3 MiB of RAM.
TEST(ModelledGate, FailsWhatDoesNotFitWhateverTheLimit) {
  const Model model = *open_model("zoo:mobilenet_v2");
  ValidateRequest request;
  request.budgets.latency = 1000;
  request.budgets.energy = 1000;
  const Validation validation = validate_on("cortex-m7", model, request);
  ASSERT_EQ(validation.gate.size(), 3u);
  EXPECT_EQ(verdict_of(validation), Verdict::Fail);
  for (const GateRow& row : validation.gate) EXPECT_EQ(row.verdict, Verdict::Fail) << row.what;
  const std::string& why = validation.gate[0].why;
  EXPECT_TRUE(why.starts_with("does not fit: weights take 13.")) << why;
  EXPECT_NE(why.find("cortex-m7 has 2.00 MiB of flash, most in 'classifier.1'"), why.npos) << why;
  EXPECT_NE(why.find("of RAM, most in 'features."), why.npos) << why;
  EXPECT_FALSE(validation.latency->value);

  ProfileRequest profiling{.target = "cortex-m7"};
  Model again = *open_model("zoo:mobilenet_v2");
  const auto profile = profile_model(again, profiling);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_NE(profile_text(*profile, {}).find("latency   unavailable: does not fit: "),
            std::string::npos);
}

// A network whose one layer, `extent` by `extent` weights, is in both branches of an if.
Model branching(int64_t extent, int64_t rows) {
  Model model;
  model.name = "branching";
  Graph& graph = model.graph;
  Value* condition = graph.add_input("c", {DType::Bool, {}});
  Value* x = graph.add_input("x", {DType::F32, {rows, extent}});
  Attrs attrs{{"captures", int64_t{1}}};
  for (const char* name : {"then_branch", "else_branch"}) {
    auto branch = std::make_shared<Graph>();
    Value* in = branch->add_input("x", TensorType::unranked(DType::F32));
    Value* w = branch->add_constant("w", random_tensor({DType::F32, {extent, extent}}, 1));
    const Node* product = branch->add_node("matmul", {in, w}, {TensorType::unranked(DType::F32)});
    branch->add_output(product->outputs[0]);
    attrs[name] = std::move(branch);
  }
  const Node* node = graph.add_node("if", {condition, x}, std::vector<ValueType>(1), attrs);
  graph.add_output(node->outputs[0]);
  EXPECT_TRUE(infer_types(graph).ok());
  return model;
}

TEST(ModelledGate, CountsWhatIsInsideOfBranches) {
  const Model model = branching(1024, 1);
  const ModelSummary summary = summarize(model.graph);
  EXPECT_EQ(summary.parameters, 2 << 20);
  EXPECT_EQ(summary.macs, 1 << 20);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(constant_bytes(model.graph), 8u << 20);
  ValidateRequest request;
  request.budgets.latency = 1000;
  const Validation validation = validate_on("cortex-m7", model, request);
  EXPECT_EQ(verdict_of(validation), Verdict::Fail);
  EXPECT_TRUE(validation.gate[0].why.starts_with("does not fit: weights take 8.00 MiB"))
      << validation.gate[0].why;
  request.budgets = {};
  request.budgets.peak_memory = 4 << 20;
  EXPECT_EQ(verdict_of(validate_on("cpu", model, request)), Verdict::Fail);
  // A million multiply-adds take the chip more than a millisecond.
  const Validation small = validate_on("cortex-m7", branching(512, 4), [] {
    ValidateRequest latency;
    latency.budgets.latency = 1e-3;
    return latency;
  }());
  EXPECT_EQ(small.gate.at(0).verdict, Verdict::Fail) << small.gate[0].reached;
}

// How often a loop runs is an input: nobody can tell what it takes.
TEST(ModelledGate, NeverPassesWhatIsNotKnown) {
  Model model;
  model.name = "loop";
  model.graph = *parse_graph(R"(graph(%n: i64[], %x: f32[1,4]) -> %y {
    %y = loop(%n, _, %x)
      body=graph(%i: i64[], %c: bool[], %s: f32[...]) -> (%c, %t) { %t: f32[...] = neg(%s) }
  })");
  ASSERT_TRUE(infer_types(model.graph).ok());
  for (const char* device : {"cortex-m7", "npu"}) {
    ValidateRequest request;
    request.budgets.latency = 1000;
    request.budgets.energy = 1000;
    request.budgets.peak_memory = 1e9;
    const Validation validation = validate_on(device, model, request);
    for (const GateRow& row : validation.gate) {
      EXPECT_EQ(row.verdict, Verdict::Inconclusive) << device << ": " << row.what;
      EXPECT_EQ(
          row.why,
          "1 layer of extents or repetitions that follow from values, which only a run tells");
    }
  }
}

// More iterations than anyone waits for are counted, not walked.
TEST(ModelledCaches, KeepTheWeightsOfALoopOnce) {
  auto graph = parse_graph(R"(graph(%x: f32[1,2]) -> %y {
    const %w: f32[2,2] = {1 0 0 1}
    %y = loop(i64[]{4000000000000}, bool[]{false}, %x, %w) captures=1
      body=graph(%i: i64[], %c: bool[], %s: f32[...], %w: f32[...]) -> (%c, %t) {
        %t: f32[...] = matmul(%s, %w)
      }
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  const auto program = (*find_target("cpu"))->open()->compile(*std::move(graph), {.threads = 1});
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ((*program)->steps()[0].cost.stored_bytes, 16u);
  EXPECT_TRUE(simulate_caches(**program).ok());
}

}  // namespace
}  // namespace hone
