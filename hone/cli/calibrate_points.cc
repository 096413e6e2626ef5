#include "hone/cli/calibrate_points.h"

#include <filesystem>

#include "hone/cli/output_paths.h"
#include "hone/device/device_folder.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/fit_json.h"
#include "hone/report/results/plan_json.h"
#include "hone/workbench/fit_device.h"
#include "hone/workbench/fit_points.h"
#include "hone/workbench/open_device.h"
#include "hone/workbench/plan_measurements.h"
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

Result<std::string> fit_output_of(const PointsOptions& options, const Device& device) {
  if (!options.output.empty()) return options.output;
  if (options.device.ends_with(".toml")) {
    return bad_input("-d ", options.device, " needs -o FILE: the device file to write");
  }
  HONE_TRY(const fs::path path, device_fit_path(device.name));
  return path.string();
}

// What could not be read again takes no file's place.
Status write_device(const Device& device, const fs::path& path) {
  const std::string text = device_text(device);
  HONE_RETURN_IF_ERROR(parse_device(text, path.string()).in("the points fit no such device"));
  return write_toml(path, text);
}

}  // namespace

Result<Exit> plan_points_of(const std::string& device, int count, const JsonOutput& json,
                            const CommandContext& context) {
  if (device.empty()) return bad_input("--plan ", count, " needs -d DEVICE: what to measure on");
  HONE_TRY(const std::optional<Device> opened, open_device(device));
  if (!opened) return bad_input(device, " is measured, not modelled: nothing is to be planned");
  HONE_TRY(const MeasurementPlan plan, plan_measurements(*opened, static_cast<size_t>(count)));
  if (!json.to_stdout()) context.out << document_text(document_of(plan));
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", plan_to_json(plan)));
  }
  return Exit::Pass;
}

Result<Exit> calibrate_points(const PointsOptions& options, const JsonOutput& json,
                              const CommandContext& context) {
  if (options.points.empty()) {
    return bad_input("-d ", options.device,
                     " needs --points FILE: what was measured on it, or --plan N");
  }
  if (options.device.empty()) {
    return bad_input("--points ", options.points, " needs -d DEVICE: what they were measured on");
  }
  HONE_TRY(const Device start, start_of(options.device));
  HONE_TRY(const std::string output, fit_output_of(options, start));
  HONE_TRY(FitPoints measured, read_fit_points(options.points));
  HONE_TRY(const std::vector<std::string> otherwise, measured_otherwise(measured.points, start));
  measured.notes.insert(measured.notes.end(), otherwise.begin(), otherwise.end());
  constexpr size_t kDateLength = std::string_view("2026-01-31").size();
  HONE_TRY(FittedDevice fit, fit_device(start, measured.points, utc_now().substr(0, kDateLength)));
  fit.notes.insert(fit.notes.begin(), measured.notes.begin(), measured.notes.end());
  HONE_RETURN_IF_ERROR(write_device(fit.device, output));
  if (!json.to_stdout()) {
    context.out << document_text(document_of(fit));
    context.notes() << "wrote " << output << "\n";
  }
  if (json.wanted()) {
    Json results = fit_to_json(fit);
    results["path"] = output;
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", std::move(results)));
  }
  return Exit::Pass;
}

}  // namespace hone
