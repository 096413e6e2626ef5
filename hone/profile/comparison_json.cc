#include "hone/profile/comparison.h"
#include "hone/profile/json_schema.h"

namespace hone {
namespace {

// In the order of "metrics" in a result file.
constexpr Metric DeviceFigures::*kMetrics[] = {
    &DeviceFigures::throughput, &DeviceFigures::energy,       &DeviceFigures::power,
    &DeviceFigures::weights,    &DeviceFigures::activations,  &DeviceFigures::model_size,
    &DeviceFigures::accuracy,   &DeviceFigures::price,        &DeviceFigures::cost,
    &DeviceFigures::total_time, &DeviceFigures::total_energy, &DeviceFigures::copies,
    &DeviceFigures::whole,      &DeviceFigures::usd_per_hour, &DeviceFigures::rent};
// Files of before there were copies have as many.
constexpr size_t kMetricsWithoutCopies = std::size(kMetrics) - 4;

// Fields of a device but for its metrics.
struct DeviceFields {
  DeviceFigures figures = {};
  std::vector<Metric> metrics = {};
};

struct ComparisonFields {
  DeviceComparison comparison = {};
  std::vector<DeviceFields> devices = {};
};

}  // namespace

template <class Fields>
void visit_fields(Fields& f, DeviceFields& d) {
  DeviceFigures& figures = d.figures;
  f("device", figures.device);
  f("summary", figures.summary);
  f("model", figures.model);
  f("failed", figures.failed);
  f("pareto", figures.pareto);
  f("precision", figures.precision);
  f("energy_of", figures.energy_of);
  f("covered", figures.covered);
  f("accuracy_of_itself", figures.accuracy_of_itself);
  f("latency", figures.latency);
  f("metrics", d.metrics);
  f("notes", figures.notes);
}

template <class Fields>
void visit_fields(Fields& f, BatchFigures& figures) {
  f("device", figures.device);
  f("with_copies", figures.whole);
  f("cost", figures.cost);
  f("rent", figures.rent);
}

template <class Fields>
void visit_fields(Fields& f, ComparedBatch& batch) {
  f("batch", batch.batch);
  f("devices", batch.devices);
}

template <class Fields>
void visit_fields(Fields& f, BreakEven& point) {
  f("device", point.device);
  f("against", point.against);
  f("faster_from", point.faster_from);
  f("cheaper_from", point.cheaper_from);
  f("rented", point.rented);
}

template <class Fields>
void visit_fields(Fields& f, ComparisonFields& c) {
  DeviceComparison& comparison = c.comparison;
  f("model", comparison.model);
  f("inputs", comparison.inputs);
  f("batch", comparison.terms.batch);
  f("runs", comparison.terms.runs);
  f("life_years", comparison.terms.life_years);
  f("price_per_kwh", comparison.terms.price_per_kwh);
  f("pareto_axes", comparison.pareto_axes);
  f("energy_left_out", comparison.energy_left_out);
  f("cost_has_energy", comparison.cost_has_energy);
  f("devices", c.devices);
  f("batches", comparison.batches);
  f("break_even", comparison.break_even);
}

Json comparison_schema() {
  Json schema = result_schema_of<ComparisonFields>("comparison");
  leave_open(schema, {"batches", "break_even"});
  leave_open(schema["properties"]["devices"]["items"],
             {"failed", "pareto", "precision", "energy_of", "covered", "accuracy_of_itself",
              "latency", "metrics"});
  return schema;
}

Json comparison_to_json(const DeviceComparison& comparison) {
  ComparisonFields fields{.comparison = comparison};
  for (const DeviceFigures& device : comparison.devices) {
    DeviceFields& each = fields.devices.emplace_back(DeviceFields{.figures = device});
    for (const auto metric : kMetrics) each.metrics.push_back(device.*metric);
  }
  JsonWriter writer{.json = {{"kind", "comparison"}}};
  visit_fields(writer, fields);
  if (comparison.break_even.empty()) {
    writer.json.erase("batches");
    writer.json.erase("break_even");
  }
  for (Json& device : writer.json["devices"]) {
    if (device["failed"] == "") {
      device.erase("failed");
      continue;
    }
    for (const char* figure : {"pareto", "precision", "energy_of", "covered", "accuracy_of_itself",
                               "latency", "metrics"}) {
      device.erase(figure);
    }
  }
  return std::move(writer.json);
}

Result<DeviceComparison> comparison_from_json(const Json& results) {
  HONE_TRY(ComparisonFields fields, read_fields<ComparisonFields>(results));
  if (fields.devices.empty()) return bad_input("results.devices: is empty, expected one or more");
  for (DeviceFields& device : fields.devices) {
    const size_t count = device.figures.failed.empty() ? std::size(kMetrics) : 0;
    const bool old = count > 0 && device.metrics.size() == kMetricsWithoutCopies;
    if ((device.metrics.size() != count && !old) ||
        (count > 0 && device.figures.typical() == nullptr)) {
      return bad_input("results.devices: '", device.figures.device, "' has ", device.metrics.size(),
                       " metrics, expected ", count, ", and a median latency where it has any");
    }
    for (size_t m = 0; m < device.metrics.size(); ++m)
      device.figures.*kMetrics[m] = device.metrics[m];
    fields.comparison.devices.push_back(std::move(device.figures));
  }
  return std::move(fields.comparison);
}

}  // namespace hone
