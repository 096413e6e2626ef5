#include "hone/report/results/fit_json.h"

#include "hone/profile/json_schema.h"

namespace hone {
namespace {

// A point and an interval as files have them: what is not told is null.
struct PointRecord {
  std::string model = {};
  std::optional<std::string> precision = {};
  std::optional<int64_t> batch = {};
  double measured_ms = 0;
  double before_ms = 0;
  double after_ms = 0;
  std::optional<double> left_out_error = {};
  std::optional<double> measured_mj = {};
  double before_mj = 0;
  double after_mj = 0;
};

struct IntervalRecord {
  std::optional<std::string> precision = {};
  double error = 0;
  std::string how = {};
};

struct FitRecord {
  std::string device = {};
  std::vector<FittedParameter> parameters = {};
  std::vector<PointRecord> points = {};
  double error = 0;
  std::string interval = {};
  std::vector<IntervalRecord> intervals = {};
  double least_macs = 0;
  double most_macs = 0;
  double least_bytes = 0;
  double most_bytes = 0;
  std::string date = {};
  std::vector<std::string> notes = {};
};

std::optional<std::string> if_told(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

PointRecord point_record(const FittedPoint& point) {
  const FitPoint& measured = point.measured;
  return {.model = measured.model,
          .precision = if_told(measured.precision),
          .batch = measured.batch > 0 ? std::optional(measured.batch) : std::nullopt,
          .measured_ms = measured.latency_ms,
          .before_ms = point.before_ms,
          .after_ms = point.after_ms,
          .left_out_error = point.left_out,
          .measured_mj = measured.energy_mj,
          .before_mj = point.before_mj,
          .after_mj = point.after_mj};
}

FittedPoint point_of(const PointRecord& record) {
  FittedPoint point{.before_ms = record.before_ms,
                    .after_ms = record.after_ms,
                    .left_out = record.left_out_error,
                    .before_mj = record.before_mj,
                    .after_mj = record.after_mj};
  point.measured = {.model = record.model,
                    .latency_ms = record.measured_ms,
                    .energy_mj = record.measured_mj,
                    .precision = record.precision.value_or(""),
                    .batch = record.batch.value_or(0)};
  return point;
}

FitRecord fit_record(const FittedDevice& fit) {
  const CalibrationFit& found = *fit.device.fit;
  FitRecord record{.device = fit.device.name,
                   .parameters = fit.parameters,
                   .error = found.error,
                   .interval = fit.intervals.at(0).how,
                   .least_macs = found.least_macs,
                   .most_macs = found.most_macs,
                   .least_bytes = found.least_bytes,
                   .most_bytes = found.most_bytes,
                   .date = found.date,
                   .notes = fit.notes};
  for (const FittedPoint& point : fit.points) record.points.push_back(point_record(point));
  for (const FittedInterval& interval : fit.intervals) {
    record.intervals.push_back({if_told(interval.of), interval.error, interval.how});
  }
  return record;
}

template <class Fields>
void visit_fields(Fields& f, PointRecord& p) {
  f("model", p.model);
  f("precision", p.precision);
  f("batch", p.batch);
  f("measured_ms", p.measured_ms);
  f("before_ms", p.before_ms);
  f("after_ms", p.after_ms);
  f("left_out_error", p.left_out_error);
  f("measured_mj", p.measured_mj);
  f("before_mj", p.before_mj);
  f("after_mj", p.after_mj);
}

template <class Fields>
void visit_fields(Fields& f, IntervalRecord& i) {
  f("precision", i.precision);
  f("error", i.error);
  f("how", i.how);
}

template <class Fields>
void visit_fields(Fields& f, FitRecord& r) {
  f("device", r.device);
  f("parameters", r.parameters);
  f("points", r.points);
  f("error", r.error);
  f("interval", r.interval);
  f("intervals", r.intervals);
  f("least_macs", r.least_macs);
  f("most_macs", r.most_macs);
  f("least_bytes", r.least_bytes);
  f("most_bytes", r.most_bytes);
  f("date", r.date);
  f("notes", r.notes);
}

}  // namespace

template <class Fields>
void visit_fields(Fields& f, FittedParameter& p) {
  f("name", p.name);
  f("before", p.before);
  f("after", p.after);
}

Json fit_schema() {
  return result_schema_of<FitRecord>("fit");
}

Json fit_to_json(const FittedDevice& fit) {
  FitRecord record = fit_record(fit);
  JsonWriter writer{.json = {{"kind", "fit"}}};
  visit_fields(writer, record);
  return std::move(writer.json);
}

Result<FittedDevice> fit_from_json(const Json& results) {
  HONE_TRY(const FitRecord record, read_fields<FitRecord>(results));
  FittedDevice fit{.parameters = record.parameters, .notes = record.notes};
  fit.device.name = record.device;
  fit.device.fit = CalibrationFit{.points = static_cast<int>(record.points.size()),
                                  .error = record.error,
                                  .least_macs = record.least_macs,
                                  .most_macs = record.most_macs,
                                  .least_bytes = record.least_bytes,
                                  .most_bytes = record.most_bytes,
                                  .date = record.date};
  for (const PointRecord& point : record.points) {
    if (!(point.measured_ms > 0)) {
      return bad_input("point '", point.model, "' has no measured_ms above 0");
    }
    fit.points.push_back(point_of(point));
  }
  for (const IntervalRecord& interval : record.intervals) {
    fit.intervals.push_back({interval.precision.value_or(""), interval.error, interval.how});
  }
  return fit;
}

}  // namespace hone
