// Integers on a GPU beside the reference, bit for bit: every variant of every kernel on small layers,
// under every rule of rounding, and whole networks. Skipped, with the reason, where there is no GPU.

#include <gtest/gtest.h>

#include "hone/ops/op_case.h"
#include "hone/targets/cuda/cuda_program.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"
#include "tests/int8_layers.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

std::string why_not_here() {
  const Support here = (*find_target("cuda"))->here();
  return here.full ? "" : here.reason;
}

std::string first_difference(const std::vector<Item>& actual, const std::vector<Item>& expected,
                             double allowed = 0) {
  if (actual.size() != expected.size()) return "not as many outputs";
  for (size_t i = 0; i < actual.size(); ++i) {
    const Difference difference = compare(actual[i].tensor, expected[i].tensor);
    if (!difference.comparable) return difference.what;
    if (difference.max_abs > allowed) return str("output ", i, " is off by ", difference.max_abs);
  }
  return "";
}

Result<std::vector<Item>> outputs_on(std::string_view target, const Graph& graph,
                                     const CompileOptions& options,
                                     const std::vector<Item>& inputs) {
  HONE_TRY(const auto program,
           (*find_target(target))->open()->compile(std::move(*graph.clone()), options));
  return program->run(inputs);
}

class CudaInt8Layer : public testing::TestWithParam<size_t> {};

TEST_P(CudaInt8Layer, GivesTheReferencesBits) {
  if (const std::string reason = why_not_here(); !reason.empty()) GTEST_SKIP() << reason;
  const Int8Layer& layer = kInt8Layers[GetParam()];
  const auto graph = graph_of_case(layer.op, layer.text);
  ASSERT_TRUE(graph.ok()) << layer.text << ": " << graph.error().message;
  const auto inputs = make_inputs(*graph, {}, 11);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const auto gpu = cuda::Gpu::open();
  ASSERT_TRUE(gpu.ok());
  for (const Rounding rounding : {Rounding::Double, Rounding::Single, Rounding::DoubleUpward}) {
    const CompileOptions options{.eval = {.rounding = rounding}, .tune_seconds = 0};
    const auto expected = outputs_on("ref", *graph, options, *inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    for (size_t variant = 0, variants = 1; variant < variants; ++variant) {
      auto plan = cuda::make_plan(std::move(*graph->clone()), options, (*gpu)->info());
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      ASSERT_EQ((*plan)->steps.size(), 1u);
      cuda::Step& step = (*plan)->steps[0];
      ASSERT_FALSE(step.on_host()) << layer.text;
      // All variants round by the same text.
      if (rounding == Rounding::Double) variants = step.variants.size();
      step.chosen = variant;
      const std::string name = step.variant().name;
      auto loaded = cuda::load_plan(**gpu, *std::move(plan));
      ASSERT_TRUE(loaded.ok()) << loaded.error().message;
      const auto actual = cuda::make_cuda_program(*std::move(loaded))->run(*inputs);
      ASSERT_TRUE(actual.ok()) << actual.error().message;
      EXPECT_EQ(first_difference(*actual, *expected), "")
          << layer.op << " " << layer.text << ", variant " << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, CudaInt8Layer, testing::Range(size_t{0}, std::size(kInt8Layers)));

class CudaInt8Network : public testing::TestWithParam<const char*> {
 protected:
  void expect_bits(const std::string& name, const CompileOptions& options) {
    const auto model = open_model(name);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto inputs = make_inputs(model->graph, {}, 7);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    const auto expected = outputs_on("cpu", model->graph, options, *inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    const auto actual = outputs_on("cuda", model->graph, options, *inputs);
    ASSERT_TRUE(actual.ok()) << actual.error().message;
    // Behind the integers some networks have a softmax of floats, whose exponentials are others.
    const Node* last = model->graph.outputs()[0]->producer;
    const bool floats = last->op == "softmax" && !last->outputs[0]->type.tensor.quantized();
    EXPECT_EQ(first_difference(*actual, *expected, floats ? 1e-6 : 0), "") << name;
  }
};

TEST_P(CudaInt8Network, GivesTheBitsOfTheCpu) {
  if (const std::string reason = why_not_here(); !reason.empty()) GTEST_SKIP() << reason;
  std::string name = GetParam();
  if (!name.starts_with("zoo:")) {
    HONE_SKIP_WITHOUT(shared_dir());
    name = (shared_dir() / "models" / name).string();
  }
  expect_bits(name, {.tune_seconds = 0});
}

INSTANTIATE_TEST_SUITE_P(
    Networks, CudaInt8Network,
    testing::Values("zoo:resnet50:int8", "zoo:mobilenet_v2:int8", "zoo:mobilenet_v3_large:int8",
                    "zoo:efficientnet_b0:int8", "zoo:ds_cnn_kws:int8", "zoo:resnet8:int8",
                    "zoo:autoencoder:int8", "zoo:yolov5n:int8", "mlperf_tiny/kws_int8.tflite",
                    "mlperf_tiny/ic_int8.tflite", "mlperf_tiny/vww_int8.tflite",
                    "mlperf_tiny/ad_int8.tflite", "coral/mobilenet_v2_ptq_int8.tflite",
                    "coral/mobilenet_v2_uint8.tflite", "coral/mobilenet_v1_025_128_uint8.tflite"),
    [](const auto& param) {
      std::string name = param.param;
      std::ranges::replace_if(
          name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace hone
