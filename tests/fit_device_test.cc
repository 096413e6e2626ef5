// Fits of devices to points that a device with other parameters made: the parameters come back, the
// interval is honest, and what lies outside of the points says so.

#include "hone/workbench/fit_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hone/targets/device_kind.h"
#include "hone/targets/devices.h"
#include "hone/workbench/minimize.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

ModelledRun run_on(const Device& device, const std::string& model) {
  Model opened = *open_model(model);
  const auto target = kind_of(device).open(device);
  const auto program = target->compile(std::move(opened.graph), {.threads = 1});
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *(*program)->modelled();
}

std::vector<FitPoint> points_of(const Device& truth, const std::vector<std::string>& models) {
  std::vector<FitPoint> points;
  for (const std::string& model : models) {
    points.push_back({.model = model, .latency_ms = *run_on(truth, model).latency.value});
  }
  return points;
}

FittedDevice fit(const Device& start, const std::vector<FitPoint>& points) {
  const auto fitted = fit_device(start, points, "2026-11-15");
  EXPECT_TRUE(fitted.ok()) << fitted.error().message;
  return *fitted;
}

TEST(FitDevice, RefusesTimesOfAnotherUnit) {
  const Device device = *find_or_read_device("raspberry-pi-4");
  std::vector<FitPoint> points = points_of(device, {"zoo:resnet8", "zoo:ds_cnn_kws"});
  points[1].latency_ms *= 1e5;
  points[1].from = "points.csv: line 3";
  const auto fitted = fit_device(device, points, "2026-11-15");
  ASSERT_FALSE(fitted.ok());
  EXPECT_TRUE(fitted.error().message.starts_with("points.csv: line 3: zoo:ds_cnn_kws: "))
      << fitted.error().message;
}

TEST(FitDevice, RefusesMorePowerThanTheDeviceTakes) {
  const Device device = *find_or_read_device("raspberry-pi-4");
  std::vector<FitPoint> points = points_of(device, {"zoo:resnet8"});
  points[0].energy_mj = 50 * points[0].latency_ms;
  const auto fitted = fit_device(device, points, "2026-11-15");
  ASSERT_FALSE(fitted.ok());
  EXPECT_TRUE(
      fitted.error().message.starts_with("the measured energies say that raspberry-pi-4 draws "))
      << fitted.error().message;
}

// A device that no class tells the costs of.
Device plain_gpu() {
  const auto device = parse_device(R"(
schema_version = 1
name = "plain-gpu"
summary = "A GPU."
kind = "gpu"
factor = 2
[peak_gops]
fp32 = 236
fp16 = 472
int8 = 944
[efficiency]
dense = 0.33
depthwise = 0.066
product = 0.33
other = 0.1
[memory]
gb_per_second = 25.6
efficiency = 0.7
gib = 4
[overhead]
step_us = 15
run_us = 60
[power]
idle_watts = 1.5
typical_watts = 10
factor = 1.5
[[source]]
figure = "all"
text = "made up"
)",
                                   "plain-gpu.toml");
  EXPECT_TRUE(device.ok()) << device.error().message;
  return *device;
}

double after_of(const FittedDevice& fitted, std::string_view name) {
  for (const FittedParameter& parameter : fitted.parameters) {
    if (parameter.name == name) return parameter.after;
  }
  ADD_FAILURE() << name << " was not fitted";
  return 0;
}

const std::vector<std::string> kFloats = {
    "zoo:ds_cnn_kws",    "zoo:resnet8",          "zoo:mobilenet_v1_025_96", "zoo:autoencoder",
    "zoo:micronet_ad_m", "zoo:mobilenet_v1_025", "zoo:micronet_kws_m",      "zoo:squeezenet"};

const std::vector<std::string> kIntegers = {"zoo:ds_cnn_kws:int8", "zoo:resnet8:int8",
                                            "zoo:mobilenet_v1_025_96:int8", "zoo:autoencoder:int8",
                                            "zoo:mobilenet_v1_025:int8"};

TEST(Minimize, FindsTheBottomOfACurvedValley) {
  const auto valley = [](const std::vector<double>& x) {
    return std::pow(1 - x[0], 2) + 100 * std::pow(x[1] - x[0] * x[0], 2);
  };
  const Minimum found = minimize(valley, {-1.2, 1}, 0.4);
  EXPECT_NEAR(found.at[0], 1, 1e-4);
  EXPECT_NEAR(found.at[1], 1, 1e-4);
  const auto kink = [](const std::vector<double>& x) { return std::abs(x[0] - 3); };
  EXPECT_NEAR(minimize(kink, {0}, 0.4).at[0], 3, 1e-4);
  EXPECT_EQ(minimize([](const auto&) { return 7.0; }, {}, 1).value, 7);
}

TEST(FitDevice, RecoversAProcessor) {
  const Device start = plain_gpu();
  Device truth = start;
  AnalyticSpec& spec = *truth.analytic();
  for (auto& [kind, part] : spec.efficiency) part *= 0.6;
  spec.memory_efficiency *= 0.5;
  spec.step_us = 9;
  spec.run_us = 70;
  const FittedDevice fitted = fit(start, points_of(truth, kFloats));
  EXPECT_NEAR(after_of(fitted, "efficiency, factor"), 0.6, 0.03);
  EXPECT_NEAR(after_of(fitted, "memory bandwidth, factor"), 0.5, 0.03);
  EXPECT_NEAR(after_of(fitted, "overhead.step_us"), 9, 0.5);
  EXPECT_NEAR(after_of(fitted, "overhead.run_us"), 70, 5);
  for (const FittedPoint& point : fitted.points) {
    EXPECT_NEAR(point.after_ms, point.measured.latency_ms, 0.01 * point.measured.latency_ms);
    EXPECT_TRUE(point.left_out);
  }
  EXPECT_LT(fitted.device.fit->error, 0.2);
  EXPECT_EQ(fitted.device.fit->points, 8);
}

TEST(FitDevice, RecoversAnNpu) {
  const Device start = **find_device("npu");
  Device truth = start;
  NpuSpec& spec = *truth.npu();
  spec.queue.start_us = 55;
  spec.memories[0].read_bytes_per_second *= 0.3;
  spec.memories[0].write_bytes_per_second *= 0.3;
  const FittedDevice fitted = fit(start, points_of(truth, kIntegers));
  EXPECT_NEAR(after_of(fitted, "queue.start_us"), 55, 2);
  EXPECT_NEAR(after_of(fitted, "memory bandwidth, factor"), 0.3, 0.02);
  for (const FittedPoint& point : fitted.points) {
    EXPECT_NEAR(point.after_ms, point.measured.latency_ms, 0.02 * point.measured.latency_ms)
        << point.measured.model;
  }
}

TEST(FitDevice, NoisyPointsWidenTheInterval) {
  const Device start = plain_gpu();
  std::vector<FitPoint> points = points_of(start, kFloats);
  const double exact = fit(start, points).device.fit->error;
  for (size_t i = 0; i < points.size(); ++i) points[i].latency_ms *= i % 2 == 0 ? 1.2 : 0.8;
  const FittedDevice noisy = fit(start, points);
  EXPECT_GT(noisy.device.fit->error, 0.2);
  EXPECT_GT(noisy.device.fit->error, 4 * exact);
  double rms = 0;
  for (const FittedPoint& point : noisy.points) rms += std::pow(std::log1p(*point.left_out), 2);
  rms = std::sqrt(rms / static_cast<double>(noisy.points.size()));
  // One of nine points is missing.
  const double stated = std::log(start.analytic()->factor);
  EXPECT_NEAR(noisy.device.fit->error, std::expm1(std::hypot(2 * rms, stated / 9)), 1e-9);
}

TEST(FitDevice, OnePointMovesOneParameter) {
  const Device start = plain_gpu();
  std::vector<FitPoint> points = points_of(start, {"zoo:resnet8"});
  points[0].latency_ms *= 1.5;
  points[0].energy_mj = 10;
  const FittedDevice fitted = fit(start, points);
  ASSERT_EQ(fitted.parameters.size(), 2u);
  EXPECT_EQ(fitted.parameters[1].name, "energy, factor");
  EXPECT_NEAR(fitted.points[0].after_ms, points[0].latency_ms, 0.01 * points[0].latency_ms);
  EXPECT_NEAR(fitted.points[0].after_mj, 10, 1e-9);
  EXPECT_FALSE(fitted.points[0].left_out);
  const double stated = std::log(start.analytic()->factor);
  EXPECT_DOUBLE_EQ(fitted.device.fit->error,
                   std::expm1(std::hypot(std::log(1.10), stated * 8 / 9)));
  ASSERT_EQ(fitted.intervals.size(), 1u);
  EXPECT_NE(fitted.intervals[0].how.find("at least 10 %"), std::string::npos);
  const ModelledRun run = run_on(fitted.device, "zoo:resnet8");
  EXPECT_NEAR(*run.energy[0].value, 10, 0.01);
}

// How much networks differ on it is known from more than a point, and where its parameters lie.
TEST(FitDevice, APointOfACheckedNpuNarrowsNothing) {
  const Device start = **find_device("edge-tpu-usb");
  ASSERT_TRUE(start.checked);
  std::vector<FitPoint> points = points_of(start, {"zoo:resnet8:int8"});
  const double before = points[0].latency_ms;
  points[0].latency_ms *= 1.2;
  const FittedDevice fitted = fit(start, points);
  EXPECT_NEAR(1 + fitted.device.fit->error, start.checked->factor, 1e-9);
  EXPECT_GT(fitted.points[0].after_ms, before);
  EXPECT_LT(fitted.points[0].after_ms, 1.12 * before);
}

TEST(FitDevice, WhatThePointsDoNotCoverSaysSo) {
  const auto outside = [](const ModelledRun& run) {
    return std::ranges::count_if(run.notes, [](const std::string& note) {
      return note.starts_with("outside of the fit: ");
    });
  };
  for (const auto& [device, models] :
       {std::pair{**find_device("npu"), kIntegers}, std::pair{plain_gpu(), kFloats}}) {
    const Device& start = device;
    const std::vector<std::string> two = {models[0], models[1]};
    const FittedDevice fitted = fit(start, points_of(start, two));
    for (const std::string& model : two) EXPECT_EQ(outside(run_on(fitted.device, model)), 0);
    const ModelledRun large = run_on(fitted.device, models[4]);
    EXPECT_GT(outside(large), 0) << device.name;
    EXPECT_GT(fitted.device.fit->error, 0.1);
    EXPECT_NEAR(*large.latency.high, (1 + fitted.device.fit->error) * *large.latency.value, 1e-9)
        << device.name;
  }
}

TEST(FitDevice, ComesBackFromItsFile) {
  const Device start = **find_device("npu");
  const FittedDevice fitted = fit(start, points_of(start, {"zoo:resnet8:int8"}));
  const auto read = parse_device(device_text(fitted.device), "npu.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(device_text(*read), device_text(fitted.device));
  EXPECT_EQ(read->fit->date, "2026-11-15");
  EXPECT_EQ(read->sources.back().figure, "fit");
}

FitPoint measured(const std::string& model, const std::string& precision, int64_t batch) {
  return {.model = model,
          .latency_ms = 1,
          .precision = precision,
          .batch = batch,
          .from = "board.csv: line 2"};
}

std::string refusal_of(const Device& device, const FitPoint& point) {
  const auto fitted = fit_device(device, {point}, "2026-11-15");
  if (fitted.ok()) return "";
  EXPECT_EQ(fitted.error().kind, ErrorKind::BadInput);
  return fitted.error().message;
}

double priced_ms(const Device& device, const std::string& model, const CompileOptions& options,
                 const LoadOptions& shapes = {}) {
  Model opened = *open_model(model, shapes);
  const auto program = kind_of(device).open(device)->compile(std::move(opened.graph), options);
  return *(*program)->modelled()->latency.value;
}

double before_ms(const Device& device, const FitPoint& point) {
  return fit(device, {point}).points[0].before_ms;
}

TEST(FitDevice, PricesAPointInItsPrecisionAndAtItsBatch) {
  const Device device = plain_gpu();
  const LoadOptions four{.shapes = {{"input", {4, 3, 32, 32}}}};
  EXPECT_EQ(before_ms(device, measured("zoo:resnet8", "", 0)),
            before_ms(device, measured("zoo:resnet8", "fp32", 1)));
  EXPECT_NEAR(before_ms(device, measured("zoo:resnet8", "fp16", 4)),
              priced_ms(device, "zoo:resnet8", {.threads = 1, .precision = Precision::F16}, four),
              1e-9);
  EXPECT_NEAR(before_ms(device, measured("zoo:resnet8", "int8", 4)),
              priced_ms(device, "zoo:resnet8:int8", {.threads = 1}, four), 0.01);
  EXPECT_LT(before_ms(device, measured("zoo:resnet50", "int8", 0)),
            0.5 * before_ms(device, measured("zoo:resnet50", "fp32", 0)));
}

TEST(FitDevice, PricesAPointOfAClassInItsPrecisionAndAtItsBatch) {
  const Device device = **find_device("raspberry-pi-4");
  const double one = before_ms(device, measured("zoo:mobilenet_v2", "", 0));
  EXPECT_EQ(before_ms(device, measured("zoo:mobilenet_v2", "fp32", 1)), one);
  EXPECT_NEAR(before_ms(device, measured("zoo:mobilenet_v2", "", 8)), 8 * one, one);
  const FittedDevice fitted = fit(device, {measured("zoo:mobilenet_v2", "int8", 2)});
  const MeasuredPoint& kept = fitted.device.analytic()->membership->points.at(0);
  EXPECT_EQ(kept.precision, "int8");
  EXPECT_EQ(kept.model, "zoo:mobilenet_v2, int8, batch 2");
}

// How far a point is from what the class expects tells how far the rest may be.
TEST(FitDevice, APointFarFromTheClassWidensTheIntervalAndSaysSo) {
  const Device device = **find_device("raspberry-pi-4");
  std::vector<FitPoint> points = points_of(device, {"zoo:mobilenet_v2"});
  const FittedDevice near = fit(device, points);
  points[0].latency_ms *= 4;
  const FittedDevice far = fit(device, points);
  EXPECT_GT(far.intervals.at(0).error, 2 * near.intervals.at(0).error);
  EXPECT_EQ(near.intervals[0].how.find("far from what the class expects"), std::string::npos);
  EXPECT_NE(far.intervals[0].how.find("far from what the class expects"), std::string::npos);
}

TEST(FitDevice, RefusesPrecisionsAndBatchesByLineAndColumn) {
  const Device jetson = **find_device("jetson-orin-nano");
  EXPECT_EQ(refusal_of(jetson, measured("zoo:resnet8", "bf16", 0)),
            "board.csv: line 2: precision is bf16, expected nothing, or what jetson-orin-nano can "
            "be priced in: fp16, fp32, int8");
  EXPECT_EQ(refusal_of(**find_device("npu"), measured("zoo:resnet8", "fp16", 0)),
            "board.csv: line 2: precision is fp16, expected nothing, or what npu can be priced in: "
            "int8");
  EXPECT_EQ(refusal_of(jetson, measured("zoo:resnet8:int8", "fp16", 0)),
            "board.csv: line 2: precision is fp16, expected int8, which zoo:resnet8:int8 computes "
            "in");
  const std::string kws = (source_dir() / "examples/kws/kws.onnx").string();
  EXPECT_EQ(refusal_of(jetson, measured(kws, "", 8)),
            str("board.csv: line 2: batch is 8, expected one that the model takes: ", kws,
                ": input 'input' is f32[1,49,10,1], but the shape given is 8x49x10x1"));
}

}  // namespace
}  // namespace hone
