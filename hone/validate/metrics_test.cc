// Every metric on predictions small enough to do by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hone/validate/metric_def.h"

namespace hone {
namespace {

// Predictions as if a model had made them, and the data set they are judged by.
struct Case {
  Graph graph = *parse_graph("graph(%x: f32[1,4]) -> (%y) {\n  %y: f32[1,4] = relu(%x)\n}\n");
  DataSet data;
  Predictions predictions;
  std::optional<Predictions> reference;

  void inputs(Tensor all) {
    data.samples = all.shape()[0];
    data.inputs = {*SampleRows::of(std::move(all), "inputs.npy")};
  }
  void targets(Tensor all) { data.targets = *SampleRows::of(std::move(all), "targets.npy"); }
  // The outputs' type, so that checks before a run can be seen, too.
  void output_type(TensorType type) { graph.outputs()[0]->type = std::move(type); }
  void outputs(std::vector<Tensor> samples) {
    for (Tensor& sample : samples) predictions.samples.push_back({std::move(sample)});
    data.samples = static_cast<int64_t>(predictions.samples.size());
  }

  Result<Metric> of(const std::string& metric) const {
    return evaluate(metric, predictions, data, graph, reference ? &*reference : nullptr);
  }
  double value(const std::string& metric) const {
    const Result<Metric> result = of(metric);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? *result->value : NAN;
  }
  std::string error(const std::string& metric) const {
    const Result<Metric> result = of(metric);
    return result.ok() ? "ok" : result.error().message;
  }
};

Tensor row(const std::vector<float>& values) {
  return Tensor::of<float>({1, static_cast<int64_t>(values.size())}, values);
}

Case classifier() {
  Case c;
  c.inputs(Tensor(TensorType{DType::F32, {4, 2}}));
  c.data.labels = {1, 0, 2, 3};
  c.outputs({row({0, 5, 1, 1}), row({0, 5, 1, 1}), row({3, 1, 3, 0}), row({0, 0, 0, 1})});
  return c;
}

TEST(Top1, CountsLargestOutputsAndTheFormerOfEqualOnes) {
  EXPECT_DOUBLE_EQ(classifier().value("top1"), 0.5);
}

TEST(Metrics, WhatIsNoNumberIsNeverRight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Case c = classifier();
  c.predictions.samples.clear();
  c.outputs({row({nan, nan, nan, nan}), row({5, nan, 1, 1}), row({3, 1, 4, 0}), row({0, 0, 0, 1})});
  EXPECT_DOUBLE_EQ(c.value("top1"), 0.5);
  EXPECT_DOUBLE_EQ(c.value("top5"), 0.5);
  c.reference = classifier().predictions;
  EXPECT_EQ(c.value("fidelity"), -INFINITY);
  c.reference = c.predictions;
  EXPECT_DOUBLE_EQ(c.value("fidelity"), 1) << "the same NaN, as a reference may have";
  c.targets(Tensor(TensorType{DType::F32, {4, 4}}));
  EXPECT_EQ(c.value("psnr"), -INFINITY);
}

TEST(Top5, FindsEveryLabelAmongFour) {
  EXPECT_DOUBLE_EQ(classifier().value("top5"), 1);
  Case c;
  c.inputs(Tensor(TensorType{DType::F32, {2, 2}}));
  c.output_type({DType::F32, {1, 6}});
  c.data.labels = {0, 5};
  c.outputs({row({1, 2, 3, 4, 5, 6}), row({1, 2, 3, 4, 5, 6})});
  EXPECT_DOUBLE_EQ(c.value("top5"), 0.5);
}

TEST(Top1, OfQuantizedOutputsIsThatOfTheirStoredValues) {
  Case c = classifier();
  const auto quant = std::make_shared<Quantization>(Quantization{{0.5F}, {-3}});
  for (auto& sample : c.predictions.samples) {
    Tensor stored(TensorType{DType::I8, {1, 4}, quant});
    for (size_t i = 0; i < 4; ++i) {
      stored.mutable_data<int8_t>()[i] = static_cast<int8_t>(to_doubles(sample[0])[i]);
    }
    sample[0] = stored;
  }
  EXPECT_DOUBLE_EQ(c.value("top1"), 0.5);
}

TEST(Top1, SaysWhatIsMissingBeforeAnythingRuns) {
  Case c = classifier();
  c.data.labels = {1, 0, 2, 4};
  EXPECT_EQ(check_metric("top1", c.data, c.graph).error().message,
            "labels.npy: label 4 of sample 3 is outside the 4 outputs of the model");
  c.data.labels.reset();
  EXPECT_EQ(check_metric("top1", c.data, c.graph).error().message,
            "metric top1 or top5 needs labels.npy in the data folder");
  EXPECT_EQ(check_metric("top3", c.data, c.graph).error().message.substr(0, 16),
            "no metric 'top3'");
}

// Positives score 3 and 1, negatives 2 and 1: of four pairs two are won, one is lost, one is even.
TEST(Auc, IsTheShareOfPairsInOrder) {
  Case c;
  c.inputs(Tensor(TensorType{DType::F32, {4, 2}}));
  c.output_type({DType::F32, {1, 1}});
  c.data.labels = {1, 1, 0, 0};
  c.outputs({row({3}), row({1}), row({2}), row({1})});
  EXPECT_DOUBLE_EQ(c.value("auc"), 2.5 / 4);
  c.data.labels = {1, 1, 1, 1};
  EXPECT_NE(c.error("auc").find("has only others than 0"), std::string::npos);
}

// Windows of three recordings: means 2, 1.5 and 1; the single windows are in another order.
TEST(Auc, OfGroupsGoesByTheMeanOfTheirSamples) {
  Case c;
  c.inputs(Tensor(TensorType{DType::F32, {6, 2}}));
  c.output_type({DType::F32, {1, 1}});
  c.data.labels = {1, 0, 1, 0, 0, 0};
  c.data.groups = {{7, -1, 7, 3, -1, 3}};
  c.outputs({row({4}), row({3}), row({0}), row({1}), row({0}), row({1})});
  EXPECT_DOUBLE_EQ(c.value("auc"), 1);
  c.data.groups.reset();
  EXPECT_DOUBLE_EQ(c.value("auc"), 4.5 / 8);
}

TEST(Auc, OfAnAutoencoderGoesByItsError) {
  Case c;
  c.inputs(Tensor::of<float>({2, 4}, {1, 1, 1, 1, 2, 2, 2, 2}));
  c.data.labels = {0, 1};
  c.outputs({row({1, 1, 1, 1}), row({1, 2, 2, 2})});
  EXPECT_DOUBLE_EQ(c.value("auc"), 1);
  EXPECT_EQ(choose_metric("", c.data, c.graph)->name, "auc");
}

TEST(Auc, RefusesOutputsThatAreNoScore) {
  EXPECT_NE(classifier().error("auc").find("the model gives 4 values"), std::string::npos);
}

TEST(Mse, IsTheMeanSquareOverSamplesAndElements) {
  Case c;
  c.inputs(Tensor(TensorType{DType::F32, {2, 2}}));
  c.targets(Tensor::of<float>({2, 4}, {1, 2, 3, 4, 0, 0, 0, 0}));
  c.outputs({row({1, 2, 3, 6}), row({2, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(c.value("mse"), 1);
  EXPECT_EQ(choose_metric("", c.data, c.graph)->name, "mse");
  c.data.targets.reset();
  EXPECT_EQ(check_metric("mse", c.data, c.graph).error().message,
            "nothing to compare the outputs with: the data has neither labels nor targets; put "
            "labels.npy (class numbers) or targets.npy (wanted outputs) beside the inputs, or give "
            "a reference model");
}

Case regressor() {
  Case c;
  c.output_type({DType::F32, {1, 1}});
  c.inputs(Tensor(TensorType{DType::F32, {2, 4}}));
  c.outputs({row({3}), row({-4.5})});
  c.reference = Predictions{{{row({3})}, {row({-4})}}};
  return c;
}

TEST(Fidelity, IsOneLessTheRelativeError) {
  Case c = regressor();
  EXPECT_DOUBLE_EQ(c.value("fidelity"), 1 - 0.1);  // 0.5 of 5.
  c.predictions = *c.reference;
  EXPECT_DOUBLE_EQ(c.value("fidelity"), 1);
  c.reference = Predictions{{{row({0})}, {row({0})}}};
  EXPECT_LT(c.value("fidelity"), -1e9);
  c.reference.reset();
  EXPECT_EQ(c.error("fidelity"), "metric fidelity needs a model to be near to");
}

TEST(Agreement, SaysNothingOfOneNumber) {
  EXPECT_EQ(regressor().error("agreement"),
            "metric agreement asks which of several outputs is largest, but the model gives one "
            "number per sample; metric fidelity tells how near it is");
}

TEST(ChooseMetric, TakesAgreementOnlyForScores) {
  Case c = regressor();
  const auto chosen = [&](TensorType type) {
    c.output_type(std::move(type));
    return choose_metric("", c.data, c.graph, true)->name;
  };
  EXPECT_EQ(chosen({DType::F32, {1, 1}}), "fidelity");
  EXPECT_EQ(chosen({DType::F32, {1, 10}}), "agreement");
  EXPECT_EQ(chosen({DType::F32, {1, 4}}), "fidelity") << "as many as go in";
  EXPECT_EQ(chosen({DType::F32, {kUnknown, 10, 1, 1}}), "agreement");
  EXPECT_EQ(chosen({DType::F32, {1, 2034, 4}}), "fidelity");
  EXPECT_EQ(choose_metric("", c.data, c.graph, true)->why,
            "the data has neither labels nor targets, and the model's output is no list of scores");
  c.data.labels = {0, 1};
  EXPECT_EQ(chosen({DType::F32, {1, 10}}), "top1");
  EXPECT_EQ(choose_metric("mse", c.data, c.graph)->why, "");
}

TEST(Mse, TakesStoredIntegersForWhatTheOutputMeans) {
  Case c;
  const auto quant = std::make_shared<Quantization>(Quantization{{0.5F}, {1}});
  c.output_type({DType::I8, {1, 2}, quant});
  c.inputs(Tensor(TensorType{DType::F32, {1, 2}}));
  c.targets(Tensor::of<int8_t>({1, 2}, {3, 5}));
  Tensor output(TensorType{DType::I8, {1, 2}, quant});
  output.mutable_data<int8_t>()[0] = 3;
  output.mutable_data<int8_t>()[1] = 9;
  c.outputs({output});
  EXPECT_DOUBLE_EQ(c.value("mse"), 2);  // (9 - 5) * 0.5 = 2 wrong, in one of two elements.
}

// Errors 0.1 and 0.01 everywhere against a peak of 1: 20 and 40 dB.
TEST(Psnr, IsTheMeanOverTheSamples) {
  Case c;
  c.inputs(Tensor(TensorType{DType::F32, {2, 4}}));
  c.targets(Tensor::of<float>({2, 4}, {0, 0, 0, 0, 1, 1, 1, 1}));
  c.outputs({row({0.1F, 0.1F, 0.1F, 0.1F}), row({0.99F, 0.99F, 0.99F, 0.99F})});
  EXPECT_NEAR(c.value("psnr"), 30, 1e-4);
  EXPECT_EQ(c.of("psnr")->unit, "dB");
  c.targets(Tensor::of<uint8_t>({2, 4}, {255, 255, 255, 255, 0, 0, 0, 0}));
  c.predictions.samples[0][0] = row({229.5F, 229.5F, 229.5F, 229.5F});
  c.predictions.samples[1][0] = row({0, 0, 0, 0});
  EXPECT_NEAR(c.value("psnr"), 20, 1e-4);
  EXPECT_EQ(c.of("psnr")->note, "peak 255, without 1 samples that are equal");
  c.data.targets.reset();
  EXPECT_EQ(c.error("psnr"), "metric psnr needs targets.npy in the data folder");
}

// Wanted 0 0 1 1, given 0 1 1 1: class 0 shares 1 of 2 pixels, class 1 shares 2 of 3.
constexpr double kTwoClasses = (1.0 / 2 + 2.0 / 3) / 2;

Case segmentation() {
  Case c;
  c.output_type({DType::F32, {1, 2, 2, 2}});
  c.inputs(Tensor(TensorType{DType::F32, {1, 4}}));
  c.targets(Tensor::of<uint8_t>({1, 2, 2}, {0, 0, 1, 1}));
  return c;
}

TEST(Miou, TakesScoresOfClassesFirstOrLast) {
  Case last = segmentation();
  last.targets(Tensor::of<uint8_t>({1, 1, 4}, {0, 0, 1, 1}));
  last.outputs({Tensor::of<float>({1, 1, 4, 2}, {1, 0, 0, 1, 0, 1, 0, 1})});
  EXPECT_DOUBLE_EQ(last.value("miou"), kTwoClasses);
  Case first = segmentation();
  first.targets(Tensor::of<uint8_t>({1, 1, 4}, {0, 0, 1, 1}));
  first.outputs({Tensor::of<float>({1, 2, 1, 4}, {1, 0, 0, 0, 0, 1, 1, 1})});
  EXPECT_DOUBLE_EQ(first.value("miou"), kTwoClasses);
}

TEST(Miou, TakesOneScoreOrAClassNumberPerPixel) {
  Case score = segmentation();
  score.output_type({DType::F32, {1, 2, 2, 1}});
  score.outputs({Tensor::of<float>({1, 2, 2, 1}, {0.2F, 0.5F, 0.9F, 1})});
  EXPECT_DOUBLE_EQ(score.value("miou"), kTwoClasses);
  Case number = segmentation();
  number.output_type({DType::I64, {1, 2, 2}});
  number.outputs({Tensor::of<int64_t>({1, 2, 2}, {0, 1, 1, 1})});
  EXPECT_DOUBLE_EQ(number.value("miou"), kTwoClasses);
}

TEST(Miou, LeavesOutPixelsThatDoNotCount) {
  Case c = segmentation();
  c.targets(Tensor::of<uint8_t>({1, 2, 2}, {0, 255, 1, 1}));
  c.outputs({Tensor::of<float>({1, 2, 2, 1}, {0, 1, 1, 1})});
  c.output_type({DType::F32, {1, 2, 2, 1}});
  EXPECT_DOUBLE_EQ(c.value("miou"), 1);
}

TEST(Miou, RefusesTargetsThatAreNoPixels) {
  Case c = segmentation();
  c.targets(Tensor::of<float>({1, 2}, {0, 1}));
  EXPECT_EQ(check_metric("miou", c.data, c.graph).error().message,
            "targets.npy: holds f32, expected class numbers");
  c.targets(Tensor::of<uint8_t>({1, 3}, {0, 1, 1}));
  EXPECT_EQ(check_metric("miou", c.data, c.graph).error().message,
            "targets.npy has 3 class numbers per sample, but the model gives 8 values, expected a "
            "multiple");
}

Case detector(const std::string& outputs) {
  Case c;
  c.graph = *parse_graph(str("graph(%x: f32[1,4]) -> (", outputs, R"() {
    %boxes: f32[1,2,4] = relu(%x)
    %classes: f32[1,2] = relu(%x)
    %scores: f32[1,2] = relu(%x)
    %count: f32[1] = relu(%x)
  }
)"));
  c.inputs(Tensor(TensorType{DType::F32, {1, 4}}));
  c.targets(Tensor::of<float>({1, 3, 5}, {7, 0, 0, 1, 1, 8, 4, 4, 6, 6, -1, 0, 0, 0, 0}));
  return c;
}

// One box is exact, the other overlaps by 0.625 and so is right at 0.5, 0.55 and 0.6.
const Tensor kBoxes = Tensor::of<float>({1, 2, 4}, {0, 0, 1, 1, 4, 4, 5.25F, 6});

TEST(Map, ReadsTheOutputsOfTflite) {
  Case c = detector("%boxes, %classes, %scores, %count");
  c.predictions.samples = {{kBoxes, row({7, 8}), row({0.9F, 0.8F}), Tensor::of<float>({1}, {2})}};
  EXPECT_DOUBLE_EQ(c.value("map50"), 1);
  EXPECT_NEAR(c.value("map"), (3 * 1.0 + 7 * 0.5) / 10, 1e-9);
  c.predictions.samples[0][3] = Tensor::of<float>({1}, {1});  // Only the first counts.
  EXPECT_DOUBLE_EQ(c.value("map50"), 0.5);
}

TEST(Map, TellsScoresFromClassesByNameAndType) {
  Case c = detector("%boxes, %scores, %classes");
  c.predictions.samples = {{kBoxes, row({0.9F, 0.8F}), row({7, 8})}};
  EXPECT_DOUBLE_EQ(c.value("map50"), 1);
  Case integers = detector("%boxes, %count, %scores");
  integers.predictions.samples = {
      {kBoxes, Tensor::of<int64_t>({2}, {7, 8}), Tensor::of<float>({2}, {0.9F, 0.8F})}};
  EXPECT_DOUBLE_EQ(integers.value("map50"), 1);
}

TEST(Map, ReadsRowsOfBoxScoreAndClass) {
  Case c = detector("%boxes");
  c.predictions.samples = {
      {Tensor::of<float>({2, 6}, {0, 0, 1, 1, 0.9F, 7, 4, 4, 5.25F, 6, 0.8F, 8})}};
  EXPECT_DOUBLE_EQ(c.value("map50"), 1);
}

TEST(Map, RefusesWhatAreNoDetections) {
  Case c = detector("%boxes, %classes, %scores");
  c.predictions.samples = {{kBoxes, row({7, 8, 9}), row({0.9F, 0.8F})}};
  EXPECT_EQ(c.error("map"),
            "sample 0: expected two outputs of 2 elements, classes and scores, got 1");
  c.targets(Tensor::of<float>({1, 4}, {7, 0, 0, 1}));
  EXPECT_EQ(check_metric("map", c.data, c.graph).error().message,
            "targets.npy: is f32[1,4], expected [N, M, 5] of class and box");
}

TEST(Agreement, IsTheShareOfEqualAnswers) {
  Case c = classifier();
  EXPECT_EQ(c.error("agreement"), "metric agreement needs a model to agree with");
  c.reference = c.predictions;
  EXPECT_DOUBLE_EQ(c.value("agreement"), 1);
  c.reference->samples[1][0] = row({9, 5, 1, 1});
  EXPECT_DOUBLE_EQ(c.value("agreement"), 0.75);
}

TEST(Metrics, AllHaveANameOfTheirOwnAndASummary) {
  for (const MetricDef* metric : all_metrics()) {
    EXPECT_EQ(*find_metric_def(std::string(metric->name)), metric);
    EXPECT_FALSE(metric->summary.empty());
  }
}

}  // namespace
}  // namespace hone
