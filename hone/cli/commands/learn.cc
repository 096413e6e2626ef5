#include <algorithm>

#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/device/class_file.h"
#include "hone/device/device_folder.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/class_json.h"
#include "hone/workbench/learn_devices.h"

namespace hone {
namespace {

struct LearnArguments {
  std::string table;
  std::string name;
  std::string summary;
  std::string precision = "fp32";
  std::string peak;
  std::string runtime{name_of(Runtime::Compiled)};
  std::string source;
  std::string output;
  JsonOutput json;
};

// By default where device files find it by its name.
Result<std::filesystem::path> output_of(const LearnArguments& options) {
  if (!options.output.empty()) return std::filesystem::path(options.output);
  HONE_TRY(const std::filesystem::path folder, class_folder());
  return folder / str(options.name, ".toml");
}

Status check_name(const std::string& name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  if (plain && name[0] != '.') return Done{};
  return bad_input("--name ", name, ": expected small letters, digits, '-', '_' and '.'");
}

// Under the name of a class that comes with Hone devices of the catalog would be priced by this one.
Status check_place(const LearnArguments& options, const DeviceClass* built_in) {
  if (built_in == nullptr || built_in->precision == options.precision) return Done{};
  return bad_input("--name ", options.name, ": the built-in class of that name is of ",
                   built_in->precision, ", not of ", options.precision,
                   "; expected another name, or -o FILE.toml");
}

Result<Exit> run_learn(const LearnArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_name(options.name));
  const DeviceClass* built_in = options.output.empty() ? built_in_class(options.name) : nullptr;
  HONE_RETURN_IF_ERROR(check_place(options, built_in));
  const Runtime runtime = runtime_named(options.runtime);
  HONE_TRY(const std::vector<ClassDevice> devices, read_class_devices(options.table, runtime));
  DeviceClass learned = learn_devices(devices);
  learned.runtime = runtime;
  learned.name = options.name;
  learned.summary = options.summary.empty() ? options.name : options.summary;
  learned.precision = options.precision;
  learned.peak = options.peak.empty() ? options.precision : options.peak;
  learned.evidence.source = options.source.empty() ? options.table : options.source;
  HONE_TRY(const std::filesystem::path output, output_of(options));
  const std::string text = class_text(learned);
  // What could not be read again takes no file's place.
  HONE_RETURN_IF_ERROR(parse_class(text, output.string()).in("nothing to keep was learned"));
  HONE_RETURN_IF_ERROR(write_toml(output, text));
  if (!options.json.to_stdout()) {
    context.out << document_text(document_of(learned));
    context.notes() << "wrote " << output.string() << "\n";
    if (built_in != nullptr) {
      context.notes() << "note: it stands in front of the built-in class " << options.name
                      << ": devices of that class, those of the catalog too, are predicted by it "
                         "until the file is removed\n";
    }
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", class_to_json(learned)));
  }
  return Exit::Pass;
}

CommandDef::Action declare_learn(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<LearnArguments>();
  flags
      .text("TABLE.csv", options->table,
            "measured times, with the columns device,group,threads,gops,model,shapes,latency_ms: "
            "gops is the peak of the threads used, group names devices that are alike (may be "
            "empty), a model is zoo:NAME or a file beside the table, shapes may be empty; a column "
            "library keeps what several take on one device apart")
      .required();
  flags.text("--name NAME", options->name, "of the class: \"arm-cpu-fp32\"").required();
  flags.text("--summary TEXT", options->summary, "one line about it: devices, library");
  flags
      .text("--precision TYPE", options->precision,
            "of the measured runs: fp32, fp16 or int8; any: each row's gops is the peak of the "
            "precision "
            "that ran, and costs go by it")
      .one_of({"fp32", "fp16", "int8", std::string(kAnyPrecision)});
  flags
      .text("--peak TYPE", options->peak,
            "the precision whose peak gops is; by default that of the runs")
      .one_of({"fp32", "fp16", "int8", std::string(kAnyPrecision)});
  flags
      .text("--runtime KIND", options->runtime,
            "what ran the networks: compiled, with batch norms folded and activations fused, or "
            "eager, every operator by itself as in PyTorch")
      .one_of({"compiled", "eager"});
  flags.text("--source TEXT", options->source, "where the times are from, one sentence");
  flags.output("-o,--output FILE.toml", options->output,
               "the class to write; by default where device files find it by its name");
  options->json.declare(flags);
  return [options, &context] { return run_learn(*options, context); };
}

}  // namespace

extern const CommandDef command_learn = {
    .name = "learn",
    .summary =
        "Learns what families of kernels cost on a class of devices from times measured on "
        "several, and how far its predictions are off for devices and networks it has not "
        "seen.",
    .examples = {"hone learn phones.csv --name phone-cpu --precision fp16 -o phone-cpu.toml"},
    .declare = declare_learn,
};

}  // namespace hone
