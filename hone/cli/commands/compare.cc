#include <algorithm>
#include <filesystem>
#include <set>

#include "hone/base/progress.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/next_commands.h"
#include "hone/cli/options.h"
#include "hone/cli/pages.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/validate/limits.h"
#include "hone/validate/validate.h"
#include "hone/workbench/break_even.h"
#include "hone/workbench/compare_models.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/operators.h"

namespace hone {
namespace {

struct CompareArguments {
  ModelOptions reading;
  std::vector<std::string> models;
  std::vector<std::string> accuracies;
  std::string max_latency;
  std::vector<std::string> devices;
  int threads = 0;
  int runs = 1000;
  CompareRequest request;
  std::vector<std::string> rates;
  bool break_even = false;
  bool no_roofs = false;
  std::string report;
  JsonOutput json;
};

std::vector<std::string> each_once(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& name : given) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// -d A,B and -d A B alike, each once.
std::vector<std::string> compared_names_of(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (std::string_view rest : given) {
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(','), rest.size());
      if (end > 0) names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return each_once(names);
}

// Asked for only where something is measured: they take seconds.
Result<std::optional<DeviceFile>> roofs_for(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    HONE_TRY(const AskedDevice asked, asked_device(name));
    HONE_TRY(const TargetDef* target, find_target(asked.name));
    if (target->mode != Mode::Measured || !check_is_here(asked.name).ok()) continue;
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
    const Result<const TargetDef*> target = find_target(asked->name);
    if (target.ok() && (*target)->mode == Mode::Simulated)
      continue;  // It refuses, or its host has it.
    const std::string& own = asked->precision;
    reasons.insert(why_computed_otherwise(asked->name,
                                          precision_named(own.empty() ? request.precision : own)));
  }
  reasons.erase("");
  for (const std::string& why : reasons) say_on_stderr(why);
}

// A number alone is of milliseconds, as all that is shown.
Result<std::optional<double>> max_latency_ms(const std::string& text) {
  if (text.empty()) return std::optional<double>();
  const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
  HONE_TRY(const double seconds, parse_seconds(number ? text + "ms" : text).in("--max-latency"));
  return std::optional(1e3 * seconds);
}

// Of several models a name may be an input of some alone, but not of none.
Status check_shapes(const std::vector<std::string>& shapes,
                    const std::vector<ComparedModel>& models) {
  for (const std::string& text : shapes) {
    HONE_TRY(const auto binding, parse_shape_binding(text));
    const bool any = std::ranges::any_of(models, [&](const ComparedModel& compared) {
      const Value* value = compared.model.graph.find_value(binding.first);
      return value != nullptr && compared.model.graph.is_input(value);
    });
    if (!any) return bad_input("--shapes ", text, ": no model has an input '", binding.first, "'");
  }
  return Done{};
}

Result<std::vector<ComparedModel>> open_models(const CompareArguments& options,
                                               const std::vector<std::string>& devices) {
  std::vector<ComparedModel> models;
  const std::vector<std::string> specs = each_once(options.models);
  for (const std::string& spec : specs) {
    ModelOptions reading = options.reading.of(spec);
    reading.one_of_many = specs.size() > 1;
    HONE_TRY(Model model, reading.open());
    for (const std::string& name : devices) {
      HONE_TRY(const AskedDevice asked, asked_device(name));
      HONE_TRY(const std::vector<OperatorEntry> operators, device_operators(asked.name));
      HONE_RETURN_IF_ERROR(bind_operators(model, operators));
    }
    models.push_back({.spec = spec, .model = std::move(model)});
  }
  HONE_RETURN_IF_ERROR(check_shapes(options.reading.shapes, models));
  HONE_RETURN_IF_ERROR(give_accuracies(options.accuracies, models).in("--accuracy"));
  return models;
}

// "t4=0.5": what a device costs an hour.
Status give_rates(const CompareArguments& options, CompareRequest& request) {
  for (const std::string& text : options.rates) {
    const size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
    char* end = nullptr;
    const double usd = std::strtod(number.c_str(), &end);
    const bool positive = !number.empty() && *end == '\0' && usd > 0 && usd < 1e9;
    if (!positive || std::ranges::count(request.devices, name) == 0) {
      return bad_input("--usd-per-hour ", text, ": expected NAME=USD, a device of -d (",
                       join(request.devices), ") and a number above 0");
    }
    request.usd_per_hour[name] = usd;
  }
  return Done{};
}

struct CompareOutput {
  Document page;
  Document text;
  Json about = Json::object();  // The model, or the models.
  Json results;
};

Status write_compare_results(const CompareOutput& output, const CompareArguments& options,
                             const CommandContext& context) {
  if (!options.report.empty()) {
    Document page = output.page;
    add_next_commands(output.results, page);
    HONE_RETURN_IF_ERROR(write_page(options.report, page));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, output.about, output.results));
  }
  if (options.json.to_stdout()) return Done{};
  context.out << document_text(output.text);
  for (const std::string& path : {options.report, options.json.path}) {
    if (!path.empty()) context.notes() << "wrote " << path << "\n";
  }
  return Done{};
}

Result<Exit> compare_one(const ComparedModel& only, CompareRequest request,
                         const CompareArguments& options, const CommandContext& context) {
  const Model& model = only.model;
  request.accuracy = only.accuracy;
  HONE_TRY(DeviceComparison comparison, compare_devices(model, request).in(model.name));
  if (options.break_even || only.spec.starts_with(kOperatorModel)) {
    HONE_RETURN_IF_ERROR(add_break_even(batched_model(options.reading.of(only.spec), model.graph),
                                        request, comparison));
  }
  CompareOutput output{
      .page = document_of(comparison, provenance_of(context, &model), {.page = true}),
      .text = document_of(comparison, {}, {.words = hint_words}),
      .results = comparison_to_json(comparison)};
  if (options.json.wanted()) {
    HONE_TRY(output.about["model"], about_model(model, only.spec));
  }
  HONE_RETURN_IF_ERROR(write_compare_results(output, options, context));
  return Exit::Pass;
}

// The worst of the devices: on each one model should be within the limit.
Exit exit_of(const ModelComparison& comparison) {
  Exit exit = Exit::Pass;
  for (const ModelRanking& device : comparison.devices) {
    if (!device.choice || !device.choice->within.empty()) continue;
    if (device.choice->probably.empty()) return Exit::GateFailed;
    exit = Exit::Inconclusive;
  }
  return exit;
}

Result<Exit> compare_several(const std::vector<ComparedModel>& models,
                             const CompareRequest& request, std::optional<double> max_latency,
                             const CompareArguments& options, const CommandContext& context) {
  HONE_TRY(const ModelComparison comparison, compare_models(models, request, max_latency));
  CompareOutput output{
      .page = document_of(comparison, provenance_of(context, nullptr), {.page = true}),
      .text = document_of(comparison, {}, {.words = hint_words}),
      .results = models_to_json(comparison)};
  for (const ComparedModel& each : models) {
    if (!options.json.wanted()) break;
    HONE_TRY(Json about, about_model(each.model, each.spec));
    output.about["models"].push_back(std::move(about));
  }
  HONE_RETURN_IF_ERROR(write_compare_results(output, options, context));
  return exit_of(comparison);
}

Result<Exit> run_compare(const CompareArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_page(options.report));
  HONE_TRY(const std::optional<double> max_latency, max_latency_ms(options.max_latency));
  CompareRequest request = options.request;
  request.devices = compared_names_of(options.devices);
  request.compile.threads = options.threads;
  request.terms.runs = options.runs;
  for (const std::string& name : request.devices) {
    HONE_TRY(const AskedDevice asked, asked_device(name));
    HONE_RETURN_IF_ERROR(find_target(asked.name));
  }
  HONE_RETURN_IF_ERROR(give_rates(options, request));
  HONE_TRY(const std::vector<ComparedModel> models, open_models(options, request.devices));
  if (max_latency && models.size() == 1) {
    return bad_input("--max-latency chooses among several models; `hone validate MODEL -d DEVICE ",
                     "--max-latency ", options.max_latency, "` judges one");
  }
  if (options.break_even && models.size() > 1) {
    return bad_input("--break-even is of one model; here are ", models.size());
  }
  std::optional<DeviceFile> roofs;
  if (!options.no_roofs) {
    HONE_TRY(roofs, roofs_for(request.devices));
  }
  request.roofs = roofs ? &*roofs : nullptr;
  tell_compared_precisions(request);
  if (models.size() == 1) return compare_one(models[0], request, options, context);
  return compare_several(models, request, max_latency, options, context);
}

CommandDef::Action declare_compare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<CompareArguments>();
  CompareRequest& request = options->request;
  flags
      .texts(
          "models,-m,--model MODEL", options->models,
          "one or more: .onnx and .tflite files, zoo:NAME for built-in networks, and "
          "op:NAME:SHAPE for operators (`hone zoo` lists both); zoo:NAME:int8 has one quantized, "
          "with ranges of random inputs, and op:NAME:SHAPE:fp16 or :int8 in that type")
      .required();
  options->reading.declare_reading(flags);
  options->reading.declare_batch(flags);
  flags
      .texts("-d,--device A,B,C", options->devices,
             str("targets and devices of `hone targets`, and device files (.toml); NAME:int8 for a "
                 "precision of its own, one of ",
                 join(std::span(kComparePrecisions)), " (tf32 on cuda, bf16 on cpu and cuda)"))
      .required();
  flags
      .text("--precision TYPE", request.precision,
            str(join(std::span(kComparePrecisions)),
                " on every device; left out, the model is taken as it is, and quantized for "
                "devices that compute on integers only"))
      .one_of({std::begin(kComparePrecisions), std::end(kComparePrecisions)});
  flags.number("-n,--runs N", options->runs, "runs to measure, and that totals are for")
      .range(1, 100000000);
  flags
      .seconds("-t,--duration TIME", request.seconds,
               "to measure a device, in seconds or as 500ms; a first run, compiling and this "
               "machine's roofs are "
               "not counted, and what takes longer is run twice, and twice watched")
      .range(0.0, 86400.0);
  flags.text(
      "--data DIR", request.data,
      "a folder with inputs.npy and labels.npy or targets.npy, a .npy of samples, or a folder "
      "of .png and .jpg files by class: judges accuracy, and calibrates where the model is "
      "quantized");
  flags.text("--metric NAME", request.metric,
             str(join(metric_names()), "; chosen from the data when left out"));
  flags.texts(
      "--accuracy NAME=PERCENT", options->accuracies,
      "of a model, such as 77.1, where there is no data to judge it on: NAME is its file's, "
      "or a built-in network's without zoo:; shown as given");
  flags.text(
      "--max-latency TIME", options->max_latency,
      "such as 5ms: of several models names the most accurate within it on each device; exit "
      "code 1 where a device has none, 2 where it has one only probably");
  flags.number("--life-years", request.terms.life_years, "that a device's price is spread over")
      .range(0.01, 100.0);
  flags.number("--price-per-kwh", request.terms.price_per_kwh, "of energy, in USD")
      .range(0.0, 1000.0);
  flags.texts("--usd-per-hour NAME=USD", options->rates,
              "what it takes to rent a device of -d, in place of what its file says");
  flags.toggle("--break-even", options->break_even,
               "from which batch on cards, copies included, are faster and cheaper than the first "
               "CPU of -d; of operators (op:NAME:SHAPE) it is told without it");
  flags
      .number("--threads", options->threads,
              "on measured targets; 0: as many as this process may use")
      .range(0, 1024);
  request.compile.tune_seconds = 30;
  declare_tuning(flags, request.compile.tune_seconds);
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
        "Models on devices: latency, energy, memory, accuracy, price; which devices no other one "
        "beats for one model, and which of several models to take on each.",
    .examples =
        {"hone compare zoo:mobilenet_v2 -d ethos-u65-256,jetson-nano,raspberry-pi-5",
         "hone compare model.onnx -d cpu,npu,edge-tpu-usb --data eval --report page.html",
         "hone compare model.onnx -d ethos-u55-128,raspberry-pi-5 --precision int8",
         "hone compare zoo:resnet50 -d edge-tpu-usb,jetson-nano:fp16 --runs 1000 --json out.json",
         "hone compare op:matmul:4096x4096x4096 -d cpu,xeon-8280-class,t4,h200",
         "hone compare small.onnx large.onnx -d snapdragon-8-gen-2 --data eval --max-latency 5ms"},
    .declare = declare_compare,
};

}  // namespace hone
