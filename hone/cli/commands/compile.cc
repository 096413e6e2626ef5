#include <algorithm>
#include <chrono>
#include <filesystem>

#include "hone/base/text.h"
#include "hone/cli/firmware_options.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/report/catalogs.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/targets/firmware_program.h"
#include "hone/workbench/profile_model.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct CompileArguments {
  ModelOptions model;
  TargetOptions target;
  std::string output;
  FirmwareFlags firmware;
  bool rules = false;
  JsonOutput json;
};

std::string name_of(const Node& node) {
  return node.name.empty() ? node.outputs[0]->name : node.name;
}

void add_placement(const Placement& placement, PlacementResult& result) {
  auto found = std::ranges::find(result.operators, placement.node->op, &PlacedOperator::op);
  if (found == result.operators.end()) {
    found = result.operators.insert(found, {.op = placement.node->op});
  }
  ++(placement.on_target ? found->on_device : found->on_host);
  ++(placement.on_target ? result.nodes_on_device : result.nodes_on_host);
  if (placement.on_target) return;
  result.host.push_back({.node = name_of(*placement.node),
                         .op = placement.node->op,
                         .reason = placement.reason,
                         .change = placement.change,
                         .boundary_bytes = placement.boundary_bytes,
                         .boundary_us = placement.boundary_us,
                         .hint = placement.hint});
}

PlacementResult placement_of(const Compiled& compiled) {
  const Program& program = *compiled.program;
  PlacementResult result{.model = compiled.model,
                         .target = std::string(compiled.target->name),
                         .mode = compiled.target->mode,
                         .compile_seconds = compiled.seconds,
                         .steps = static_cast<int64_t>(program.steps().size())};
  for (const Placement& placement : program.placements()) add_placement(placement, result);
  if (const auto memory = program.memory()) {
    result.arena_bytes = memory->arena_bytes;
    result.weight_bytes = memory->weight_bytes;
  }
  if (std::optional<ModelledRun> run = program.modelled()) {
    result.latency = std::move(run->latency);
    result.latency->note += in_brackets(run->hint, hint_words);
    result.counters = std::move(run->counters);
    result.engines = std::move(run->engines);
    result.energy = std::move(run->energy);
    result.memory = std::move(run->memory);
    result.notes = std::move(run->notes);
  }
  return result;
}

// The folder may hold older files, of others; clocks of file systems step by some milliseconds.
Result<std::vector<std::string>> written(const Program& program, const std::string& folder) {
  const auto begin = fs::file_time_type::clock::now() - std::chrono::milliseconds(20);
  HONE_RETURN_IF_ERROR(program.write(folder));
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::file_time_type time = entry.last_write_time(error);
    if (!error && time >= begin) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

Result<Exit> list_placement_rules(const JsonOutput& json, const CommandContext& context) {
  if (!json.to_stdout()) context.out << document_text(placement_rules_document());
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", {{"rules", placement_rules_to_json()}}));
  }
  return Exit::Pass;
}

Result<Exit> run_compile(const CompileArguments& options, const CommandContext& context) {
  if (options.rules) return list_placement_rules(options.json, context);
  if (options.model.model.empty()) return bad_input("expected a MODEL to compile, or --rules");
  HONE_TRY(Model model, options.model.open(options.target.target));
  name_by_file(model);
  ProfileRequest request{.target = options.target.target};
  HONE_TRY(request.compile, options.target.resolve());
  HONE_TRY(request.compile.firmware, options.firmware.resolve(options.target.target));
  HONE_TRY(const Compiled compiled, compile_model(model, request).in(model.name));
  // Of firmware that cannot be written nothing is told, whether it is to be written or not.
  HONE_RETURN_IF_ERROR(check_firmware(*compiled.program).in(compiled.model));
  PlacementResult result = placement_of(compiled);
  if (!options.output.empty()) {
    HONE_RETURN_IF_ERROR(
        check_output_folder(context, options.output, compiled.program->files(), "program.json"));
    HONE_TRY(result.files, written(*compiled.program, options.output).in(compiled.target->name));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, placement_to_json(result)));
  }
  if (options.json.to_stdout()) return Exit::Pass;
  context.out << document_text(document_of(result, {}, {.words = hint_words}));
  for (const std::string& file : result.files) context.notes() << "wrote " << file << "\n";
  return Exit::Pass;
}

CommandDef::Action declare_compile(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<CompileArguments>();
  options->model.declare(flags);
  options->model.declare_batch(flags);
  flags.find("--model").required(false);  // --rules does without.
  options->target.target = "npu";
  options->target.declare(flags);
  flags.text("-o,--output DIR", options->output,
             "write the program there: of an NPU a listing of its commands, placement, memory, and "
             "what the device loads; of a microcontroller a project in C");
  options->firmware.declare(flags);
  flags.toggle("--rules", options->rules, "what decides whether a node can run on an NPU");
  options->json.declare(flags);
  return [options, &context] { return run_compile(*options, context); };
}

}  // namespace

extern const CommandDef command_compile = {
    .name = "compile",
    .summary = "Makes a program for a device: what runs where and why, memory, commands, time.",
    .examples = {"hone compile model_int8.onnx -d ethos-u55-128",
                 "hone compile zoo:mobilenet_v2:int8 -d npu -o program",
                 "hone compile kws_int8.tflite -d cortex-m7 -o firmware",
                 "hone compile vww_int8.tflite -d cortex-m7 -o firmware --max-ram 48KiB",
                 "hone compile --rules"},
    .declare = declare_compile,
};

}  // namespace hone
