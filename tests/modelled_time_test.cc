// On devices that are not here, run, bench and validate tell the time of the device's model, which
// is the same every time, and never that of this machine.

#include <gtest/gtest.h>

#include "hone/workbench/bench.h"
#include "hone/workbench/layer_times.h"
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
  const auto result = bench_model({"zoo:ds_cnn_kws", "int8"}, GetParam(), {}, 60);
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

}  // namespace
}  // namespace hone
