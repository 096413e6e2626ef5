#include "hone/device/device_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "hone/base/str.h"
#include "hone/device/choose_prior.h"
#include "hone/device/class_file.h"
#include "hone/device/family_slope.h"
#include "hone/device/plan_points.h"

namespace hone {
namespace {

constexpr size_t kWindow = family_index("window");
constexpr size_t kMatmul = family_index("matmul");

FamilyWork work_with(double pointwise, double window, double pass) {
  FamilyWork work = {};
  work[family_index("pointwise")] = pointwise;
  work[kWindow] = window;
  work[family_index("pass")] = pass;
  work[family_index("step")] = 50;
  work[family_index("run")] = 1;
  return work;
}

// Devices whose costs are those of a common kind times a factor each, and some of their own.
std::vector<ClassDevice> devices_of_a_kind(size_t count, double noise) {
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<ClassDevice> devices;
  for (size_t d = 0; d < count; ++d) {
    ClassDevice device{.name = str("device ", d), .member = {.gops = 10.0 * (1 + double(d % 4))}};
    const double factor = std::exp(0.3 * normal(rng)) / device.member.gops;
    const double window = 0.5 * std::exp(0.2 * normal(rng));
    for (int n = 0; n < 14; ++n) {
      const double size = 1e6 * std::exp(normal(rng));
      const FamilyWork work = work_with(size * 200, size * (n % 3) * 300, size * (n % 5) * 2);
      const double ns = factor * (3 * work[0] + 3 * window * work[kWindow] +
                                  60 * work[family_index("pass")] + 4e5);
      device.points.push_back({work, ns * std::exp(noise * normal(rng)) / 1e6});
      device.networks.push_back(str("network ", n));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

TEST(FamilyMatrix, InverseTimesItselfIsOne) {
  FamilyMatrix a = diagonal(2);
  for (size_t i = 0; i < kFamilyCount; ++i) {
    FamilyWork v = {};
    for (size_t k = 0; k < kFamilyCount; ++k) v[k] = std::sin(1.0 + double(i * 7 + k));
    add_square(a, v, 0.5);
  }
  const FamilyMatrix b = inverse(a);
  for (size_t r = 0; r < kFamilyCount; ++r) {
    const FamilyWork row = product(a, b[r]);
    for (size_t c = 0; c < kFamilyCount; ++c) EXPECT_NEAR(row[c], r == c ? 1 : 0, 1e-9);
  }
}

// Rounding leaves covariances that are not quite such.
TEST(FamilyMatrix, InverseIsThatOfTheNearestCovariance) {
  FamilyMatrix a = {};
  FamilyWork ones = {};
  ones.fill(1);
  add_square(a, ones, 1);
  a[0][0] -= 1e-15;
  ASSERT_FALSE(positive_definite(a));
  const FamilyWork solution = product(inverse(a), ones);
  for (const double value : product(a, solution)) EXPECT_NEAR(value, 1, 1e-3);
}

TEST(DeviceClass, LearnsHowFamiliesCompare) {
  const DeviceClass learned = learn_class(devices_of_a_kind(24, 0.02));
  const double window = std::exp(learned.costs.log_ns[kWindow] - learned.costs.log_ns[0]);
  EXPECT_NEAR(window, 0.5, 0.1);
  EXPECT_LT(learned.sigma, 0.06);
  EXPECT_TRUE(learned.unseen.contains("matmul"));
  EXPECT_FALSE(learned.unseen.contains("window"));
  EXPECT_TRUE(learned.unseen.contains("step"));  // All have as many: it is in what a run takes.
}

TEST(DeviceClass, PointsOfADeviceMakeItsPredictionsBetter) {
  const std::vector<ClassDevice> devices = devices_of_a_kind(14, 0.05);
  constexpr int kPoints[] = {0, 1, 10};
  auto accuracy = cross_validate(devices, kPoints, HeldOut::DevicesAndNetworks);
  EXPECT_EQ(std::erase_if(accuracy, [](const auto& entry) { return entry.planned; }), 2u);
  ASSERT_EQ(accuracy.size(), 3u);
  EXPECT_LT(accuracy[1].median_error, 0.5 * accuracy[0].median_error);
  EXPECT_LT(accuracy[2].median_error, accuracy[1].median_error);
  EXPECT_LT(accuracy[2].half_width, accuracy[1].half_width);
  // Somewhat more than nine of ten: fourteen devices say that much of the next.
  for (const ClassAccuracy& entry : accuracy) {
    EXPECT_GE(entry.held, 0.89);
    EXPECT_LE(entry.held, 0.97);
  }
}

// The part of all times of devices that were not seen which lies in the intervals, where the first
// points of each are known.
double held_of_others(const DeviceClass& learned, std::span<const ClassDevice> others,
                      size_t known) {
  double held = 0, rows = 0;
  for (const ClassDevice& device : others) {
    std::vector<MeasuredWork> points = device.points;
    for (MeasuredWork& point : points) point.effect = effect_of(learned, point.work);
    const FamilyCosts costs =
        learn_from(costs_of(learned, device.member), std::span(points).first(known));
    for (const MeasuredWork& point : std::span(points).subspan(known)) {
      const CostPrediction expected = predict_costs(costs, point.work, point.effect);
      const double width =
          class_log_width(learned, static_cast<int>(known), point.work, expected.deviation);
      held += std::abs(std::log(point.ms / expected.ms)) <= width ? 1 : 0;
      rows += 1;
    }
  }
  return held / rows;
}

TEST(DeviceClass, IntervalsOfFewDevicesHoldTheNextOnes) {
  constexpr size_t kTries = 4;
  constexpr int kPoints[] = {0, 1};
  const std::vector<ClassDevice> devices = devices_of_a_kind(40, 0.05);
  for (const size_t few : {2, 4}) {
    double without = 0, with_one = 0;
    for (size_t first = 0; first < kTries * few; first += few) {
      const std::span<const ClassDevice> own(devices.data() + first, few);
      DeviceClass learned = learn_class(own);
      learned.accuracy = cross_validate(own, kPoints, HeldOut::DevicesAndNetworks);
      without += held_of_others(learned, devices, 0) / kTries;
      with_one += held_of_others(learned, devices, 1) / kTries;
    }
    EXPECT_GT(without, 0.8) << few << " devices";
    EXPECT_GT(with_one, 0.85) << few << " devices";
  }
}

TEST(DeviceClass, AClassOfOneDeviceIsWideAndSaysSo) {
  DeviceClass learned = learn_class(devices_of_a_kind(1, 0.05));
  learned.evidence = {.devices = 1, .networks = 14, .rows = 14};
  EXPECT_GT(interval_rule(learned, 0, HeldOut::Devices).deviations, 2);
  EXPECT_EQ(few_devices_text(learned),
            "class  was learned from 1 device and 14 times: how far the next one differs is little "
            "known");
  EXPECT_NE(class_text(learned).find("# class  was learned from 1 device"), std::string::npos);
  learned.evidence.devices = kFewDevices;
  EXPECT_EQ(few_devices_text(learned), "");
}

TEST(DeviceClass, APeakFarBeyondItsDevicesIsLessSure) {
  const DeviceClass learned = learn_class(devices_of_a_kind(12, 0.02));
  ASSERT_TRUE(learned.peaks);
  EXPECT_EQ(learned.peaks->least_gops, 10);
  EXPECT_EQ(learned.peaks->most_gops, 40);
  EXPECT_EQ(beyond_peaks(learned, 20), 1);
  EXPECT_EQ(beyond_peaks(learned, 40e3), 1000);
  EXPECT_EQ(beyond_peaks(learned, 1), 0.1);
  const auto deviation = [&](double gops) {
    return predict_costs(costs_of(learned, {.gops = gops}), work_with(1e8, 1e8, 1e5)).deviation;
  };
  EXPECT_NEAR(deviation(750), deviation(20), 0.05);
  EXPECT_GT(deviation(40e3), deviation(20) + 1);
  EXPECT_GT(deviation(0.05), deviation(20) + 0.5);
}

// A device that is far from its class in what was measured is so in the rest, too.
TEST(FamilyCosts, PointsFarFromExpectedMakeTheRestLessSure) {
  const std::vector<ClassDevice> devices = devices_of_a_kind(12, 0.02);
  const DeviceClass learned = learn_class(devices);
  const FamilyCosts before = costs_of(learned, devices[3].member);
  MeasuredWork point = devices[3].points[0];
  point.effect.sigma = learned.sigma;
  const CostPrediction expected = predict_costs(before, point.work, point.effect);
  const auto scale_when_off_by = [&](double deviations) {
    point.ms = expected.ms * std::exp(deviations * expected.deviation);
    return learn_from(before, {{point}}).scale;
  };
  EXPECT_EQ(before.scale, 1);
  EXPECT_NEAR(scale_when_off_by(0), std::sqrt(0.5), 0.01);
  EXPECT_NEAR(scale_when_off_by(1), 1, 0.05);
  EXPECT_NEAR(scale_when_off_by(-3), std::sqrt(5.0), 0.2);
  EXPECT_EQ(scale_when_off_by(50), 3);
  point.ms = expected.ms;
  const FamilyCosts near = learn_from(before, {{point}});
  FamilyCosts far = near;
  far.scale = 2;
  EXPECT_NEAR(predict_costs(far, devices[3].points[5].work).deviation,
              2 / near.scale * predict_costs(near, devices[3].points[5].work).deviation, 1e-9);
}

TEST(DeviceClass, APointThatAgreesWithNoOtherCountsForLess) {
  std::vector<ClassDevice> devices = devices_of_a_kind(12, 0.02);
  const DeviceClass learned = learn_class(devices);
  ClassDevice device = devices[3];
  for (MeasuredWork& point : device.points) point.effect.sigma = learned.sigma;
  const FamilyCosts before = costs_of(learned, device.member);
  const double right = predict_costs(learn_from(before, device.points), device.points[5].work).ms;
  device.points[2].ms *= 5;
  std::vector<double> trust;
  const FamilyCosts costs = learn_from(before, device.points, &trust);
  EXPECT_NEAR(predict_costs(costs, device.points[5].work).ms, right, 0.03 * right);
  EXPECT_LT(trust[2], 0.05);
}

// Networks of the same work on all devices, of which one takes longer than its families tell and
// another is noisy.
std::vector<ClassDevice> devices_with_odd_networks(size_t count) {
  std::vector<ClassDevice> devices = devices_of_a_kind(count, 0.02);
  std::mt19937 rng(2);
  std::normal_distribution<double> normal;
  for (ClassDevice& device : devices) {
    for (size_t p = 0; p < device.points.size(); ++p) {
      const FamilyWork& work = devices[0].points[p].work;
      double ns = 0;
      for (size_t i = 0; i < kFamilyCount; ++i) ns += (i == kWindow ? 1.5 : 3) * work[i];
      device.points[p].work = work;
      device.points[p].ms = ns * std::exp(0.02 * normal(rng)) / device.member.gops / 1e6;
    }
    device.points[1].ms *= 1.5;
    device.points[7].ms *= std::exp(0.5 * normal(rng));
  }
  return devices;
}

TEST(DeviceClass, LearnsWhatIsANetworksOwn) {
  const std::vector<ClassDevice> devices = devices_with_odd_networks(16);
  const DeviceClass learned = learn_class(devices);
  ASSERT_EQ(learned.networks.size(), 14u);
  const auto effect = [&](size_t p) { return effect_of(learned, devices[0].points[p].work); };
  EXPECT_NEAR(std::exp(effect(1).log_factor), 1.4, 0.15);
  EXPECT_NEAR(std::exp(effect(2).log_factor), 1, 0.05);
  EXPECT_GT(effect(7).sigma, 3 * effect(2).sigma);
  // A network is told by its work, whatever surrounds it; of another nothing is known.
  FamilyWork other = devices[0].points[4].work;
  other[family_index("step")] += 2;
  ASSERT_NE(find_network(learned, other), nullptr);
  EXPECT_EQ(find_network(learned, other)->name, "network 4");
  other[kWindow] *= 1.02;
  other[0] *= 1.02;
  EXPECT_EQ(find_network(learned, other), nullptr);
  EXPECT_EQ(effect_of(learned, other).log_factor, 0);
  EXPECT_EQ(effect_of(learned, other).sigma, learned.sigma);
}

TEST(DeviceClass, FewDevicesDoNotTellNetworksFromDevices) {
  const std::vector<ClassDevice> devices = devices_with_odd_networks(3);
  for (const ClassNetwork& network : learn_class(devices).networks) {
    EXPECT_EQ(network.effect.log_factor, 0) << network.name;
    EXPECT_GT(network.effect.sigma, 0) << network.name;
  }
}

TEST(PlanPoints, TakesWhatTellsMostAndNoneTwice) {
  const DeviceClass learned = learn_class(devices_with_odd_networks(16));
  const FamilyCosts costs = costs_of(learned, {.gops = 10});
  const std::vector<PlannedPoint> plan = plan_points(costs, learned.networks, 20);
  ASSERT_EQ(plan.size(), learned.networks.size());
  std::set<size_t> taken;
  double before = 10;
  for (const PlannedPoint& point : plan) {
    EXPECT_TRUE(taken.insert(point.network).second);
    EXPECT_LE(point.deviation, before);
    before = point.deviation;
  }
  EXPECT_EQ(learned.networks[plan.back().network].name, "network 7") << "the noisy one tells least";
  EXPECT_EQ(plan_points(costs, learned.networks, 3).size(), 3u);
  EXPECT_TRUE(plan_points(costs, {}, 3).empty());
}

TEST(DeviceClass, ThreadsAndGroupsShiftAllCosts) {
  std::vector<ClassDevice> devices = devices_of_a_kind(24, 0.02);
  for (size_t d = 0; d < devices.size(); ++d) {
    if (d % 2 == 0) continue;
    devices[d].member.group = "slow";
    for (MeasuredWork& point : devices[d].points) point.ms *= 2;
  }
  const DeviceClass learned = learn_class(devices);
  const double fast = costs_of(learned, {.gops = 10}).log_ns[0];
  EXPECT_NEAR(costs_of(learned, {.gops = 20}).log_ns[0], fast - std::log(2), 0.05);
  EXPECT_GT(costs_of(learned, {.gops = 10, .group = "slow"}).log_ns[0], fast + 0.3);
}

// Else every device would be explained by its group, and the next one, of another, be taken to be as
// the class is.
TEST(DeviceClass, GroupsOfOneDeviceEachTellNothing) {
  std::vector<ClassDevice> devices = devices_of_a_kind(5, 0.02);
  for (ClassDevice& device : devices) device.member.group = str("group of ", device.name);
  EXPECT_TRUE(learn_class(devices).groups.empty());
  devices[1].member.group = devices[0].member.group;
  EXPECT_EQ(learn_class(devices).groups.size(), 4u);
  devices[1].name = devices[0].name;  // Two configurations of it.
  EXPECT_TRUE(learn_class(devices).groups.empty());
}

TEST(CostPrior, ProductsDifferLittleFromOneAnotherAndStartsMuch) {
  const FamilyMatrix covariance = covariance_of({});
  const auto apart = [&](std::string_view a, std::string_view b) {
    const size_t i = family_index(a), k = family_index(b);
    return covariance[i][i] + covariance[k][k] - 2 * covariance[i][k];
  };
  EXPECT_LT(apart("pointwise", "window"), apart("pointwise", "pass"));
  EXPECT_LT(apart("pointwise", "pass"), apart("pointwise", "step"));
}

// Where 3x3 convolutions differ by themselves from device to device, one point of a device tells little
// of those without: a prior that says so predicts them better.
TEST(CostPrior, IsChosenByHowFamiliesDiffer) {
  std::vector<ClassDevice> devices = devices_of_a_kind(8, 0.02);
  EXPECT_EQ(chosen_prior(devices).products, CostPrior{}.products);
  for (size_t d = 0; d < devices.size(); ++d) {
    const double window = d % 2 == 0 ? 4 : 0.25;
    for (MeasuredWork& point : devices[d].points) point.ms *= point.work[kWindow] > 0 ? window : 1;
  }
  EXPECT_EQ(chosen_prior(devices).products, kPriorOfEach.products);
}

TEST(CostPrior, IsTheUsualOneWhereNothingCanBeHeldOut) {
  EXPECT_EQ(chosen_prior(devices_of_a_kind(2, 0.02)).products, CostPrior{}.products);
}

// What a group's only device tells: of all families alike much, of one family little.
TEST(FamilySlope, FamiliesMoveTogether) {
  const FamilyMatrix precision = inverse(diagonal(0.2));
  const std::vector<double> numbers = {1, 0};
  FamilyWork alike = {}, one = {};
  alike.fill(0.6);
  one[kWindow] = 0.6;
  FamilyWork slope = {};
  std::vector<FamilyWork> off = {alike, {}};
  update_slope(numbers, precision, {}, off, slope);
  for (const double shift : slope) EXPECT_NEAR(shift, 0.6, 0.02);
  EXPECT_NEAR(off[0][kWindow], 0.6 - slope[kWindow], 1e-9);
  EXPECT_EQ(off[1][kWindow], 0);
  slope = {};
  off = {one, {}};
  update_slope(numbers, precision, {}, off, slope);
  EXPECT_GT(slope[kWindow], 0.05);
  EXPECT_LT(slope[kWindow], 0.2);
  EXPECT_LT(std::abs(slope[kMatmul]), 0.05);
}

TEST(FamilySlope, StaysWhereNothingIsTold) {
  SlopePrior prior{.most = 1};
  prior.mean.fill(0.5);
  FamilyWork slope = {};
  std::vector<FamilyWork> off(3);
  update_slope(std::vector<double>{0, 0, 0}, diagonal(1), prior, off, slope);
  for (const double power : slope) EXPECT_NEAR(power, 0.5, 1e-9);
  prior.mean.fill(2);
  update_slope(std::vector<double>{0, 0, 0}, diagonal(1), prior, off, slope);
  for (const double power : slope) EXPECT_EQ(power, 1) << "no more than the most";
}

// Devices of higher peaks whose libraries take longer to begin a run.
TEST(DeviceClass, AHigherPeakIsNeverSlower) {
  std::vector<ClassDevice> devices = devices_of_a_kind(24, 0.02);
  for (ClassDevice& device : devices) {
    for (MeasuredWork& point : device.points)
      point.ms += 0.002 * device.member.gops * device.member.gops;
  }
  const DeviceClass learned = learn_class(devices);
  for (const double power : learned.peak_loss) EXPECT_LE(power, kMostPeakLoss);
  EXPECT_EQ(learned.peak_loss[family_index("run")], kMostPeakLoss) << "it would have been more";
  for (const MeasuredWork& point : devices[0].points) {
    double before = predict_costs(costs_of(learned, {.gops = 1}), point.work).ms;
    for (double gops = 2; gops < 1e4; gops *= 2) {
      const double ms = predict_costs(costs_of(learned, {.gops = gops}), point.work).ms;
      EXPECT_LE(ms, before) << gops;
      before = ms;
    }
  }
}

TEST(DeviceClass, WhatIsANetworksOwnStaysAtOtherBatchesAndSizes) {
  std::vector<ClassDevice> devices = devices_with_odd_networks(16);
  for (ClassDevice& device : devices) {
    for (size_t p = 0; p < device.points.size(); ++p) {
      device.points[p].work[family_index("weights")] = 1e4 * double(p + 1);
    }
  }
  const DeviceClass learned = learn_class(devices);
  const FamilyWork& odd = devices[0].points[1].work;
  const NetworkEffect known = effect_of(learned, odd);
  const FamilyCosts costs = costs_of(learned, {.gops = 10});
  double before = predict_costs(costs, odd, known).ms, sigma = known.sigma;
  for (const double batch : {1.01, 1.5, 2.0, 8.0, 64.0}) {
    FamilyWork work = odd;
    for (size_t i = 0; i <= family_index("move"); ++i) work[i] *= batch;
    EXPECT_EQ(find_network(learned, work), nullptr);
    ASSERT_NE(find_resized_network(learned, work), nullptr) << batch;
    EXPECT_EQ(find_resized_network(learned, work)->name, "network 1");
    const NetworkEffect effect = effect_of(learned, work);
    EXPECT_EQ(effect.log_factor, known.log_factor);
    EXPECT_GE(effect.sigma, sigma) << batch;
    const double ms = predict_costs(costs, work, effect).ms;
    EXPECT_GT(ms, before) << batch;
    before = ms;
    sigma = effect.sigma;
  }
  FamilyWork other = odd;
  other[family_index("weights")] *= 1.1;
  other[0] *= 2;
  EXPECT_EQ(find_resized_network(learned, other), nullptr);
}

// Else the one would be told by the other, which nobody has of a network that is new.
TEST(DeviceClass, ANetworkIsHeldOutAtAllItsSizes) {
  constexpr int kNone[] = {0};
  std::vector<ClassDevice> devices = devices_with_odd_networks(16);
  for (ClassDevice& device : devices) {
    for (size_t p = 0; p < device.points.size(); ++p) {
      device.points[p].work[family_index("weights")] = 1e4 * double(p + 1);
    }
    MeasuredWork twice = device.points[1];
    for (size_t i = 0; i <= family_index("move"); ++i) twice.work[i] *= 2;
    twice.ms *= 2 * 1.5;
    device.points[1].ms *= 1.5;
    device.points.push_back(twice);
    device.networks.push_back("network 1, input:2x3x224x224");
  }
  // What is the network's own is known where only devices are held out.
  EXPECT_LT(cross_validate(devices, kNone, HeldOut::Devices)[0].p90_error, 0.25);
  EXPECT_GT(cross_validate(devices, kNone, HeldOut::DevicesAndNetworks)[0].p90_error, 0.4);
}

TEST(DeviceClass, BetweenTwoSizesWhatIsANetworksOwnGoesFromOneToTheOther) {
  FamilyWork small = work_with(1e6, 1e6, 1e4);
  small[family_index("weights")] = 1e5;
  FamilyWork large = work_with(16e6, 16e6, 16e4);
  large[family_index("weights")] = 1e5;
  DeviceClass of{.sigma = 0.3};
  of.networks = {{"small", small, {.log_factor = 0.4, .sigma = 0.1}},
                 {"large", large, {.log_factor = -0.2, .sigma = 0.1}}};
  FamilyWork middle = work_with(4e6, 4e6, 4e4);
  middle[family_index("weights")] = 1e5;
  EXPECT_NEAR(effect_of(of, middle).log_factor, 0.1, 1e-9);
  EXPECT_EQ(effect_of(of, small).log_factor, 0.4);
  EXPECT_EQ(effect_of(of, large).log_factor, -0.2);
}

// Nonsense that a caller let through is learned as what it is.
TEST(DeviceClass, LearnsFromTimesThatAreFarApart) {
  std::vector<ClassDevice> devices = devices_of_a_kind(2, 0);
  devices[0].member.gops = 1e-300;
  devices[1].member.gops = 1e9;
  for (MeasuredWork& point : devices[1].points) point.ms = 1e9;
  EXPECT_EQ(learn_class(devices).networks.size(), 14u);
}

TEST(ClassFile, OfDevicesThatAreTheSameIsRead) {
  std::vector<ClassDevice> devices = devices_of_a_kind(2, 0);
  devices[1].points = devices[0].points;
  devices[1].member = devices[0].member;
  DeviceClass learned = learn_class(devices);
  learned.name = learned.summary = "same";
  learned.precision = learned.peak = "fp32";
  learned.evidence = {2, 14, 28, "a table"};
  constexpr int kPoints[] = {0, 1};
  learned.accuracy = cross_validate(devices, kPoints, HeldOut::Devices);
  ASSERT_FALSE(learned.accuracy.empty());
  const auto read = parse_class(class_text(learned), "same.toml");
  EXPECT_TRUE(read.ok()) << read.error().message;
}

FamilyWork logs_of_half() {
  FamilyWork logs = {};
  logs.fill(std::log(0.5));
  return logs;
}

TEST(ClassFile, IsReadAsItIsWritten) {
  DeviceClass learned = learn_class(devices_of_a_kind(8, 0.05));
  learned.name = "some-class";
  learned.summary = "Some devices.";
  learned.precision = learned.peak = "fp16";
  learned.runtime = Runtime::Eager;
  learned.groups["big"] = logs_of_half();
  learned.evidence = {8, 14, 112, "a \"table\""};
  learned.accuracy = {{.held_out = HeldOut::DevicesAndNetworks,
                       .points = 1,
                       .predictions = 7,
                       .median_error = 0.125,
                       .rule = {.deviations = 2, .floor = 0.25}}};
  const std::string text = class_text(learned);
  const auto read = parse_class(text, "some-class.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(class_text(*read), text);
  EXPECT_EQ(read->unseen, learned.unseen);
  EXPECT_EQ(read->runtime, Runtime::Eager);
  EXPECT_NEAR(read->costs.log_ns[kMatmul], learned.costs.log_ns[kMatmul], 1e-5);
  EXPECT_EQ(read->networks.size(), 14u);
  const IntervalRule rule = interval_rule(*read, 5, HeldOut::DevicesAndNetworks);
  EXPECT_EQ(rule.deviations, 2);
  EXPECT_EQ(rule.floor, 0.25);
  EXPECT_NEAR(log_width(rule, 0.25), 2 * 0.25 * std::sqrt(2), 1e-12);
  EXPECT_EQ(read->peaks->most_gops, learned.peaks->most_gops);
  // Of eight devices, and what is assumed before any is seen.
  EXPECT_NEAR(interval_rule(*read, 5, HeldOut::Devices).deviations, 1.79, 0.02);
  EXPECT_NEAR(interval_rule(*read, 0, HeldOut::DevicesAndNetworks).deviations, 1.79, 0.02);
}

TEST(ClassFile, TellsWhatIsWrong) {
  const DeviceClass& known = class_catalog().at(0);
  const std::string text = class_text(known);
  const auto error_with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const auto read = parse_class(changed, "c.toml");
    return read.ok() ? "no error" : read.error().message;
  };
  EXPECT_NE(error_with("\nmove = ", "\nmoev = ").find("cost_ns.move: missing, expected"),
            std::string::npos);
  EXPECT_NE(
      error_with("window = [", "window = [0.5, ").find("correlation.window: expected 1 numbers"),
      std::string::npos)
      << error_with("window = [", "window = [0.5, ");
  EXPECT_NE(error_with("\nwindow = [", "\nwindow = [1] #").find("no costs can go together so"),
            std::string::npos);
  EXPECT_NE(error_with("sigma = ", "sigma = -").find("sigma: expected a number greater than 0"),
            std::string::npos);
}

TEST(ClassCatalog, HoldsClassesWithTheirErrors) {
  EXPECT_GE(class_catalog().size(), 6u);
  for (const DeviceClass& known : class_catalog()) {
    EXPECT_FALSE(known.evidence.source.empty()) << known.name;
    EXPECT_GT(known.evidence.rows, 10) << known.name;
    EXPECT_LE(std::ranges::max(known.peak_loss), kMostPeakLoss) << known.name;
  }
  const auto none = find_class("arm-gpu");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("no class of devices 'arm-gpu'"), std::string::npos);
}

}  // namespace
}  // namespace hone
