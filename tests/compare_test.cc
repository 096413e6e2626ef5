// One model on several devices: every figure is there with where it comes from, and the devices
// that no other one beats are marked.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hone/model/save.h"
#include "hone/report/compare_cells.h"
#include "hone/report/document/charts.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/targets/devices.h"
#include "hone/wire/npy.h"
#include "hone/workbench/break_even.h"
#include "hone/workbench/compare_devices.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/operator_model.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

Metric ms(double value) {
  return {.name = "median", .value = value, .unit = "ms", .mode = Mode::Predicted};
}
Metric mj(double value) {
  return {.name = "energy", .value = value, .unit = "mJ", .mode = Mode::Predicted};
}

DeviceFigures made(const std::string& name, double latency, double energy) {
  DeviceFigures figures{.device = name, .latency = {ms(latency)}, .energy = mj(energy)};
  figures.price = unavailable("price", "USD", "not known");
  figures.accuracy = unavailable("accuracy", "", "not judged");
  return figures;
}

std::string marked(DeviceComparison comparison) {
  mark_pareto(comparison);
  std::string names;
  for (const DeviceFigures& device : comparison.devices) {
    if (device.pareto) names += device.device;
  }
  return names;
}

// What a caller waits for counts: 2 ms and 9 of copies lose to 10 without.
TEST(Pareto, CountsCopies) {
  DeviceComparison comparison{.devices = {made("card", 2, 1), made("cpu", 10, 1)}};
  for (DeviceFigures& device : comparison.devices) {
    device.copies = unavailable("copies", "ms", "it computes in the caller's memory");
  }
  comparison.devices[0].copies = {.name = "copies", .value = 9, .unit = "ms"};
  for (DeviceFigures& device : comparison.devices) derive_figures({}, device);
  EXPECT_EQ(marked(comparison), "cpu");
  mark_pareto(comparison);
  EXPECT_EQ(comparison.pareto_axes[0], "run with copies");
}

std::string text_of(const DeviceComparison& comparison) {
  return document_text(document_of(comparison, {}));
}

std::string page_of(const DeviceComparison& comparison) {
  return document_page(
      {document_of(comparison, {.command = "hone compare a<b>.onnx"}, {.page = true})});
}

// As they stand in a page, in its first section.
struct Charts {
  std::string scatter;
  std::string latency;
  std::string energy;
};
Charts charts_of(const DeviceComparison& comparison) {
  const Blocks blocks = document_of(comparison, {}).sections.at(0).blocks;
  return {svg_of(std::get<ScatterChart>(blocks.at(0))), svg_of(std::get<BarChart>(blocks.at(1))),
          svg_of(std::get<BarChart>(blocks.at(2)))};
}

TEST(Pareto, MarksWhatNoOtherBeats) {
  DeviceComparison comparison;
  comparison.devices = {made("a", 1, 9), made("b", 2, 5), made("c", 3, 6), made("d", 4, 1),
                        made("e", 4, 1)};
  EXPECT_EQ(marked(comparison), "abde");
  // So it is with prices.
  for (DeviceFigures& device : comparison.devices) {
    device.price = {.name = "price", .value = device.device == "c" ? 1 : 10, .unit = "USD"};
  }
  EXPECT_EQ(marked(comparison), "abcde");
  // One whose price is not known takes it from no other, and is beaten by the rest.
  comparison.devices[4].price = unavailable("price", "USD", "not known");
  EXPECT_EQ(marked(comparison), "abcde");
  comparison.devices[4].energy.value = 2;
  EXPECT_EQ(marked(comparison), "abcd");
  mark_pareto(comparison);
  EXPECT_EQ(comparison.pareto_axes, (std::vector<std::string>{"latency", "energy", "price"}));
}

TEST(Pareto, CountsAccuracyTheRightWayRound) {
  DeviceComparison comparison;
  comparison.devices = {made("a", 1, 1), made("b", 2, 2)};
  comparison.devices[0].accuracy = {.name = "top1", .value = 0.8};
  comparison.devices[1].accuracy = {.name = "top1", .value = 0.9};
  EXPECT_EQ(marked(comparison), "ab");
  comparison.more_accuracy_is_better = false;
  EXPECT_EQ(marked(comparison), "a");
}

TEST(Pareto, DevicesThatFailedAreOutOfIt) {
  DeviceComparison comparison;
  comparison.devices = {made("a", 1, 1), {.device = "b", .failed = "no memory"}};
  EXPECT_EQ(marked(comparison), "a");
}

// Of the chip alone it looks better than of a whole board.
TEST(Pareto, ComparesNoEnergiesOfDifferentThings) {
  DeviceComparison comparison;
  comparison.devices = {made("npu", 2, 1), made("board", 1, 9), made("other", 3, 8)};
  comparison.devices[0].energy_of = "chip";
  comparison.devices[1].energy_of = comparison.devices[2].energy_of = "device";
  EXPECT_EQ(marked(comparison), "board");
  mark_pareto(comparison);
  EXPECT_EQ(comparison.pareto_axes, std::vector<std::string>{"latency"});
  EXPECT_EQ(
      comparison.energy_left_out,
      "energy does not count for *, since it is of the chip for npu; of the device for board, "
      "other");
  const Charts charts = charts_of(comparison);
  EXPECT_EQ(charts.scatter.find("class=\"front\""), std::string::npos);
  for (const std::string& chart : {charts.scatter, charts.energy}) {
    EXPECT_NE(chart.find(">npu (chip)<"), std::string::npos) << chart;
    EXPECT_NE(chart.find(">board (device)<"), std::string::npos) << chart;
  }
  EXPECT_NE(charts.latency.find(">npu<"), std::string::npos);
  comparison.devices.erase(comparison.devices.begin());
  EXPECT_EQ(marked(comparison), "boardother");
}

TEST(Figures, CountTheSamplesOfABatch) {
  DeviceFigures figures = made("a", 2, 6);
  derive_figures({.runs = 10, .batch = 8}, figures);
  EXPECT_DOUBLE_EQ(*figures.throughput.value, 4000);
  DeviceComparison comparison{.model = "net", .inputs = "x 8x3", .terms = {.batch = 8}};
  comparison.devices = {figures};
  const std::string text = document_text(document_of(comparison, {}, {}));
  EXPECT_TRUE(text.starts_with("net, x 8x3: runs of 8 samples\n")) << text;
  for (const char* row : {"latency median, run of 8, ms", "throughput, samples/s ",
                          "energy of a run of 8, mJ", "energy of a sample, mJ"}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << "\n" << text;
  }
  const auto read = comparison_from_json(comparison_to_json(comparison));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->terms.batch, 8);
  EXPECT_EQ(read->inputs, "x 8x3");
}

TEST(Compare, TellsTheBatchOfTheModel) {
  const LoadOptions four{.shapes = {{"input", {4, 3, 32, 32}}}};
  const Model model = *open_model("zoo:resnet8", four);
  const auto comparison = compare_devices(model, {.devices = {"raspberry-pi-4"}});
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_EQ(comparison->terms.batch, 4);
  EXPECT_EQ(comparison->inputs, "input 4x3x32x32");
  const DeviceFigures& pi = comparison->devices[0];
  EXPECT_NEAR(*pi.throughput.value, 4e3 / *pi.typical()->value, 1e-6);
}

TEST(Figures, FollowFromLatencyEnergyAndPrice) {
  DeviceFigures figures = made("a", 2, 6);
  figures.latency[0].low = 1;
  figures.latency[0].high = 4;
  figures.energy.low = 3;
  figures.energy.high = 12;
  figures.price = {.name = "price", .value = 100, .unit = "USD", .mode = Mode::Exact};
  derive_figures({.runs = 500, .life_years = 2, .price_per_kwh = 0.5}, figures);
  EXPECT_DOUBLE_EQ(*figures.throughput.value, 500);
  EXPECT_DOUBLE_EQ(*figures.throughput.low, 250);
  EXPECT_DOUBLE_EQ(*figures.throughput.high, 1000);
  EXPECT_DOUBLE_EQ(*figures.power.value, 3);
  // Energy is as uncertain as the time it is made of: the power is not.
  EXPECT_FALSE(figures.power.low);
  EXPECT_DOUBLE_EQ(*figures.total_time.value, 1);
  EXPECT_DOUBLE_EQ(*figures.total_energy.value, 3);
  EXPECT_DOUBLE_EQ(*figures.total_energy.high, 6);
  // 2000 s of two years of 100 USD; 6 kJ at 0.5 USD a kWh.
  const double device = 100 * 2000 / (2 * 365.25 * 86400);
  const double energy = 6000 / 3.6e6 * 0.5;
  EXPECT_NEAR(*figures.cost.value, device + energy, 1e-9);
  EXPECT_NEAR(*figures.cost.low, device / 2 + energy / 2, 1e-9);
  EXPECT_EQ(figures.cost.mode, Mode::Predicted);
}

TEST(Figures, PowerIsAsUncertainAsAnEnergyOfItsOwn) {
  DeviceFigures figures = made("a", 2, 6);
  figures.energy.low = 2;
  figures.energy.high = 18;
  derive_figures({}, figures);
  EXPECT_DOUBLE_EQ(*figures.power.low, 1);
  EXPECT_DOUBLE_EQ(*figures.power.high, 9);
}

// Or the chip's would be the cheaper one for what is left out of it.
TEST(Figures, EnergiesOfDifferentThingsAreInNoCost) {
  DeviceComparison comparison;
  comparison.devices = {made("a", 2, 6), made("b", 2, 6000), made("c", 2, 0)};
  comparison.devices[2].energy = unavailable("energy", "mJ", "no meter");
  for (DeviceFigures& device : comparison.devices) {
    device.price = {.name = "price", .value = 100, .unit = "USD"};
    device.energy_of = "device";
    derive_figures(comparison.terms, device);
  }
  price_alike(comparison);
  EXPECT_TRUE(comparison.cost_has_energy);
  EXPECT_LT(*comparison.devices[0].cost.value, *comparison.devices[1].cost.value);
  EXPECT_FALSE(comparison.devices[2].cost.value);
  EXPECT_NE(text_of(comparison).find("a pause, and energy at 0.2 USD/kWh"), std::string::npos);

  comparison.devices[0].energy_of = "chip";
  price_alike(comparison);
  mark_pareto(comparison);
  EXPECT_FALSE(comparison.cost_has_energy);
  const double device = 1e6 * 100 * 2e-3 / (3 * 365.25 * 86400);
  for (const DeviceFigures& one : comparison.devices) EXPECT_NEAR(*one.cost.value, device, 1e-9);
  EXPECT_NE(text_of(comparison).find("a pause; without energy, which is not of the same"),
            std::string::npos);
}

TEST(Figures, WithoutAPriceThereIsNoCost) {
  DeviceFigures figures = made("a", 2, 6);
  derive_figures({}, figures);
  EXPECT_FALSE(figures.cost.value);
  EXPECT_EQ(figures.cost.note, "not known");
}

DeviceComparison compare(const std::string& model, CompareRequest request) {
  const Model opened = *open_model(model);
  request.compile.threads = 1;
  request.terms.runs = 20;
  request.seconds = 2;
  const auto comparison = compare_devices(opened, request);
  EXPECT_TRUE(comparison.ok()) << comparison.error().message;
  return *comparison;
}

TEST(CompareDevices, GivesEveryFigureOfEveryDevice) {
  const DeviceComparison comparison =
      compare("zoo:ds_cnn_kws", {.devices = {"cpu", "npu", "ethos-u55-128", "jetson-nano"}});
  ASSERT_EQ(comparison.devices.size(), 4u);
  const Mode modes[] = {Mode::Measured, Mode::Simulated, Mode::Simulated, Mode::Predicted};
  for (size_t d = 0; d < 4; ++d) {
    const DeviceFigures& device = comparison.devices[d];
    EXPECT_EQ(device.failed, "");
    ASSERT_NE(device.typical(), nullptr);
    EXPECT_EQ(device.typical()->mode, modes[d]) << device.device;
    EXPECT_GT(*device.typical()->value, 0);
    for (const Metric* metric : {&device.throughput, &device.weights, &device.activations,
                                 &device.model_size, &device.total_time}) {
      ASSERT_TRUE(metric->value) << device.device << " " << metric->name;
      EXPECT_GT(*metric->value, 0) << device.device << " " << metric->name;
    }
    EXPECT_FALSE(device.accuracy.value);
  }
  // No meter and no roofs: the energy of this machine says why it is not there.
  EXPECT_EQ(comparison.devices[0].latency.size(), 6u);
  EXPECT_EQ(comparison.devices[0].typical()->n, 20);
  EXPECT_EQ(comparison.devices[0].model, "zoo:ds_cnn_kws");
  for (const size_t d : {1, 2}) {
    const DeviceFigures& npu = comparison.devices[d];
    EXPECT_EQ(npu.model, "zoo:ds_cnn_kws, quantized to int8");
    EXPECT_EQ(npu.notes.at(0), "quantized here for timing; accuracy not judged");
    EXPECT_LT(*npu.model_size.value, 0.6 * *comparison.devices[0].model_size.value);
    EXPECT_LT(*npu.energy.low, *npu.energy.value);
  }
  const DeviceFigures& nano = comparison.devices[3];
  EXPECT_EQ(*nano.price.value, 99);
  EXPECT_TRUE(nano.cost.value);
  EXPECT_LT(*nano.typical()->low, *nano.typical()->value);
  const DevicePower& power = (*find_device("jetson-nano"))->analytic()->power;
  EXPECT_NEAR(*nano.power.value, power.typical_watts, 1e-9);
  EXPECT_NEAR(*nano.power.high, power.typical_watts * power.factor, 1e-9);
  EXPECT_GT(*nano.energy.high / *nano.energy.value, *nano.typical()->high / *nano.typical()->value);
}

TEST(CompareDevices, LeavesIntegerModelsAsTheyAre) {
  const DeviceComparison comparison = compare("zoo:resnet8:int8", {.devices = {"npu"}});
  EXPECT_EQ(comparison.devices[0].model, "zoo:resnet8:int8");
  EXPECT_TRUE(comparison.devices[0].pareto);
}

TEST(CompareDevices, ModelsAreAsLargeAsTheirFiles) {
  const fs::path file = fs::temp_directory_path() / "hone_compare_size_test.onnx";
  ASSERT_TRUE(save_onnx(open_model("zoo:ds_cnn_kws")->graph, file).ok());
  const auto bytes = static_cast<double>(fs::file_size(file));
  const DeviceComparison given = compare(file.string(), {.devices = {"jetson-nano", "npu"}});
  fs::remove(file);
  EXPECT_EQ(given.devices[0].model_size.value, bytes);
  EXPECT_EQ(given.devices[0].model_size.note, "of the file");
  EXPECT_GT(*given.devices[1].model_size.value, *given.devices[1].weights.value);
  EXPECT_EQ(given.devices[1].model_size.note, "written as ONNX");
  const DeviceComparison built = compare("zoo:ds_cnn_kws", {.devices = {"jetson-nano"}});
  EXPECT_EQ(built.devices[0].model_size.value, bytes);
}

TEST(CompareDevices, SaysAndTakesThePrecision) {
  const DeviceComparison mixed =
      compare("zoo:ds_cnn_kws", {.devices = {"npu", "jetson-nano", "raspberry-pi-5:int8"}});
  EXPECT_EQ(mixed.devices[0].precision, "int8");
  EXPECT_EQ(mixed.devices[1].precision, "fp16");  // What is run there.
  EXPECT_EQ(mixed.devices[2].precision, "int8");
  EXPECT_EQ(mixed.devices[0].energy_of, "chip");
  EXPECT_EQ(mixed.devices[1].energy_of, "device");
  EXPECT_EQ(mixed.devices[2].model, "zoo:ds_cnn_kws, quantized to int8");
  EXPECT_NE(text_of(mixed).find("precisions differ; "), std::string::npos);

  const DeviceComparison phones = compare(
      "zoo:ds_cnn_kws",
      {.devices = {"snapdragon-8-gen-2", "snapdragon-8-gen-2:int8", "snapdragon-8-gen-2:fp32"}});
  EXPECT_EQ(phones.devices[0].precision, "fp16");  // What is run there.
  EXPECT_EQ(phones.devices[1].precision, "int8");
  EXPECT_EQ(phones.devices[2].failed, "such devices were measured in fp16, int8, not in fp32");

  const DeviceComparison half =
      compare("zoo:ds_cnn_kws",
              {.devices = {"npu", "jetson-nano:fp32", "jetson-nano"}, .precision = "fp16"});
  EXPECT_EQ(half.devices[0].failed, "computes on integers only, not in fp16");
  EXPECT_EQ(half.devices[1].precision, "fp32");
  EXPECT_EQ(half.devices[2].precision, "fp16");
  EXPECT_LT(*half.devices[2].typical()->value, *half.devices[1].typical()->value);
  EXPECT_LT(*phones.devices[0].weights.value, 0.6 * *half.devices[1].weights.value);

  const DeviceComparison whole = compare(
      "zoo:ds_cnn_kws", {.devices = {"npu", "raspberry-pi-5", "jetson-nano"}, .precision = "int8"});
  EXPECT_EQ(whole.devices[1].precision, "int8");
  EXPECT_EQ(whole.devices[2].failed, "its device file has no int8 rate");
  EXPECT_EQ(text_of(whole).find("precisions differ; "), std::string::npos);
}

TEST(CompareDevices, SaysWhereIntegersAreTimedAsFloats) {
  const DeviceComparison comparison =
      compare("zoo:ds_cnn_kws:int8", {.devices = {"jetson-nano", "raspberry-pi-5"}});
  const std::string note = "its device file has no int8 rate: integers are timed at that of fp32";
  EXPECT_EQ(std::ranges::count(comparison.devices[0].notes, note), 1);
  EXPECT_EQ(std::ranges::count(comparison.devices[1].notes, note), 0);
}

TEST(CompareDevices, JudgesAccuracyWithTheTargetsOwnArithmetic) {
  const fs::path file = fs::temp_directory_path() / "hone_compare_test.npy";
  const Tensor samples = random_tensor({DType::F32, {6, 1, 49, 10}}, 1);
  ASSERT_TRUE(write_npy(samples, file).ok());
  const DeviceComparison comparison =
      compare("zoo:ds_cnn_kws", {.devices = {"npu", "jetson-nano"}, .data = file.string()});
  fs::remove(file);
  for (const DeviceFigures& device : comparison.devices) {
    ASSERT_TRUE(device.accuracy.value) << device.failed;
    EXPECT_EQ(device.accuracy.name, "agreement");
  }
  EXPECT_EQ(*comparison.devices[1].accuracy.value, 1);
  EXPECT_EQ(comparison.devices[0].notes.at(0),
            str("quantized here, calibrated on samples of ", file.string(), " that judge it, too"));
  EXPECT_EQ(comparison.devices[0].accuracy.mode, Mode::Simulated);
  EXPECT_EQ(comparison.pareto_axes.back(), "accuracy");
}

TEST(CompareDevices, TakesOpenExtentsFromTheDataOrRefuses) {
  const std::vector<std::string> devices = {"npu", "raspberry-pi-5"};
  Model open = *open_model("zoo:ds_cnn_kws");
  open.graph.inputs()[0]->type.tensor.shape[0] = kUnknown;
  ASSERT_TRUE(infer_types(open.graph).ok());
  const auto refused = compare_devices(open, {.devices = devices});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(refused.error().hint, (Hint{HintKind::Extents, "input:1x1x49x10"}))
      << refused.error().message;

  const fs::path file = fs::temp_directory_path() / "hone_compare_open_test.npy";
  ASSERT_TRUE(write_npy(random_tensor({DType::F32, {2, 1, 49, 10}}, 1), file).ok());
  const CompareRequest request{.devices = devices, .data = file.string()};
  const auto bound = compare_devices(open, request);
  const auto closed = compare_devices(*open_model("zoo:ds_cnn_kws"), request);
  fs::remove(file);
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  ASSERT_TRUE(closed.ok()) << closed.error().message;
  for (const size_t d : {0, 1}) {
    EXPECT_EQ(bound->devices[d].failed, "");
    EXPECT_EQ(bound->devices[d].weights.value, closed->devices[d].weights.value);
    EXPECT_EQ(bound->devices[d].typical()->value, closed->devices[d].typical()->value);
  }
}

TEST(CompareDevices, NamesWhatIsWrong) {
  const Model model = *open_model("zoo:ds_cnn_kws");
  const auto error_of = [&](CompareRequest request) {
    const auto comparison = compare_devices(model, request);
    return comparison.ok() ? std::string() : comparison.error().message;
  };
  EXPECT_EQ(error_of({}), "no devices to compare");
  EXPECT_TRUE(error_of({.devices = {"cpu", "jetson-nanno"}})
                  .starts_with("no target 'jetson-nanno' (did you mean 'jetson-nano'?)"));
  EXPECT_EQ(error_of({.devices = {"npu:int9"}}),
            "npu:int9: no precision 'int9'; there are: int8, fp16, bf16, tf32, fp32");
  EXPECT_EQ(error_of({.devices = {"none.toml"}}), "none.toml: no such file");
  EXPECT_NE(error_of({.devices = {"npu"}, .data = "nowhere"}), "");
}

DeviceComparison example() {
  DeviceComparison comparison{.model = "a<b>.onnx"};
  comparison.devices = {
      made("first", 1, 9), made("second", 3, 2), {.device = "third", .failed = "does not fit"}};
  for (size_t d : {0, 1}) {
    comparison.devices[d].energy.low = 1;
    comparison.devices[d].energy.high = 20;
    derive_figures(comparison.terms, comparison.devices[d]);
  }
  mark_pareto(comparison);
  return comparison;
}

TEST(CompareText, MarksProvenanceAndIntervals) {
  const std::string text = text_of(example());
  EXPECT_NE(text.find("first *"), std::string::npos) << text;
  EXPECT_NE(text.find("9 (1 to 20) pred"), std::string::npos) << text;
  EXPECT_NE(text.find("third failed: does not fit"), std::string::npos) << text;
  EXPECT_EQ(text.find("USD"), std::string::npos) << text;
  const std::string markdown = document_markdown(document_of(example(), {}));
  EXPECT_TRUE(markdown.starts_with("# a&lt;b>.onnx on 2 devices\n")) << markdown;
}

TEST(ComparePage, SaysOfTheStarWhatTheTextSays) {
  DeviceComparison comparison = example();
  for (const char* energy_of : {"device", "chip"}) {
    comparison.devices[0].energy_of = energy_of;
    comparison.devices[1].energy_of = "device";
    mark_pareto(comparison);
    const std::string star = compare_star(comparison);
    EXPECT_NE(text_of(comparison).find("\n* " + star + "\n"), std::string::npos) << star;
    EXPECT_NE(page_of(comparison).find("Filled points: " + star), std::string::npos) << star;
  }
}

TEST(ComparePage, IsWholeAndLoadsNothing) {
  const std::string page = page_of(example());
  EXPECT_NE(page.find("<polyline class=\"front\""), std::string::npos);
  EXPECT_EQ(page.find("a<b>"), std::string::npos);
  for (const char* loads : {"<script src", "https://", "src=", "url("}) {
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  }
  // The name of SVG, which scripts make elements by, is no address.
  const size_t named = page.find("http://www.w3.org/2000/svg");
  EXPECT_EQ(page.find("http://"), named);
  EXPECT_EQ(page.find("http://", named + 1), std::string::npos);
  DeviceComparison alone = example();
  alone.devices.resize(1);
  EXPECT_EQ(charts_of(alone).scatter, "");
  EXPECT_NE(charts_of(alone).latency, "");
}

TEST(CompareJson, HoldsMetricsWithTheirProvenance) {
  const auto json = comparison_to_json(example());
  EXPECT_EQ(json["devices"][0]["latency"][0]["mode"], "predicted");
  EXPECT_EQ(json["devices"][0]["metrics"].size(), 15u);
  for (const auto& metric : json["devices"][1]["metrics"]) {
    EXPECT_TRUE(!metric["value"].is_null() || metric["note"] != "") << metric;
  }
  EXPECT_EQ(json["devices"][2]["failed"], "does not fit");
}

TEST(CompareJson, ReadsBackWhatDocumentsShow) {
  const auto json = comparison_to_json(example());
  const Result<DeviceComparison> back = comparison_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(text_of(*back), text_of(example()));
  EXPECT_EQ(comparison_to_json(*back), json);

  auto cut = json;
  cut["devices"][0]["metrics"].erase(0);
  EXPECT_EQ(comparison_from_json(cut).error().message,
            "results.devices: 'first' has 14 metrics, expected 15, and a median latency where it "
            "has any");
}

TEST(Compare, WhatDoesNotFitIsNotCompared) {
  const Model model = *open_model("zoo:mobilenet_v2");
  const auto comparison = compare_devices(model, {.devices = {"cortex-m7", "raspberry-pi-5"}});
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_FALSE(comparison->devices[0].pareto);
  EXPECT_TRUE(comparison->devices[1].pareto);
  EXPECT_NE(text_of(*comparison).find("cortex-m7 does not fit: weights take 13.3 MiB"),
            std::string::npos);
  const auto none = compare_devices(model, {.devices = {"cortex-m7"}});
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.error().message.starts_with("does not fit: ")) << none.error().message;
}

// Errors name the types that there are: those that open.
TEST(OperatorModels, OpenInTheTypesThatAreListed) {
  for (const OperatorForm& form : operator_forms()) {
    const std::vector<std::string_view> listed = operator_types(form.kind);
    for (const std::string_view type : kOperatorTypes) {
      const std::string spec = str("op:", form.kind, ":", form.example, ":", type);
      EXPECT_EQ(open_model(spec).ok(), std::ranges::count(listed, type) == 1) << spec;
    }
  }
}

// From the name of an operator to the batch from which on a card pays.
DeviceComparison compared_operator(const std::string& text, CompareRequest request) {
  const std::string spec = "op:" + text;
  const auto open = [&](int64_t batch) {
    return open_model("op:" + batched_operator(text, batch));
  };
  DeviceComparison comparison = *compare_devices(*open_model(spec), request);
  EXPECT_TRUE(add_break_even(open, request, comparison).ok());
  return comparison;
}

TEST(BreakEvenOfDevices, SmallOperatorsLoseOnTheWayAndLargeOnesWin) {
  const CompareRequest request{.devices = {"xeon-8280-class", "h200"}};
  const DeviceComparison small = compared_operator("matmul:16x16x16", request);
  ASSERT_EQ(small.break_even.size(), 1u);
  const BreakEven& late = small.break_even[0];
  EXPECT_EQ(late.device, "h200");
  EXPECT_EQ(late.against, "xeon-8280-class");
  EXPECT_TRUE(late.rented);
  EXPECT_GT(late.faster_from.value.value_or(1e9), 1);
  EXPECT_GT(late.cheaper_from.value.value_or(1e9), late.faster_from.value.value_or(0));
  EXPECT_GT(small.batches.size(), 3u);
  const DeviceComparison large = compared_operator("matmul:4096x4096x4096", request);
  EXPECT_EQ(large.break_even.at(0).faster_from.value, 1);
  EXPECT_EQ(large.terms.batch, 1) << "4096 rows are no samples";
  EXPECT_EQ(large.devices[1].precision, "fp32") << "in the type that its name says";
}

TEST(BreakEvenOfDevices, CountsTheWayToACardAndBack) {
  const DeviceComparison comparison =
      compared_operator("add:1024x1024", {.devices = {"xeon-8280-class", "t4", "jetson-nano"}});
  const DeviceFigures& card = comparison.devices[1];
  const double ms = 3 * 0.01 + 1e3 * 3 * 4 * 1024 * 1024 / (15.75e9 * 0.8);
  EXPECT_NEAR(*card.copies.value, ms, 1e-6);
  EXPECT_NEAR(*card.whole.value, *card.typical()->value + ms, 1e-6);
  EXPECT_NEAR(*card.rent.value, 1e6 * *card.whole.value / 3.6e6 * *card.usd_per_hour.value, 1e-9);
  EXPECT_FALSE(comparison.devices[0].copies.value.has_value());
  EXPECT_EQ(*comparison.devices[2].whole.value, *comparison.devices[2].typical()->value);
  ASSERT_EQ(comparison.break_even.size(), 1u) << "a board computes in the caller's memory";
  EXPECT_EQ(comparison.break_even[0].device, "t4");
}

TEST(BreakEvenOfDevices, IsReadBackAsItWasWritten) {
  const DeviceComparison comparison = compared_operator(
      "matmul:64x64x64",
      {.devices = {"xeon-8280-class", "t4"}, .usd_per_hour = {{"xeon-8280-class", 0.5}}});
  EXPECT_EQ(comparison.devices[0].usd_per_hour.mode, Mode::Given);
  const auto json = comparison_to_json(comparison);
  const auto back = comparison_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(comparison_to_json(*back), json);
  EXPECT_EQ(text_of(*back), text_of(comparison));
  EXPECT_NE(text_of(comparison).find("t4 beside xeon-8280-class, copies included: "),
            std::string::npos);
  EXPECT_NE(page_of(comparison).find("Batches, copies included"), std::string::npos);
  // Files of before there were copies.
  auto old = json;
  for (auto& device : old["devices"]) {
    for (int i = 0; i < 4; ++i) device["metrics"].erase(device["metrics"].size() - 1);
  }
  EXPECT_TRUE(comparison_from_json(old).ok());
}

}  // namespace
}  // namespace hone
