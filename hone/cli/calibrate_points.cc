#include "hone/cli/calibrate_points.h"

#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/device/device_folder.h"
#include "hone/workbench/fit_device.h"
#include "hone/workbench/open_device.h"
#include "hone/workbench/profile_model.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// As it comes with Hone: an earlier fit does not count.
Result<Device> start_of(const std::string& name) {
  for (const Device& device : device_catalog()) {
    if (device.name == name) return device;
  }
  HONE_TRY(std::optional<Device> device, open_device(name));
  if (!device) {
    return bad_input(name, " is measured, not modelled: `hone calibrate` without --points");
  }
  return *std::move(device);
}

Result<std::string> output_of(const PointsOptions& options, const Device& device) {
  if (!options.output.empty()) return options.output;
  if (options.device.ends_with(".toml")) {
    return bad_input("-d ", options.device, " needs -o FILE: the device file to write");
  }
  HONE_TRY(const fs::path path, device_fit_path(device.name));
  return path.string();
}

Status write_device(const Device& device, const fs::path& path) {
  if (path.has_parent_path()) HONE_RETURN_IF_ERROR(make_folder(path.parent_path()));
  return write_file(path, device_text(device));
}

std::string percent(double part) {
  return str(part >= 0 ? "+" : "", fixed(100 * part, 1));
}

std::string parameter_table(const FittedDevice& fit) {
  if (fit.parameters.empty()) return "no parameter of this device moves these predictions\n";
  Table table({"fitted", "before", "after"});
  for (const FittedParameter& parameter : fit.parameters) {
    table.add({parameter.name, fixed(parameter.before, 3), fixed(parameter.after, 3)});
  }
  return table.to_string();
}

std::string point_table(const FittedDevice& fit) {
  Table table(
      {"model", "measured ms", "before ms", "error %", "after ms", "error %", "left out %"});
  for (const FittedPoint& point : fit.points) {
    const double ms = point.measured.latency_ms;
    table.add({point.measured.model, fixed(ms, 3), fixed(point.before_ms, 3),
               percent(point.before_ms / ms - 1), fixed(point.after_ms, 3),
               percent(point.after_ms / ms - 1), point.left_out ? percent(*point.left_out) : "-"});
  }
  return table.to_string();
}

std::string energy_table(const FittedDevice& fit) {
  Table table({"model", "measured mJ", "before mJ", "after mJ"});
  for (const FittedPoint& point : fit.points) {
    if (!point.measured.energy_mj) continue;
    table.add({point.measured.model, fixed(*point.measured.energy_mj, 4), fixed(point.before_mj, 4),
               fixed(point.after_mj, 4)});
  }
  return table.empty() ? "" : str("\n", table.to_string());
}

std::string text_of(const FittedDevice& fit) {
  const CalibrationFit& found = *fit.device.fit;
  const auto count = [](double x) { return human_count(static_cast<int64_t>(x)); };
  return str(fit.device.name, ", fitted to ", found.points,
             found.points == 1 ? " measured point\n\n" : " measured points\n\n",
             parameter_table(fit), "\n", point_table(fit), energy_table(fit),
             "\ninterval  a factor of ", fixed(1 + found.error, 3), " either way: ", fit.interval,
             "\ncovers    ", count(found.least_macs), " to ", count(found.most_macs), " MACs, ",
             count(found.least_bytes), " to ", count(found.most_bytes),
             " bytes moved; predictions outside of that say so\n");
}

Json json_of(const FittedDevice& fit) {
  Json parameters = Json::array(), points = Json::array();
  for (const FittedParameter& parameter : fit.parameters) {
    parameters.push_back(
        {{"name", parameter.name}, {"before", parameter.before}, {"after", parameter.after}});
  }
  for (const FittedPoint& point : fit.points) {
    const auto or_null = [](const std::optional<double>& value) {
      return value ? Json(*value) : Json();
    };
    points.push_back({{"model", point.measured.model},
                      {"measured_ms", point.measured.latency_ms},
                      {"before_ms", point.before_ms},
                      {"after_ms", point.after_ms},
                      {"left_out_error", or_null(point.left_out)},
                      {"measured_mj", or_null(point.measured.energy_mj)},
                      {"before_mj", point.before_mj},
                      {"after_mj", point.after_mj}});
  }
  const CalibrationFit& found = *fit.device.fit;
  return {{"device", fit.device.name},      {"parameters", std::move(parameters)},
          {"points", std::move(points)},    {"error", found.error},
          {"interval", fit.interval},       {"least_macs", found.least_macs},
          {"most_macs", found.most_macs},   {"least_bytes", found.least_bytes},
          {"most_bytes", found.most_bytes}, {"date", found.date}};
}

}  // namespace

Result<Exit> calibrate_points(const PointsOptions& options, const JsonOutput& json,
                              const CommandContext& context) {
  if (options.points.empty()) {
    return bad_input("-d ", options.device, " needs --points FILE.csv: what was measured on it");
  }
  if (options.device.empty()) {
    return bad_input("--points ", options.points, " needs -d DEVICE: what they were measured on");
  }
  HONE_TRY(const Device start, start_of(options.device));
  HONE_TRY(const std::string output, output_of(options, start));
  HONE_TRY(const std::vector<FitPoint> points, read_fit_points(options.points));
  constexpr size_t kDateLength = std::string_view("2026-01-31").size();
  HONE_TRY(const FittedDevice fit, fit_device(start, points, utc_now().substr(0, kDateLength)));
  HONE_RETURN_IF_ERROR(write_device(fit.device, output));
  if (!json.to_stdout()) context.out << text_of(fit) << "wrote " << output << "\n";
  if (json.wanted()) {
    Json results = json_of(fit);
    results["path"] = output;
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", std::move(results)));
  }
  return Exit::Pass;
}

}  // namespace hone
