// Several models on devices: which one to take, in every form it is told in.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/report/document/charts.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/model_choice_text.h"
#include "hone/workbench/compare_models.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

std::vector<ComparedModel> opened(const std::vector<std::string>& specs) {
  std::vector<ComparedModel> models;
  for (const std::string& spec : specs) {
    models.push_back({.spec = spec, .model = *open_model(spec)});
  }
  return models;
}

std::string text_of(const ModelComparison& comparison) {
  return document_text(document_of(comparison, {}));
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::string error_of(const std::vector<std::string>& given) {
  std::vector<ComparedModel> models(3);
  models[0].spec = "zoo:resnet8";
  models[1].spec = "a/net.onnx";
  models[2].spec = "b/net.onnx";
  const Status status = give_accuracies(given, models);
  return status.ok() ? "" : status.error().message;
}

TEST(GivenAccuracies, AreOfTheModelThatIsNamed) {
  std::vector<ComparedModel> models(2);
  models[0].spec = "zoo:resnet8";
  models[1].spec = "nets/a=b.onnx";
  ASSERT_TRUE(give_accuracies({"resnet8=77.1", "a=b.onnx=0.5%"}, models).ok());
  EXPECT_EQ(models[0].accuracy, 77.1);
  EXPECT_EQ(models[1].accuracy, 0.5);
}

TEST(GivenAccuracies, NameWhatIsWrong) {
  EXPECT_EQ(error_of({"zoo:resnet8=88", "a/net.onnx=70", "b/net.onnx=71%"}), "");
  EXPECT_EQ(error_of({"resnet9=88"}),
            "resnet9=88: 'resnet9' is none of the models (did you mean 'resnet8'?); there are: "
            "zoo:resnet8, a/net.onnx, b/net.onnx");
  EXPECT_EQ(error_of({"net.onnx=70"}),
            "net.onnx=70: 'net.onnx' is a/net.onnx and b/net.onnx; give one of these");
  EXPECT_EQ(error_of({"resnet8=88", "zoo:resnet8=89"}),
            "zoo:resnet8=89: zoo:resnet8 has one already");
  EXPECT_EQ(error_of({"resnet8"}), "resnet8: expected NAME=77.1");
  // Of a part of 1 nobody knows whether it is one.
  for (const std::string value : {"0.771", "101", "-3", "7x", ""}) {
    EXPECT_EQ(
        error_of({"resnet8=" + value}),
        str("resnet8=", value, ": '", value, "' is no percentage, expected such as 77.1 or 77.1%"));
  }
}

TEST(CompareModels, RanksEachDeviceByItself) {
  std::vector<ComparedModel> models = opened({"zoo:resnet8", "zoo:ds_cnn_kws", "zoo:resnet50"});
  ASSERT_TRUE(give_accuracies({"resnet8=70", "ds_cnn_kws=90", "resnet50=95"}, models).ok());
  const auto compared = compare_models(models, {.devices = {"raspberry-pi-5", "cortex-m7"}}, 60);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  ASSERT_EQ(compared->devices.size(), 2u);
  const DeviceFigures& given = compared->models[0].devices[0];
  EXPECT_EQ(given.accuracy.mode, Mode::Given);
  EXPECT_EQ(*given.accuracy.value, 70);
  // It fits no microcontroller: no latency, no place, and the reason.
  const DeviceFigures& large = compared->models[2].devices[1];
  EXPECT_TRUE(large.failed.starts_with("does not fit: ")) << large.failed;
  EXPECT_TRUE(large.latency.empty());
  for (const ModelFront& front : compared->devices[1].fronts) {
    ASSERT_EQ(front.places.size(), 3u);
    EXPECT_FALSE(front.places[2].on_front);
    EXPECT_EQ(front.places[0].dominated_by, std::vector<std::string>{"zoo:ds_cnn_kws"});
  }
  EXPECT_NE(compared->devices[1].choice->take, "zoo:resnet50");
  const std::string text = text_of(*compared);
  EXPECT_TRUE(text.starts_with("3 models on 2 devices\n")) << text;
  EXPECT_TRUE(says(text, "zoo:resnet50 on cortex-m7 does not fit: ")) << text;
  EXPECT_TRUE(says(text, "dominated by zoo:ds_cnn_kws")) << text;
  EXPECT_TRUE(says(text, "95 given")) << text;
  EXPECT_TRUE(says(text, "given: told by the user")) << text;

  for (const std::string& chart :
       {svg_of(std::get<ScatterChart>(document_of(*compared, {}).sections.at(0).blocks.at(2))),
        svg_of(std::get<BarChart>(document_of(*compared, {}).sections.at(0).blocks.at(3)))}) {
    EXPECT_FALSE(says(chart, ">zoo:resnet50<")) << chart;
    EXPECT_TRUE(says(chart, ">zoo:resnet8<")) << chart;
  }
  const auto back = models_from_json(models_to_json(*compared));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(text_of(*back), text);
}

TEST(CompareModels, SaysThatAGivenAccuracyIsNotOfWhatWasQuantized) {
  std::vector<ComparedModel> models = opened({"zoo:resnet8", "zoo:ds_cnn_kws"});
  ASSERT_TRUE(give_accuracies({"resnet8=70", "ds_cnn_kws=90"}, models).ok());
  const auto compared = compare_models(models, {.devices = {"npu"}}, {});
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  EXPECT_TRUE(says(text_of(*compared),
                   "npu: accuracy is given for the float model, not for what was quantized here"));
}

TEST(CompareModels, SaysOfWhichKindAnAccuracyIsWhereTheyDiffer) {
  ModelComparison comparison{.models = {{.model = "a"}, {.model = "b"}}};
  for (DeviceComparison& model : comparison.models) {
    DeviceFigures& figures = model.devices.emplace_back(DeviceFigures{.device = "phone"});
    figures.latency = {{.name = "median", .value = 1, .unit = "ms"}};
    figures.accuracy = {.name = "accuracy", .value = 90, .unit = "%", .mode = Mode::Given};
  }
  comparison.models[1].devices[0].accuracy = {.name = "top1", .value = 0.875, .n = 240};
  rank_models(comparison);
  const std::string text = text_of(comparison);
  EXPECT_TRUE(says(text, "accuracy, %: 90 given")) << text;
  EXPECT_TRUE(says(text, "top1: 0.875 meas")) << text;
  EXPECT_TRUE(says(text, "phone: accuracies are not of the same kind: given for a, judged"))
      << text;
  EXPECT_TRUE(says(text, "top1 is of 240 samples: small differences may be theirs")) << text;
}

TEST(CompareModels, WithoutAccuraciesTellsNothingButWhatTheyCost) {
  const auto compared =
      compare_models(opened({"zoo:resnet8", "zoo:ds_cnn_kws"}), {.devices = {"cortex-m7"}}, 1e-3);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  EXPECT_TRUE(compared->devices[0].choice->within.empty());
  const std::string text = text_of(*compared);
  EXPECT_TRUE(
      says(text, "no accuracy is known: nothing tells the models apart but what they cost"));
  EXPECT_TRUE(says(text, "none is within 1.00 us on cortex-m7: the fastest is zoo:")) << text;
  EXPECT_FALSE(says(text, "against"));
}

TEST(CompareModels, FailsWhereNothingRuns) {
  const auto failed =
      compare_models(opened({"zoo:resnet50", "zoo:resnet18"}), {.devices = {"cortex-m7"}}, {});
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(failed.error().message.starts_with("zoo:resnet50: does not fit: "))
      << failed.error().message;
}

// Hand-made: intervals from half to twice the median.
ModelComparison made(double limit_ms) {
  ModelComparison comparison{.max_latency_ms = limit_ms};
  for (const double accuracy : {70, 80, 90}) {
    const double ms = accuracy / 10 - 6;
    DeviceFigures figures{.device = "phone"};
    figures.latency = {{.name = "median", .value = ms, .unit = "ms", .mode = Mode::Predicted}};
    figures.latency[0].low = ms / 2;
    figures.latency[0].high = 2 * ms;
    figures.energy = unavailable("energy", "mJ", "no meter");
    figures.price = unavailable("price", "USD", "not sold");
    figures.accuracy = {.name = "accuracy", .value = accuracy, .unit = "%", .mode = Mode::Given};
    derive_figures({}, figures);
    comparison.models.push_back({.model = str("net", accuracy, "<b>"), .devices = {figures}});
  }
  rank_models(comparison);
  return comparison;
}

TEST(ModelChoice, SaysHowSureItIs) {
  const std::vector<std::string> lines = choice_lines(made(4));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "take net80<b> (80 %, given; 2 ms (1 to 4), predicted): the most accurate within "
            "4.00 ms on phone to the end of its interval");
  EXPECT_EQ(lines[1],
            "probably within it, and more accurate: net90<b> (90 %, given; 3 ms (1.5 to 6), "
            "predicted)");
  EXPECT_EQ(choice_headline(made(4)),
            "take net80<b>, the most accurate within 4.00 ms on phone; or, probably, net90<b>");
  EXPECT_EQ(choice_lines(made(1)).at(0),
            "take, probably, net70<b> (70 %, given; 1 ms (0.5 to 2), predicted): the most accurate "
            "within 1.00 ms on phone by its median; to its end no interval is");
  EXPECT_EQ(choice_lines(made(0.5)).at(0),
            "none is within 500 us on phone: the fastest is net70<b> (70 %, given; 1 ms (0.5 to "
            "2), predicted)");
  EXPECT_EQ(choice_headline(made(0.5)), "none is within 500 us on phone");
}

TEST(ModelsPage, HasTheFrontAndTheLimit) {
  const Document document = document_of(made(4), {.command = "hone compare a b"}, {.page = true});
  const std::string page = document_page({document});
  EXPECT_TRUE(says(page, "<polyline class=\"front\""));
  EXPECT_TRUE(says(page, "<line class=\"limit\""));
  EXPECT_TRUE(says(page, ">accuracy, %, given<"));
  EXPECT_FALSE(says(page, "net80<b>"));
  EXPECT_TRUE(says(document_markdown(document), "# 3 models on phone\n"));
  EXPECT_TRUE(says(text_of(made(4)), "predicted latencies overlap: "));
  EXPECT_TRUE(says(text_of(made(4)), "phone: no front against energy: no energy is known"));
}

}  // namespace
}  // namespace hone
