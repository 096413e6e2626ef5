// Whole networks on a GPU beside the cpu target, and operators beside the reference. Skipped, with the reason, where there is no GPU.

#include <gtest/gtest.h>

#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"
#include "tests/cuda_operators.h"

namespace hone {
namespace {

std::vector<Item> outputs_on(std::string_view target, const Graph& graph, Precision precision,
                             const std::vector<Item>& inputs) {
  const auto program =
      (*find_target(target))->open()->compile(std::move(*graph.clone()), {.precision = precision});
  EXPECT_TRUE(program.ok()) << target << ": " << program.error().message;
  auto outputs = (*program)->run(inputs);
  EXPECT_TRUE(outputs.ok()) << target << ": " << outputs.error().message;
  return *std::move(outputs);
}

class CudaTarget : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Support here = (*find_target("cuda"))->here();
    if (!here.full) GTEST_SKIP() << here.reason;
    const auto model = open_model(std::string("zoo:") + GetParam());
    ASSERT_TRUE(model.ok()) << model.error().message;
    graph_ = model->graph.clone();
    const auto inputs = make_inputs(*graph_, {}, 7);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    inputs_ = *inputs;
  }

  void expect_near(Precision precision, double allowed) {
    const auto expected = outputs_on("cpu", *graph_, Precision::F32, inputs_);
    const auto actual = outputs_on("cuda", *graph_, precision, inputs_);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Difference difference = compare(actual[i].tensor, expected[i].tensor);
      ASSERT_TRUE(difference.comparable) << difference.what;
      EXPECT_LE(difference.max_abs, allowed * std::max(1e-3, difference.max_magnitude))
          << "output " << i;
    }
  }

  std::unique_ptr<Graph> graph_;
  std::vector<Item> inputs_;
};

TEST_P(CudaTarget, GivesWhatTheCpuGives) {
  expect_near(Precision::F32, 1e-3);
}

TEST_P(CudaTarget, GivesNearlyThatInHalfPrecision) {
  expect_near(Precision::F16, 3e-2);
}

// Eight bits of a number are left, of the twenty-four of float32.
TEST_P(CudaTarget, GivesRoughlyThatInBfloats) {
  expect_near(Precision::BF16, 2e-1);
}

struct OperatorType {
  const char* name;
  double
      allowed;  // Of the largest magnitude: results are rounded to the type, and sums before them.
};

class CudaOperators : public testing::TestWithParam<OperatorType> {};

TEST_P(CudaOperators, GiveWhatTheReferenceGives) {
  const Support here = (*find_target("cuda"))->here();
  if (!here.full) GTEST_SKIP() << here.reason;
  for (const CudaOperatorCase& given : kCudaOperators) {
    SCOPED_TRACE(str(given.op, given.text));
    const Result<Graph> graph = operator_graph(given, GetParam().name);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto inputs = make_inputs(*graph, {}, 3);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    const auto expected = outputs_on("ref", *graph, Precision::F32, *inputs);
    const auto actual = outputs_on("cuda", *graph, Precision::F32, *inputs);
    const Difference difference = compare(actual[0].tensor, expected[0].tensor);
    ASSERT_TRUE(difference.comparable) << difference.what;
    if (expected[0].tensor.dtype() == DType::I64) {
      EXPECT_EQ(difference.different, 0);
    } else {
      EXPECT_LE(difference.max_abs, GetParam().allowed * std::max(1.0, difference.max_magnitude));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CudaOperators,
                         testing::Values(OperatorType{"f32", 1e-5}, OperatorType{"f16", 3e-3},
                                         OperatorType{"bf16", 2e-2}),
                         [](const auto& param) { return std::string(param.param.name); });

INSTANTIATE_TEST_SUITE_P(Networks, CudaTarget,
                         testing::Values("ds_cnn_kws", "mobilenet_v3_large", "resnet50",
                                         "efficientnet_b0", "yolov5n", "transformer_encoder",
                                         "vit_b_16", "resnet8", "autoencoder"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace hone
