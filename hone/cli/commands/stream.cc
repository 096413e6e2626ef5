#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "hone/base/printable.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/next_commands.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/pages.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/listening_json.h"
#include "hone/stream/stream_sound.h"
#include "hone/stream/stream_text.h"
#include "hone/stream/write_stream.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct StreamArguments {
  ModelOptions model;
  TargetOptions target;
  std::string config;
  std::string output;
  std::string wav;
  bool emulate = false;
  std::string day;
  std::string report;
  JsonOutput json;
};

// A device that C is written for.
Result<const TargetDef*> find_listener_target(const std::string& name) {
  HONE_TRY(const TargetDef* def, find_target(name));
  const Result<Device> device = find_or_read_device(name);
  if (device.ok() && (device->kind == "mcu" || device->kind == "dsp")) return def;
  return bad_input(
      "streams are programs of C, which ", def->name,
      " has none of; expected a microcontroller or a DSP such as cortex-m7, hexagon (-d)");
}

// The program of the network on the device, which can be written.
using ListenerProgram = std::unique_ptr<Program>;
const emulation::WritableCode& code_of(const ListenerProgram& program) {
  const auto* code = dynamic_cast<const emulation::WritableCode*>(program.get());
  HONE_CHECK(code != nullptr, "microcontrollers and DSPs have programs of C");
  return *code;
}
Result<ListenerProgram> compile_listener(const TargetDef& def, const Model& model,
                                         CompileOptions options) {
  options.firmware.vtcm = false;  // What listens all day does not keep it on,
  options.threads = 1;            // and wakes no others.
  HONE_TRY(ListenerProgram program, def.open()->compile(std::move(*model.graph.clone()), options));
  HONE_RETURN_IF_ERROR(code_of(program).check_writable().in(model.name));
  return program;
}

std::string project_text(const StreamProject& project) {
  return str(printable(project.model), " listens on ", project.device, "\nRAM       ",
             human_bytes(project.ram_bytes), " (exact); ", human_bytes(project.work_bytes),
             " of it network and front end take turns in\nconstants ",
             human_bytes(project.constant_bytes + project.table_bytes),
             " (exact); weights and tables, without code\n");
}

// The files of the network are in a folder of their own.
Status check_stream_folder(const CommandContext& context, const std::string& folder,
                           const StreamProject& project, const Program& network) {
  std::vector<std::string> files = stream_files(project);
  for (const std::string& file : network.files()) files.push_back("network/" + file);
  return check_output_folder(context, folder, files, "stream.json");
}

Status write_project(const StreamArguments& options, const CommandContext& context,
                     const ListenerProgram& program, const StreamRecipe& recipe) {
  const StreamProject project = stream_project(recipe, code_of(program));
  HONE_RETURN_IF_ERROR(check_stream_folder(context, options.output, project, *program));
  HONE_RETURN_IF_ERROR(write_stream(recipe, project, code_of(program), options.output));
  if (options.json.to_stdout()) return Done{};
  context.out << project_text(project);
  std::vector<std::string> files = stream_files(project);
  files.push_back("network");
  std::ranges::sort(files);
  for (const std::string& file : files) {
    context.notes() << "wrote " << (fs::path(options.output) / file).string() << "\n";
  }
  return Done{};
}

// Which takes seconds.
Result<StreamCosts> emulate(const ListenerProgram& program, const StreamRecipe& recipe,
                            std::span<const int16_t> samples, const Heard& heard,
                            const std::string& model) {
  Progress work("stream");
  work.begin("building it, and emulating");
  return emulate_stream(recipe, code_of(program), samples, heard).in(model);
}

// What was heard of a file and, where that is asked for, what it takes on the device.
Status try_sound(const StreamArguments& options, const CommandContext& context, const Model& model,
                 const StreamNetwork& network, const ListenerProgram& program,
                 const StreamRecipe& recipe) {
  HONE_TRY(const std::vector<int16_t> samples, read_sound(options.wav, recipe));
  const auto run = [&](std::span<const int8_t> input) { return network.run(input); };
  HONE_TRY(const Heard heard, listen(recipe, run, samples));
  Json results = heard_to_json(heard, recipe);
  if (!options.json.to_stdout()) {
    context.out << heard_text(heard, recipe) << near_miss_text(heard, recipe);
  }
  if (options.emulate) {
    HONE_TRY(const StreamCosts costs, emulate(program, recipe, samples, heard, model.name));
    results["emulation"] = costs_to_json(costs, recipe);
    if (!options.json.to_stdout()) context.out << costs_text(costs, recipe);
  }
  if (!options.json.wanted()) return Done{};
  return options.json.write(context, &model, options.model.model, std::move(results));
}

// White noise, which keeps the gate open: what its parts take does not depend on what it is.
std::vector<int16_t> some_noise(const StreamRecipe& recipe) {
  constexpr double kSeconds = 2;
  std::mt19937 random(1);
  std::vector<int16_t> samples(static_cast<size_t>(kSeconds * recipe.mfcc.options().rate));
  for (int16_t& sample : samples) sample = static_cast<int16_t>(random() % 16384) - 8192;
  return samples;
}

Result<CpuTimes> measured_here(const StreamRecipe& recipe, const ByteNetwork& network) {
  Progress work("stream");
  work.begin("measuring it on this CPU");
  return measure_cpu_times(recipe, network);
}

Result<ListeningPower> predict_power(const StreamArguments& options, const Model& model,
                                     const StreamNetwork& network, const ListenerProgram& program,
                                     const StreamRecipe& recipe) {
  HONE_TRY(const Device device, find_or_read_device(options.target.target));
  if (!device.system) {
    return bad_input(device.name,
                     ": its file does not tell what the machine around it draws, expected [system] "
                     "as hexagon has it (-d hexagon)");
  }
  HONE_TRY(const Day day, read_day(options.day));
  const auto run = [&](std::span<const int8_t> input) { return network.run(input); };
  const std::vector<int16_t> noise = some_noise(recipe);
  HONE_TRY(const Heard heard, listen(recipe, run, noise));
  HONE_TRY(const StreamCosts costs, emulate(program, recipe, noise, heard, model.name));
  HONE_TRY(const CpuTimes times, measured_here(recipe, run));
  HONE_TRY(ListeningPower power, listening_power(*device.system, day, costs, times, recipe));
  power.model = model.graph.name;
  return power;
}

Status tell_power(const StreamArguments& options, const CommandContext& context, const Model& model,
                  const ListeningPower& power) {
  if (!options.json.to_stdout()) {
    context.out << document_text(document_of(power, provenance_of(context, &model)));
  }
  if (!options.report.empty()) {
    Document page = document_of(power, provenance_of(context, &model), {.page = true});
    add_next_commands(listening_to_json(power), page);
    HONE_RETURN_IF_ERROR(write_page(options.report, page));
  }
  if (!options.json.wanted()) return Done{};
  return options.json.write(context, &model, options.model.model, listening_to_json(power));
}

Status check_arguments(const StreamArguments& options) {
  if (options.emulate && options.wav.empty()) {
    return bad_input("--emulate runs the program on a sound, expected --wav FILE beside it");
  }
  if (!options.report.empty() && options.day.empty()) {
    return bad_input("--report is a page of --power, expected that beside it");
  }
  if (options.output.empty() && options.wav.empty() && options.day.empty()) {
    return bad_input(
        "nothing to do: expected -o DIR to write the program, --wav FILE to try it, or --power "
        "DAY.toml to tell what it draws");
  }
  if (!options.wav.empty() && !options.day.empty()) {
    return bad_input("--wav and --power are two questions, expected one of them");
  }
  HONE_RETURN_IF_ERROR(check_page(options.report));
  return Done{};
}

Result<Exit> run_stream(const StreamArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_arguments(options));
  HONE_TRY(const StreamConfig config, read_stream_config(options.config));
  HONE_TRY(const TargetDef* def, find_listener_target(options.target.target));
  HONE_TRY(Model model, options.model.open(options.target.target));
  name_by_file(model);
  HONE_TRY(const CompileOptions compile, options.target.resolve());
  HONE_TRY(const StreamNetwork network,
           StreamNetwork::make(model.graph, std::string(def->name), compile).in(model.name));
  HONE_TRY(const StreamRecipe recipe, make_recipe(config, network.interface()).in(options.config));
  HONE_TRY(const ListenerProgram program, compile_listener(*def, model, compile));
  if (!options.output.empty()) {
    HONE_RETURN_IF_ERROR(write_project(options, context, program, recipe));
  }
  if (!options.wav.empty()) {
    HONE_RETURN_IF_ERROR(try_sound(options, context, model, network, program, recipe));
  }
  if (!options.day.empty()) {
    HONE_TRY(const ListeningPower power, predict_power(options, model, network, program, recipe));
    HONE_RETURN_IF_ERROR(tell_power(options, context, model, power));
  }
  return Exit::Pass;
}

CommandDef::Action declare_stream(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<StreamArguments>();
  options->model.declare(flags);
  flags
      .text("-c,--config FILE.toml", options->config,
            "classes, keywords with thresholds, hop, smoothing, gate: see docs/howto/stream.md")
      .required();
  options->target.target = "cortex-m7";
  declare_target(flags, options->target.target);
  flags.text("-o,--output DIR", options->output,
             "write the program in C there: network, front end in integers, ring buffer, gate, "
             "detection");
  flags.text("--wav FILE.wav", options->wav,
             "listen to it here, bit for bit as the program does: 16-bit, 16 kHz, one channel");
  flags.toggle("--emulate", options->emulate,
               "with --wav: run it in the device's emulator, too, hold what it hears against this "
               "machine's, and count what a hop takes");
  flags.text("--power DAY.toml", options->day,
             "what a machine draws that listens so all day, on its CPU and on the device: see "
             "examples/kws/day.toml");
  flags.output("--report FILE", options->report,
               "with --power: write a page with charts, .html, or tables, .md");
  options->json.declare(flags);
  return [options, &context] { return run_stream(*options, context); };
}

}  // namespace

extern const CommandDef command_stream = {
    .name = "stream",
    .summary =
        "Makes an always-on keyword spotter in C of a network, tries it on sound, and tells "
        "what it draws all day.",
    .examples =
        {"hone stream kws_int8.onnx --config stream.toml --wav sound.wav",
         "hone stream kws_int8.onnx --config stream.toml -d cortex-m55 -o firmware",
         "hone stream kws_int8.onnx --config stream.toml -d hexagon --wav sound.wav --emulate",
         "hone stream kws_int8.onnx --config stream.toml -d hexagon --power day.toml "
         "--report power.html"},
    .declare = declare_stream,
};

}  // namespace hone
