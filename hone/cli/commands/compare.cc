#include <algorithm>
#include <filesystem>
#include <set>

#include "hone/base/progress.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/options.h"
#include "hone/cli/pages.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/validate/validate.h"
#include "hone/workbench/compare_devices.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/operators.h"

namespace hone {
namespace {

struct CompareArguments {
  ModelOptions model;
  std::vector<std::string> devices;
  int threads = 0;
  int runs = 1000;
  CompareRequest request;
  bool no_roofs = false;
  std::string report;
  JsonOutput json;
};

// -d A,B and -d A B alike, each once.
std::vector<std::string> names_of(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (std::string_view rest : given) {
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(','), rest.size());
      const std::string name(rest.substr(0, end));
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return names;
}

// Asked for only where something is measured: they take seconds.
Result<std::optional<DeviceFile>> roofs_for(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    HONE_TRY(const AskedDevice asked, asked_device(name));
    HONE_TRY(const TargetDef* target, find_target(asked.name));
    if (target->mode != Mode::Measured) continue;
    HONE_TRY(DeviceFile roofs, host_roofs());
    return std::optional(std::move(roofs));
  }
  return std::optional<DeviceFile>();
}

// Where floats are computed in something else than was asked for.
void tell_compared_precisions(const CompareRequest& request) {
  std::set<std::string> reasons;
  for (const std::string& name : request.devices) {
    const Result<AskedDevice> asked = asked_device(name);
    if (!asked.ok()) continue;
    const std::string& own = asked->precision;
    reasons.insert(why_computed_otherwise(asked->name,
                                          precision_named(own.empty() ? request.precision : own)));
  }
  reasons.erase("");
  for (const std::string& why : reasons) say_on_stderr(why);
}

Status write_compare_results(const DeviceComparison& comparison, const Model& model,
                             const CompareArguments& options, const CommandContext& context) {
  if (!options.report.empty()) {
    HONE_RETURN_IF_ERROR(write_page(
        options.report, document_of(comparison, provenance_of(context, &model), {.page = true})));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, comparison_to_json(comparison)));
  }
  if (options.json.to_stdout()) return Done{};
  context.out << document_text(document_of(comparison, {}, {.words = hint_words}));
  for (const std::string& path : {options.report, options.json.path}) {
    if (!path.empty()) context.out << "wrote " << path << "\n";
  }
  return Done{};
}

Result<Exit> run_compare(const CompareArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_page(options.report));
  CompareRequest request = options.request;
  request.devices = names_of(options.devices);
  request.compile.threads = options.threads;
  request.terms.runs = options.runs;
  for (const std::string& name : request.devices) {
    HONE_TRY(const AskedDevice asked, asked_device(name));
    HONE_RETURN_IF_ERROR(find_target(asked.name));
  }
  HONE_TRY(Model model, options.model.open());
  for (const std::string& name : request.devices) {
    HONE_TRY(const AskedDevice asked, asked_device(name));
    HONE_TRY(const std::vector<OperatorEntry> operators, device_operators(asked.name));
    HONE_RETURN_IF_ERROR(bind_operators(model, operators));
  }
  std::optional<DeviceFile> roofs;
  if (!options.no_roofs) {
    HONE_TRY(roofs, roofs_for(request.devices));
  }
  request.roofs = roofs ? &*roofs : nullptr;
  tell_compared_precisions(request);
  HONE_TRY(const DeviceComparison comparison, compare_devices(model, request).in(model.name));
  HONE_RETURN_IF_ERROR(write_compare_results(comparison, model, options, context));
  return Exit::Pass;
}

CommandDef::Action declare_compare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<CompareArguments>();
  CompareRequest& request = options->request;
  options->model.declare(flags);
  flags
      .texts("-d,--device A,B,C", options->devices,
             "targets and devices of `hone targets`, and device files (.toml); NAME:int8, :fp16 or "
             ":fp32 for a precision of its own")
      .required();
  flags
      .text("--precision TYPE", request.precision,
            "int8, fp16 or fp32 on every device; left out, the model is taken as it is, and "
            "quantized for devices that compute on integers only")
      .one_of({std::begin(kComparePrecisions), std::end(kComparePrecisions)});
  flags.number("--runs", options->runs, "runs to measure, and that totals are for")
      .range(1, 100000000);
  flags.number("-t,--duration", request.seconds, "seconds to measure a device at most")
      .range(0.0, 86400.0);
  flags.text("--data DIR", request.data,
             "a folder with inputs.npy and labels.npy or targets.npy, or a .npy of samples: judges "
             "accuracy, and calibrates where the model is quantized");
  flags.text("--metric NAME", request.metric,
             str(join(metric_names()), "; chosen from the data when left out"));
  flags.number("--life-years", request.terms.life_years, "that a device's price is spread over")
      .range(0.01, 100.0);
  flags.number("--price-per-kwh", request.terms.price_per_kwh, "of energy, in USD")
      .range(0.0, 1000.0);
  flags
      .number("--threads", options->threads,
              "on measured targets; 0: as many as this process may use")
      .range(0, 1024);
  flags.number("--seed", request.seed, "for inputs");
  flags.toggle("--no-roofs", options->no_roofs,
               "without this machine's roofs, which its predicted energy needs");
  flags.output("--report FILE", options->report,
               "write a page with charts, .html, or the table, .md");
  options->json.declare(flags);
  return [options, &context] { return run_compare(*options, context); };
}

}  // namespace

extern const CommandDef command_compare = {
    .name = "compare",
    .summary =
        "The same model on several devices: latency, energy, memory, accuracy, price, and which "
        "devices no other one beats.",
    .examples =
        {"hone compare zoo:mobilenet_v2 -d ethos-u65-256,jetson-nano,raspberry-pi-5",
         "hone compare model.onnx -d cpu,npu,edge-tpu-usb --data eval --report page.html",
         "hone compare model.onnx -d ethos-u55-128,raspberry-pi-5 --precision int8",
         "hone compare zoo:resnet50 -d edge-tpu-usb,jetson-nano --runs 1000 --json out.json"},
    .declare = declare_compare,
};

}  // namespace hone
