#include <algorithm>
#include <nlohmann/json.hpp>

#include "hone/audio/wav.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/stream/stream_text.h"
#include "hone/stream/write_stream.h"
#include "hone/targets/firmware_program.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct StreamArguments {
  ModelOptions model;
  TargetOptions target;
  std::string config;
  std::string output;
  std::string wav;
  JsonOutput json;
};

Result<std::vector<int16_t>> read_pcm(const std::string& path, const StreamRecipe& recipe) {
  HONE_TRY(const Sound sound, read_wav(path));
  const int rate = recipe.mfcc.options().rate;
  if (sound.rate != rate || sound.channels != 1) {
    return bad_input(path, ": has ", sound.rate, " samples a second in ",
                     sound.channels == 1 ? "one channel" : "two channels", ", expected ", rate,
                     " in one (sox IN.wav -r ", rate, " -c 1 -b 16 OUT.wav)");
  }
  return pcm_of(sound);
}

Result<const TargetDef*> find_firmware_target(const std::string& name) {
  HONE_TRY(const TargetDef* def, find_target(name));
  if (def->makes_firmware) return def;
  return bad_input("streams are firmware, which ", def->name,
                   " has none of; expected a microcontroller such as cortex-m7 (-d)");
}

std::string project_text(const StreamProject& project, const StreamNetwork& network) {
  return str(project.model, " listens on ", project.device, "\nRAM       ",
             human_bytes(project.ram_bytes), " (exact); ", human_bytes(project.work_bytes),
             " of it network and front end take turns in\nconstants ",
             human_bytes(network.constant_bytes() + project.table_bytes),
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
                     const Model& model, const StreamNetwork& network, const StreamRecipe& recipe,
                     const CompileOptions& compile) {
  HONE_TRY(const TargetDef* def, find_firmware_target(options.target.target));
  HONE_TRY(const auto program, def->open()->compile(std::move(*model.graph.clone()), compile));
  if (const auto* firmware = dynamic_cast<const FirmwareProgram*>(program.get())) {
    HONE_RETURN_IF_ERROR(firmware->check_writable().in(model.name));
  }
  const StreamProject project =
      stream_project(model.graph, std::string(def->name), recipe, network.arena_bytes());
  HONE_RETURN_IF_ERROR(check_stream_folder(context, options.output, project, *program));
  HONE_RETURN_IF_ERROR(write_stream(recipe, project, *program, options.output));
  if (options.json.to_stdout()) return Done{};
  context.out << project_text(project, network);
  std::vector<std::string> files = stream_files(project);
  files.push_back("network");
  std::ranges::sort(files);
  for (const std::string& file : files) {
    context.out << "wrote " << (fs::path(options.output) / file).string() << "\n";
  }
  return Done{};
}

Result<Exit> run_stream(const StreamArguments& options, const CommandContext& context) {
  if (options.output.empty() && options.wav.empty()) {
    return bad_input(
        "nothing to do: expected -o DIR to write the program, or --wav FILE to try it");
  }
  HONE_TRY(const StreamConfig config, read_stream_config(options.config));
  HONE_TRY(const TargetDef* def, find_firmware_target(options.target.target));
  HONE_TRY(Model model, options.model.open(options.target.target));
  name_by_file(model);
  HONE_TRY(const CompileOptions compile, options.target.resolve());
  HONE_TRY(const StreamNetwork network,
           StreamNetwork::make(model.graph, std::string(def->name), compile).in(model.name));
  HONE_TRY(const StreamRecipe recipe, make_recipe(config, network.interface()).in(options.config));
  if (!options.output.empty()) {
    HONE_RETURN_IF_ERROR(write_project(options, context, model, network, recipe, compile));
  }
  if (options.wav.empty()) return Exit::Pass;
  HONE_TRY(const std::vector<int16_t> samples, read_pcm(options.wav, recipe));
  const auto run = [&](std::span<const int8_t> input) { return network.run(input); };
  HONE_TRY(const Heard heard, listen(recipe, run, samples));
  if (!options.json.to_stdout()) context.out << heard_text(heard, recipe);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, heard_to_json(heard, recipe)));
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
  options->json.declare(flags);
  return [options, &context] { return run_stream(*options, context); };
}

}  // namespace

extern const CommandDef command_stream = {
    .name = "stream",
    .summary = "Makes an always-on keyword spotter in C of a network, and tries it on sound.",
    .examples = {"hone stream kws_int8.onnx --config stream.toml --wav sound.wav",
                 "hone stream kws_int8.onnx --config stream.toml -d cortex-m55 -o firmware"},
    .declare = declare_stream,
};

}  // namespace hone
