#include "hone/workbench/learn_devices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/device/own_points.h"
#include "hone/profile/import/rows.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr int kValidatedPoints[] = {0, 1, 3, 10};

struct TableColumns {
  Column device, group, threads, gops, model, shapes, latency;
  std::optional<Column> library = {};
};

Result<TableColumns> columns_of(const Row& header) {
  HONE_RETURN_IF_ERROR(check_columns_differ(header));
  TableColumns columns;
  HONE_TRY(columns.device, find_column(header, "device"));
  HONE_TRY(columns.group, find_column(header, "group"));
  HONE_TRY(columns.threads, find_column(header, "threads"));
  HONE_TRY(columns.gops, find_column(header, "gops"));
  HONE_TRY(columns.model, find_column(header, "model"));
  HONE_TRY(columns.shapes, find_column(header, "shapes"));
  HONE_TRY(columns.latency, find_column(header, "latency_ms"));
  columns.library = column_if_any(header, "library");
  return columns;
}

Result<double> number_between(const Row& row, const Column& column, double least, double most) {
  HONE_TRY(const double value, number_of(row, column, most));
  if (value >= least) return value;
  return bad_input("line ", row.line, ": ", column.name, " is ", value, ", expected ", least,
                   " or more");
}

Result<int> threads_of(const Row& row, const Column& column) {
  HONE_TRY(const double threads, number_between(row, column, 1, 1 << 16));
  if (threads == std::floor(threads)) return static_cast<int>(threads);
  return bad_input("line ", row.line, ": ", column.name, " is ", threads,
                   ", expected a whole number");
}

// No processor that runs networks is slower or faster, whatever the unit.
constexpr double kLeastGops = 1e-4;
constexpr double kMostGops = 1e8;
constexpr double kLeastMs = 1e-4;
// By how much a time may be shorter or longer than the peak says: beyond it is another unit.
constexpr double kMostOfPeak = 1e3;
constexpr double kMostTimesPeak = 1e6;

// Begins and ends of steps take about so long everywhere, next to what those factors allow.
constexpr double kMsOfStep = 1e-3;

Status check_speed(const FamilyWork& work, double gops, double ms) {
  double macs = 0;
  for (size_t i = 0; i < family_index("pass"); ++i) macs += work[i];
  const double at_peak = 2 * macs / gops / 1e6;
  if (ms * kMostOfPeak < at_peak) {
    return bad_input("latency_ms is ", ms, ", less than a thousandth of what the peak of ", gops,
                     " GOP/s takes");
  }
  if (ms > kMostTimesPeak * (at_peak + kMsOfStep * (1 + work[family_index("step")]))) {
    return bad_input("latency_ms is ", ms, ", more than a million times what the peak of ", gops,
                     " GOP/s takes");
  }
  return Done{};
}

Result<FamilyWork> work_of_network(const std::string& model, const std::string& shapes,
                                   Runtime runtime) {
  LoadOptions options;
  if (!shapes.empty()) {
    HONE_TRY(auto binding, parse_shape_binding(shapes));
    options.shapes.insert(std::move(binding));
  }
  HONE_TRY(Model opened, open_model(model, options));
  HONE_TRY(const DeviceProgram program,
           device_program(std::move(opened.graph), {.runtime = runtime}));
  return work_of(program);
}

class TableReader {
 public:
  TableReader(const fs::path& folder, Runtime runtime) : folder_(folder), runtime_(runtime) {}

  Status read(const std::vector<Row>& rows) {
    HONE_TRY(const TableColumns columns, columns_of(rows[0]));
    Progress progress("learn", rows.size() - 1);
    for (size_t r = 1; r < rows.size(); ++r) {
      HONE_RETURN_IF_ERROR(add(rows[r], columns));
      progress.step();
    }
    return Done{};
  }

  std::vector<ClassDevice> devices() && {
    std::vector<ClassDevice> list;
    for (auto& [key, device] : devices_) list.push_back(std::move(device));
    return list;
  }

 private:
  Status add(const Row& row, const TableColumns& columns) {
    const std::string name(trimmed(cell_of(row, columns.device)));
    if (name.empty()) return bad_input("line ", row.line, ": device is empty, expected a name");
    ClassMember member{.group = std::string(trimmed(cell_of(row, columns.group)))};
    HONE_TRY(member.threads, threads_of(row, columns.threads));
    HONE_TRY(member.gops, number_between(row, columns.gops, kLeastGops, kMostGops));
    const std::string model(trimmed(cell_of(row, columns.model)));
    const std::string shapes(trimmed(cell_of(row, columns.shapes)));
    HONE_TRY(const double ms, number_between(row, columns.latency, kLeastMs, kMostMs));
    HONE_TRY(const FamilyWork* work, network(model, shapes).in(str("line ", row.line)));
    HONE_RETURN_IF_ERROR(check_speed(*work, member.gops, ms).in(str("line ", row.line)));
    std::string called = shapes.empty() ? model : str(model, ", ", shapes);
    const std::string library(columns.library ? trimmed(cell_of(row, *columns.library)) : "");
    ClassDevice& device = device_of(name, library, member, called);
    device.points.push_back({.work = *work, .ms = ms});
    device.networks.push_back(std::move(called));
    return Done{};
  }

  // A network that was measured again begins another round: libraries and clocks may have changed.
  ClassDevice& device_of(const std::string& name, const std::string& library,
                         const ClassMember& member, const std::string& network) {
    for (int round = 1;; ++round) {
      const std::string key = str(name, ", ", library, ", ", member.threads, " threads, ",
                                  member.gops, " GOP/s, round ", round);
      ClassDevice& device = devices_[key];
      if (std::ranges::find(device.networks, network) != device.networks.end()) continue;
      device.name = name;
      device.member = member;
      return device;
    }
  }

  Result<const FamilyWork*> network(const std::string& model, const std::string& shapes) {
    const std::string key = str(model, " ", shapes);
    if (const auto known = networks_.find(key); known != networks_.end()) return &known->second;
    const bool file = !model.starts_with("zoo:") && !fs::path(model).is_absolute();
    HONE_TRY(const FamilyWork work,
             work_of_network(file ? (folder_ / model).string() : model, shapes, runtime_));
    return &networks_.emplace(key, work).first->second;
  }

  fs::path folder_;
  Runtime runtime_;
  std::map<std::string, FamilyWork> networks_ = {};
  std::map<std::string, ClassDevice> devices_ = {};
};

Result<std::vector<ClassDevice>> read_table(std::string_view text, const fs::path& folder,
                                            Runtime runtime) {
  HONE_TRY(const std::vector<Row> rows, read_csv(text));
  if (rows.size() < 2) {
    return bad_input(
        "has no rows; expected the columns device,group,threads,gops,model,shapes,latency_ms");
  }
  TableReader reader(folder, runtime);
  HONE_RETURN_IF_ERROR(reader.read(rows));
  return std::move(reader).devices();
}

ClassEvidence evidence_of(const std::vector<ClassDevice>& devices) {
  std::set<std::string> names, networks;
  size_t rows = 0;
  for (const ClassDevice& device : devices) {
    names.insert(device.name);
    networks.insert(device.networks.begin(), device.networks.end());
    rows += device.points.size();
  }
  return {static_cast<int>(names.size()), static_cast<int>(networks.size()),
          static_cast<int>(rows)};
}

// Times that neither the class nor the device's other times explain.
std::vector<std::string> odd_rows_of(const DeviceClass& learned,
                                     const std::vector<ClassDevice>& devices) {
  constexpr size_t kMostTold = 20;
  std::vector<std::string> odd;
  for (const ClassDevice& device : devices) {
    std::vector<MeasuredWork> points = device.points;
    for (MeasuredWork& point : points) point.effect = effect_of(learned, point.work);
    const std::vector<LeftOutPoint> found = leave_out_points(learned, device.member, points);
    for (size_t p = 0; p < points.size(); ++p) {
      if (!found[p].is_odd) continue;
      odd.push_back(str(device.name, ", ", device.networks[p], ", ", points[p].ms,
                        " ms: ", odd_text(found[p])));
    }
  }
  if (odd.size() <= kMostTold) return odd;
  const size_t more = odd.size() - kMostTold;
  odd.resize(kMostTold);
  odd.push_back(str("and ", more, " more"));
  return odd;
}

}  // namespace

Result<std::vector<ClassDevice>> read_class_devices(const fs::path& table, Runtime runtime) {
  HONE_TRY(const std::string text, read_text(table));
  return read_table(text, table.parent_path(), runtime).in(table.string());
}

DeviceClass learn_devices(const std::vector<ClassDevice>& devices) {
  DeviceClass learned = learn_class(devices);
  learned.evidence = evidence_of(devices);
  learned.odd_rows = odd_rows_of(learned, devices);
  for (const HeldOut held_out : {HeldOut::Devices, HeldOut::DevicesAndNetworks}) {
    for (ClassAccuracy& accuracy : cross_validate(devices, kValidatedPoints, held_out)) {
      learned.accuracy.push_back(accuracy);
    }
  }
  return learned;
}

}  // namespace hone
