// A class of devices: those that run networks through libraries of one kind, so that what they cost
// differs by how fast a device is more than by how the costs of the families compare. Learned from
// times that were measured on several; a device that nobody measured is taken for one more of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/device/cost_prior.h"
#include "hone/device/family_costs.h"

namespace hone {

// What of a device's data sheet its class goes by.
struct ClassMember {
  double gops = 1;         // The peak of the threads that are used; a multiply-add is two.
  int threads = 1;         // That share the work.
  std::string group = {};  // "cortex-a72": devices that are more alike; empty or unknown: none.
};

// A device on which several networks were measured.
struct ClassDevice {
  std::string name = {};  // Its other configurations have the same.
  ClassMember member = {};
  std::vector<MeasuredWork> points = {};
  std::vector<std::string> networks = {};  // Of the points.
};

// A network that devices of a class were measured with.
struct ClassNetwork {
  std::string name = {};
  FamilyWork work = {};
  NetworkEffect effect = {};  // On all devices of the class.
};

// What a class was learned from.
struct ClassEvidence {
  int devices = 0;
  int networks = 0;
  int rows = 0;
  std::string source = {};  // One sentence.
};

// What was held out while a class was learned.
enum class HeldOut {
  Devices,             // The device that is predicted, in all its configurations.
  DevicesAndNetworks,  // The network that is predicted, too.
};
std::string_view name_of(HeldOut held_out);  // "device", "device and network"

// Deviations of a normal distribution that nine of ten lie within.
inline constexpr double kNineOfTen = 1.645;
// The same where a deviation is known from so many squares: Student's, which is wider.
double nine_of_ten_of(int squares);

// How far an interval reaches on either side of the logarithm of a time.
struct IntervalRule {
  double deviations = kNineOfTen;  // So many of the expected one
  double floor = 0;                // and of this, for what a class takes to be sure and is not.
};
double log_width(const IntervalRule& rule, double deviation);

// How far predictions are off for a device of which so many points are known.
struct ClassAccuracy {
  HeldOut held_out = HeldOut::Devices;
  int points = 0;
  bool planned = false;  // The points are those of plan_points; otherwise any.
  int64_t predictions = 0;
  double median_error = 0;  // Of |predicted / measured - 1|.
  double p90_error = 0;
  double held = 0;        // Part of the measured times that lie in their intervals.
  double half_width = 0;  // Median of the intervals', upwards.
  // That is to hold nine of ten times of the next device: as it held those of the devices it was
  // tried on, also where each of them counts alike, and as is usual where they were few.
  IntervalRule rule = {};
};

// Of a class whose costs go by the peak of whatever precision runs.
inline constexpr std::string_view kAnyPrecision = "any";

// What becomes of a network before it runs.
enum class Runtime {
  Compiled,  // Batch norms are folded, activations and sums fused, equal operators computed once.
  Eager,     // Every operator runs by itself, as PyTorch has it without a compiler.
};
inline constexpr std::string_view kRuntimes[] = {"compiled", "eager"};
std::string_view name_of(Runtime runtime);
// Requires one of kRuntimes.
Runtime runtime_named(std::string_view name);

// Of what a higher peak gains: more would make a device slower for being faster.
inline constexpr double kMostPeakLoss = 1;
// Of the devices that a class was learned from.
struct PeakRange {
  double least_gops = 0;
  double most_gops = 0;
};

struct DeviceClass {
  std::string name = {};       // "arm-cpu-fp32".
  std::string summary = {};    // One line: devices, library.
  std::string precision = {};  // Of its arithmetic: "fp32", "fp16", "int8" or kAnyPrecision.
  std::string peak = {};  // The precision whose peak ClassMember::gops is; any: that which runs.
  Runtime runtime = Runtime::Compiled;
  FamilyCosts costs = {};   // Of a member of 1 GOP/s, one thread and no group.
  double typical_gops = 1;  // Of the members it was learned from.
  std::optional<PeakRange> peaks = {};
  std::vector<ClassNetwork> networks = {};
  double sigma = 0;  // Of networks that are not among those.
  // Families that no network had which it was learned from, or that all had alike: their costs are a
  // guess.
  std::set<std::string, std::less<>> unseen = {};
  // Costs grow to these powers, beside what the peak says: by how much higher it is than typical, at
  // most kMostPeakLoss,
  FamilyWork peak_loss = {};
  FamilyWork thread_loss = {};                    // and by threads.
  std::map<std::string, FamilyWork> groups = {};  // Logarithms of the factors on the costs.
  ClassEvidence evidence = {};
  std::vector<ClassAccuracy> accuracy = {};  // By cross-validation.
  std::vector<std::string> odd_rows = {};    // Times that may be mistakes; told, not kept in files.
  std::string path = {};                     // Of the user's file; empty: it came with Hone.
  bool is_in_front = false;                  // Of one that came with Hone and has its name.
};

// Fewer say little about how the next one differs from them.
inline constexpr int kFewDevices = 4;

// Less sure for one whose peak is far from those of all devices that the class was learned from.
FamilyCosts costs_of(const DeviceClass& of, const ClassMember& member);

// A peak that is less than so many times beyond those of the class's devices tells as much as theirs.
inline constexpr double kSamePeaks = 20;
// How many times a peak is beyond all of the class's, above 1, or below them, below 1.
double beyond_peaks(const DeviceClass& of, double gops);

// But for what a runtime leaves out or adds.
bool is_same_network(const FamilyWork& a, const FamilyWork& b);

// The one among the class's that has the same work, but for what a runtime leaves out or adds; null
// where there is none.
const ClassNetwork* find_network(const DeviceClass& of, const FamilyWork& work);
// The nearest of the class's that has the same layers, be it for another batch or size of input; null
// where there is none.
const ClassNetwork* find_resized_network(const DeviceClass& of, const FamilyWork& work);
// What is a network's own stays so for other batches and sizes, though less surely; between two that
// were measured it goes from one to the other.
NetworkEffect effect_of(const DeviceClass& of, const FamilyWork& work);

// By expectation and maximization: what the costs of each device are is learned from its points and
// from what the class says of them, and what the class says from the costs of all. Costs alone.
DeviceClass learn_class(std::span<const ClassDevice> devices, const CostPrior& prior);
// By the prior that does best among those devices.
DeviceClass learn_class(std::span<const ClassDevice> devices);

// Each device, or each network on each device, as a class predicts it that was not learned from
// them, for each number of points that are known of the device; those are drawn from its other
// networks, and planned among them.
std::vector<ClassAccuracy> cross_validate(std::span<const ClassDevice> devices,
                                          std::span<const int> points, HeldOut held_out);

// That of the entry for as many points or, where there is none, for the next fewer; where nothing
// was held out, Student's by the number of devices.
IntervalRule interval_rule(const DeviceClass& of, int points, HeldOut held_out);

// Of a network's interval on either side, by what held for devices that were not seen before and,
// unless the class knows the network, for networks that were not.
double class_log_width(const DeviceClass& of, int points, const FamilyWork& network,
                       double deviation);

// "class arm-cpu is your own, of PATH, in place of the built-in one"; empty where it came with Hone.
std::string own_class_text(const DeviceClass& of);

// "learned from 1 device and 6 times: ..."; empty where they are enough.
std::string few_devices_text(const DeviceClass& of);

}  // namespace hone
