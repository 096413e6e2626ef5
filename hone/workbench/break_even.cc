#include "hone/workbench/break_even.h"

#include <algorithm>

#include "hone/base/progress.h"
#include "hone/profile/break_even.h"
#include "hone/workbench/open_device.h"

namespace hone {
namespace {

constexpr int64_t kMostBatch = 4096;
constexpr double kMostMeasuredMs = 1000;  // Of a run: what is measured takes time to wait for.
constexpr double kBatchSeconds = 0.3;     // Of measuring one batch on one device,
constexpr double kBatchTuneSeconds = 3;   // and of choosing its kernels before.

// Computes in memory that the caller's data has to be brought to.
bool is_apart(const TargetDef& target, const std::optional<Device>& device) {
  const AnalyticSpec* spec = device ? device->analytic() : nullptr;
  return device ? spec != nullptr && spec->link.has_value() : target.device != nullptr;
}

bool is_cpu(const TargetDef& target, const std::optional<Device>& device) {
  return device ? device->kind == "cpu" : target.name == "cpu";
}

struct Contest {
  std::string cpu = {};
  std::vector<std::string> apart = {};  // Not settled yet.
};

Result<Contest> contest_of(const DeviceComparison& comparison) {
  Contest contest;
  for (const DeviceFigures& figures : comparison.devices) {
    if (!figures.failed.empty()) continue;
    HONE_TRY(const AskedDevice asked, asked_device(figures.device));
    HONE_TRY(const std::optional<Device> device, open_device(asked.name));
    HONE_TRY(const TargetDef* target, find_target(asked.name));
    if (contest.cpu.empty() && is_cpu(*target, device)) contest.cpu = figures.device;
    if (is_apart(*target, device)) contest.apart.push_back(figures.device);
  }
  return contest;
}

ComparedBatch batch_of(int64_t batch, const DeviceComparison& comparison) {
  ComparedBatch compared{.batch = batch};
  for (const DeviceFigures& figures : comparison.devices) {
    if (!figures.failed.empty()) continue;
    compared.devices.push_back({figures.device, figures.whole, figures.cost, figures.rent});
  }
  return compared;
}

const BatchFigures* figures_of(const ComparedBatch& batch, const std::string& device) {
  const auto found = std::ranges::find(batch.devices, device, &BatchFigures::device);
  return found == batch.devices.end() ? nullptr : &*found;
}

// Of batches that both were tried with and where both have the figure.
std::vector<BatchPair> pairs_of(const std::vector<ComparedBatch>& batches,
                                const std::string& device, const std::string& cpu,
                                Metric BatchFigures::*figure) {
  std::vector<BatchPair> pairs;
  for (const ComparedBatch& batch : batches) {
    const BatchFigures* candidate = figures_of(batch, device);
    const BatchFigures* standing = figures_of(batch, cpu);
    if (candidate == nullptr || standing == nullptr) continue;
    if (!(candidate->*figure).value || !(standing->*figure).value) continue;
    pairs.push_back({batch.batch, candidate->*figure, standing->*figure});
  }
  return pairs;
}

// Rented where both have a price by the hour, bought otherwise.
Metric BatchFigures::*money_of(const std::vector<ComparedBatch>& batches, const std::string& device,
                               const std::string& cpu) {
  const bool rented = !pairs_of(batches, device, cpu, &BatchFigures::rent).empty();
  return rented ? &BatchFigures::rent : &BatchFigures::cost;
}

bool both_settled(const std::vector<ComparedBatch>& batches, const std::string& device,
                  const std::string& cpu) {
  for (Metric BatchFigures::*figure : {&BatchFigures::whole, money_of(batches, device, cpu)}) {
    const std::vector<BatchPair> pairs = pairs_of(batches, device, cpu, figure);
    if (!pairs.empty() && !is_settled(pairs)) return false;
  }
  return true;
}

bool is_too_long(const ComparedBatch& batch) {
  return std::ranges::any_of(batch.devices, [](const BatchFigures& figures) {
    return figures.whole.mode == Mode::Measured && 2 * *figures.whole.value > kMostMeasuredMs;
  });
}

// Whichever has none by the hour; empty where both have.
std::string without_price(const ComparedBatch& batch, const std::string& device,
                          const std::string& cpu) {
  for (const std::string& name : {device, cpu}) {
    if (!figures_of(batch, name)->rent.value) return name;
  }
  return "";
}

Metric no_money(const std::string& unpriced) {
  return unavailable("cheaper_from", "",
                     unpriced.empty() ? "not known: one is rented, the other bought"
                                      : str("not known: there is no price of ", unpriced));
}

BreakEven found_for(const std::vector<ComparedBatch>& batches, const std::string& device,
                    const std::string& cpu) {
  BreakEven found{.device = device, .against = cpu};
  found.faster_from =
      break_even_batch("faster_from", pairs_of(batches, device, cpu, &BatchFigures::whole));
  Metric BatchFigures::*const money = money_of(batches, device, cpu);
  found.rented = money == &BatchFigures::rent;
  const std::vector<BatchPair> pairs = pairs_of(batches, device, cpu, money);
  if (pairs.empty()) found.unpriced = without_price(batches.front(), device, cpu);
  found.cheaper_from =
      pairs.empty() ? no_money(found.unpriced) : break_even_batch("cheaper_from", pairs);
  return found;
}

// Of timing alone, and of the devices that a larger batch may tell more of.
CompareRequest request_for_batch(const CompareRequest& request, const Contest& contest) {
  CompareRequest smaller = request;
  smaller.devices = contest.apart;
  smaller.devices.insert(smaller.devices.begin(), contest.cpu);
  smaller.seconds = std::min(request.seconds, kBatchSeconds);
  smaller.compile.tune_seconds = std::min(request.compile.tune_seconds, kBatchTuneSeconds);
  smaller.data = smaller.metric = "";
  smaller.accuracy.reset();
  smaller.tells = false;
  return smaller;
}

}  // namespace

Status add_break_even(const BatchedModel& model, const CompareRequest& request,
                      DeviceComparison& comparison) {
  HONE_TRY(Contest contest, contest_of(comparison));
  if (contest.cpu.empty() || contest.apart.empty()) return Done{};
  const std::vector<std::string> apart = contest.apart;
  std::vector<ComparedBatch> batches = {batch_of(1, comparison)};
  Progress work("compare");
  work.begin("trying larger batches");
  for (int64_t batch = 2; batch <= kMostBatch; batch *= 2) {
    std::erase_if(contest.apart, [&](const std::string& device) {
      return both_settled(batches, device, contest.cpu);
    });
    if (contest.apart.empty() || is_too_long(batches.back())) break;
    const Result<Model> larger = model(batch);
    if (!larger.ok()) break;
    HONE_TRY(const TriedDevices tried, try_devices(*larger, request_for_batch(request, contest)));
    ComparedBatch compared = batch_of(batch, tried.comparison);
    if (compared.devices.size() <= contest.apart.size()) break;
    batches.push_back(std::move(compared));
  }
  for (const std::string& device : apart) {
    comparison.break_even.push_back(found_for(batches, device, contest.cpu));
  }
  comparison.batches = std::move(batches);
  return Done{};
}

}  // namespace hone
