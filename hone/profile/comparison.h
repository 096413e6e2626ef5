// One model on several devices, side by side: what `hone compare` finds out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"

namespace hone {

// What money is counted with.
struct CompareTerms {
  int64_t runs = 1000;         // Totals are of this many.
  int64_t batch = 1;           // Samples of a run.
  double life_years = 3;       // Over which a device's price is spread, busy all the time.
  double price_per_kwh = 0.2;  // USD.
};

// What is not known of a device is there as an unavailable metric with its reason.
struct DeviceFigures {
  std::string device = {};           // As -d names it.
  std::string summary = {};          // One line.
  std::string model = {};            // What ran: "kws.onnx", "kws.onnx, quantized to int8".
  std::string precision = {};        // Of its products: "int8", "int8, fp32".
  std::string failed = {};           // Why there are no figures; empty: there are.
  std::vector<Metric> latency = {};  // Measured: min, median, p90, p99, max; else the median alone.
  Metric throughput = {};            // Samples a second, one run after the other.
  Metric energy = {};                // mJ of one run.
  std::string energy_of = {};        // What it covers: "chip", "device", "meters"; may be empty.
  Metric power = {};                 // W, on average over a run.
  Metric weights = {};               // B in the device's memory.
  Metric activations = {};           // B at most at any time.
  Metric model_size = {};            // B of the file of what ran, or of what would be written.
  Metric accuracy = {};
  bool accuracy_of_itself = false;  // It tells how near the model came to itself as it was given.
  Metric copies = {};               // ms of a run: in and out, where memories are apart.
  Metric whole = {};                // ms of a run with them: what a caller waits for.
  Metric price = {};                // USD.
  Metric cost = {};                 // USD of a million runs, copies included.
  Metric usd_per_hour = {};         // To rent.
  Metric rent = {};                 // USD of a million runs so, copies included.
  Metric total_time = {};           // s of CompareTerms::runs.
  Metric total_energy = {};         // J of as many.
  bool pareto = false;              // Nothing in the comparison is better in every respect.
  bool covered = true;  // False: beyond what the device's model was fitted to; a note says so.
  std::vector<std::string> notes = {};

  // The median; null where the device failed.
  const Metric* typical() const;
  // What a caller waits for: a run with its copies, where those are known. Null as above.
  const Metric* waited() const;
};

// What one device takes for several times what was asked for, in one run.
struct BatchFigures {
  std::string device = {};
  Metric whole = {};
  Metric cost = {};
  Metric rent = {};
};

struct ComparedBatch {
  int64_t batch = 1;  // Times what was asked for.
  std::vector<BatchFigures> devices = {};
};

// From which batch on a device with memory of its own is worth the way to it.
struct BreakEven {
  std::string device = {};
  std::string against = {};  // The CPU that it is compared with.
  Metric faster_from = {};   // A batch; unavailable where there is none, with the reason.
  Metric cheaper_from = {};
  bool rented = false;        // By the hour; otherwise bought.
  std::string unpriced = {};  // Which of the two has none, where that is why; not in files.
};

struct DeviceComparison {
  std::string model = {};
  std::string inputs = {};  // "input 8x3x224x224".
  CompareTerms terms = {};
  bool more_accuracy_is_better = true;
  std::vector<DeviceFigures> devices = {};
  std::vector<std::string> pareto_axes = {};  // What mark_pareto compared.
  std::string energy_left_out = {};           // Why energy is not among them; empty: it is, or is
                                              // not known of every device.
  bool cost_has_energy = true;                // See price_alike.
  std::vector<ComparedBatch> batches = {};    // What break-even was found from; may be empty.
  std::vector<BreakEven> break_even = {};

  // Of any device that has figures: then times are compared with copies.
  bool has_copies() const;
};

// From latency, energy and price: throughput, power, totals and cost, each with its interval.
void derive_figures(const CompareTerms& terms, DeviceFigures& figures);

// Takes energy out of every device's cost where it does not cover the same everywhere: a chip's
// beside a whole board's would make the chip look cheap. After derive_figures of all devices.
void price_alike(DeviceComparison& comparison);

// Marks the devices that no other one beats: as good in all of latency, with copies where those are
// known, energy, price and accuracy,
// and better in one. A device beats another by what is known of both, and none of which more is known
// than of itself. Energy counts only where it covers the same everywhere; values count, not their
// intervals.
void mark_pareto(DeviceComparison& comparison);

// What stands under "results" of a result file.
nlohmann::ordered_json comparison_to_json(const DeviceComparison& comparison);
// The JSON Schema of it.
nlohmann::ordered_json comparison_schema();

// Reads what was written so. BadInput names the key.
Result<DeviceComparison> comparison_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
