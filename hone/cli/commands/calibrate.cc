#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/cli/calibrate_points.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/pages.h"
#include "hone/profile/host_device.h"
#include "hone/profile/target_device.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/machine_json.h"
#include "hone/workbench/host_roofs.h"

namespace hone {
namespace {

struct CalibrateArguments {
  int threads = 0;
  std::string output;
  std::string report;
  std::string device;
  std::string points;
  int plan = 0;
  JsonOutput json;
};

// What others find without being told must be of the whole machine.
Result<std::string> output_of(const CalibrateArguments& options) {
  if (!options.output.empty()) return options.output;
  if (options.threads != 0 && options.threads != hardware_threads()) {
    return bad_input("--threads ", options.threads,
                     " needs -o FILE: the cached roofs are those of all ", hardware_threads(),
                     " threads");
  }
  HONE_TRY(const std::filesystem::path path, host_device_path());
  return path.string();
}

// Its target where the device is measured and not modelled; otherwise null.
Result<const TargetDef*> measured_target(const CalibrateArguments& options) {
  if (options.device.empty() || !options.points.empty() || options.plan > 0) {
    return static_cast<const TargetDef*>(nullptr);
  }
  HONE_TRY(const TargetDef* target, find_target(options.device));
  return target->measure_roofs == nullptr ? nullptr : target;
}

Document page_of_roofs(const DeviceFile& device, const CommandContext& context) {
  Document page = document_of(device);
  page.from = provenance_of(context, nullptr);
  page.next = {{"See a network below these roofs:", "hone diagnose zoo:mobilenet_v2"}};
  return page;
}

Result<Exit> write_roofs(const DeviceFile& device, const std::string& output,
                         const CalibrateArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(write_toml(output, device_file_text(device)));
  if (!options.json.to_stdout()) {
    context.out << document_text(document_of(device));
    context.notes() << "\nwrote " << output << "\n";
  }
  if (!options.report.empty()) {
    HONE_RETURN_IF_ERROR(write_page(options.report, page_of_roofs(device, context)));
    if (!options.json.to_stdout()) context.notes() << "wrote " << options.report << "\n";
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(
        context, nullptr, "", {{"path", output}, {"device", machine_to_json(device)}}));
  }
  return Exit::Pass;
}

Result<Exit> calibrate_accelerator(const TargetDef& target, const CalibrateArguments& options,
                                   const CalibrationProgress& progress,
                                   const CommandContext& context) {
  HONE_TRY(const std::filesystem::path kept, target_device_path(target));
  if (options.threads != 0) return bad_input("--threads is for the roofs of this machine's CPU");
  HONE_TRY(const DeviceFile device, calibrate_target(target, progress));
  return write_roofs(device, options.output.empty() ? kept.string() : options.output, options,
                     context);
}

Result<Exit> run_calibrate(const CalibrateArguments& options, const CommandContext& context) {
  std::optional<Progress> bar;
  const auto progress = [&](size_t done, size_t total) {
    if (!bar) bar.emplace("calibrate", total);
    if (done > 0) bar->step();
    if (done == total) bar.reset();
  };
  HONE_RETURN_IF_ERROR(check_page(options.report));
  if (!options.report.empty() && (!options.points.empty() || options.plan > 0)) {
    return bad_input("--report is a page of roofs, expected neither --points nor --plan with it");
  }
  HONE_TRY(const TargetDef* target, measured_target(options));
  if (target != nullptr) return calibrate_accelerator(*target, options, progress, context);
  if (!options.device.empty() || !options.points.empty() || options.plan > 0) {
    if (options.threads != 0) return bad_input("--threads is for the roofs of this machine");
    if (options.plan > 0 && !options.points.empty()) {
      return bad_input("--plan says what to measure, --points what was: expected one of them");
    }
    if (options.plan > 0) {
      if (!options.output.empty()) return bad_input("--plan writes no device file: no -o");
      return plan_points_of(options.device, options.plan, options.json, context);
    }
    return calibrate_points({options.device, options.points, options.output}, options.json,
                            context);
  }
  HONE_TRY(const std::string output, output_of(options));
  HONE_TRY(const DeviceFile device, calibrate_machine(options.threads, progress));
  return write_roofs(device, output, options, context);
}

CommandDef::Action declare_calibrate(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<CalibrateArguments>();
  flags
      .number("--threads", options->threads,
              "threads for the figures of all threads; 0: as many as this process may use")
      .range(0, 1024);
  flags.output("-o,--output FILE", options->output,
               "the device file to write, TOML; by default where other commands look for it");
  flags.text("-d,--device DEVICE", options->device,
             "cuda: measure the roofs of the GPU; a device that is not here: fit its model to "
             "--points");
  flags.text(
      "--points FILE", options->points,
      "what was measured on it: CSV with the columns "
      "model,latency_ms[,energy_mj][,precision][,batch], where a model is zoo:NAME or a file "
      "beside the CSV file and a latency that of one run of the whole batch; or what "
      "benchmark_model (TensorFlow Lite), trtexec, benchmark_app (OpenVINO) or benchncnn "
      "printed");
  flags
      .number("--plan", options->plan,
              "names this many networks whose times on the device would tell most about its "
              "others; for devices that belong to a class")
      .range(0, 1000);
  flags.output("--report FILE", options->report,
               "write a page of the roofs, .html, or tables, .md");
  options->json.declare(flags);
  return [options, &context] { return run_calibrate(*options, context); };
}

}  // namespace

extern const CommandDef command_calibrate = {
    .name = "calibrate",
    .summary =
        "Measures the roofs of this machine (arithmetic, memory, threads) and what Hone's kernels "
        "reach of them; 3 to 8 seconds. With -d cuda, those of the GPU. With "
        "--points, fits the model of another device to what was measured on it; --plan says what "
        "to measure.",
    .examples = {"hone calibrate", "hone calibrate -o board.toml --json board.json",
                 "hone calibrate -d cuda", "hone calibrate -d ethos-u55-128 --points board.csv",
                 "hone calibrate -d raspberry-pi-4 --plan 3"},
    .declare = declare_calibrate,
};

}  // namespace hone
