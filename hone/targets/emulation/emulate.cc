#include "hone/targets/emulation/emulate.h"

#include <fmt/format.h>

#include <cmath>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/process.h"
#include "hone/base/temporary_folder.h"
#include "hone/base/text.h"
#include "hone/ops/node_cost.h"
#include "hone/targets/emulation/plugin_file.h"

namespace hone::emulation {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostListing = size_t{64} << 20;
// Of QEMU's interface to plugins: 7.2 has the first, those of today begin with the second.
constexpr int kPluginVersions[] = {1, 2};
// As many wrong bytes are counted.
constexpr int kMostWrong = 100;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}
// What is wrong, of a compiler's or a linker's text, without the folders it names.
std::string error_line(const std::string& text) {
  for (const std::string_view sign : {"section `", "region `", "error:", "cannot find"}) {
    const size_t at = text.find(sign);
    if (at != std::string::npos) return first_line(text.substr(at));
  }
  return first_line(text);
}

// How a program failed, which may have said nothing.
std::string failure_text(const ProcessOutput& output) {
  constexpr size_t kMost = 200;
  const std::string line = error_line(output.text).substr(0, kMost);
  return line.empty() ? str("ended with status ", output.status, " and said nothing") : line;
}

// Whole seconds that the programs for a network may take, each tens of times what one takes on an idle
// machine: what takes longer will not end. A compiler takes a second or two for a step.
double build_seconds(const c_code::Plan& plan) {
  return std::round(300 + 20 * static_cast<double>(plan.steps.size()) +
                    1e-4 * static_cast<double>(plan.constant_bytes));
}
double run_seconds(const c_code::Plan& plan) {
  double macs = 0;
  for (const c_code::Step& step : plan.steps) {
    macs += static_cast<double>(node_cost(*step.node).macs);
  }
  return std::round(300 + 2e-6 * macs);
}

Result<ProcessOutput> run_within(const std::vector<std::string>& arguments, double seconds) {
  Result<ProcessOutput> output = run_program(arguments, seconds, kMostListing);
  if (output.ok()) return output;
  return Error(output.error()).needs({HintKind::Estimate});
}

// The status of a self-test is how many bytes are wrong.
Status judge(int status, std::string_view machine) {
  if (status == 0) return Done{};
  if (status > kMostWrong) {
    return out_of_resource("firmware for ", machine, " ended with status ", status);
  }
  return out_of_resource("firmware for ", machine, " gives ",
                         status == kMostWrong ? "at least " : "", status,
                         status == 1 ? " byte that is" : " bytes that are",
                         " not the reference's: a fault of hone or of the compiler, not of the "
                         "model");
}

std::string functions_text(const WatchedProgram& program) {
  std::string text;
  for (const CodeRange& function : program.functions) {
    const auto number = program.number_of(function.name);
    if (!number) continue;
    const size_t turns = program.turns.empty() ? 1 : program.turns[*number];
    text += fmt::format("{:x} {:x} {} {}\n", function.begin, function.end, *number, turns);
  }
  return text;
}

Status build_plugin(const WatchedProgram& program, int version) {
  const std::string source = (program.folder / "plugin.c").string();
  HONE_RETURN_IF_ERROR(write_file(source, plugin_files()[0].text));
  HONE_TRY(const std::string ignored,
           output_of({std::string(kHostCompiler), "-O2", "-fPIC", "-shared",
                      str("-DPLUGIN_VERSION=", version), source, "-o",
                      (program.folder / "plugin.so").string()},
                     program.build_seconds));
  return Done{};
}

std::vector<std::string> emulator_arguments(const WatchedProgram& program) {
  std::vector<std::string> arguments = program.command;
  arguments.push_back("-plugin");
  arguments.push_back(str((program.folder / "plugin.so").string(),
                          ",functions=", (program.folder / "functions").string(),
                          ",out=", (program.folder / "counts").string(), ",", program.options));
  arguments.insert(arguments.end(), program.program.begin(), program.program.end());
  return arguments;
}

// What the emulator itself says where it did not come to run the program: "qemu-hexagon: unable to find ...".
std::string emulator_fault(const std::string& emulator, const ProcessOutput& output) {
  if (output.status == 0) return "";
  const std::string own = emulator + ": ";
  std::string_view text = output.text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(own)) return std::string(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return "";
}

}  // namespace

std::string missing_of(std::span<const Tool> tools) {
  std::vector<std::string> names, packages;
  for (const Tool& tool : tools) {
    if (find_program(tool.name)) continue;
    names.emplace_back(tool.name);
    packages.emplace_back(tool.packages);
  }
  if (names.empty()) return "";
  return str(join(names, ", "), names.size() == 1 ? " is" : " are", " not here (apt-get install ",
             join(packages, " "), ")");
}

Result<std::string> output_of(const std::vector<std::string>& arguments, double seconds) {
  HONE_TRY(const ProcessOutput output, run_within(arguments, seconds));
  if (output.status != 0) return out_of_resource(arguments[0], ": ", failure_text(output));
  return output.text;
}

Result<std::string> output_of(const std::vector<std::string>& arguments, const c_code::Plan& plan) {
  return output_of(arguments, build_seconds(plan));
}

std::optional<size_t> number_of(std::string_view function, std::string_view prefix, size_t layers) {
  constexpr std::string_view kLayer = "layer_";
  if (function == str(prefix, "_run") || function == "hone_run_parts") return layers;
  // Copies that stand for a DMA are no work of the core's.
  if (function == "main" || function.starts_with("hone_fetch_")) return layers + 1;
  if (!function.starts_with(kLayer)) return std::nullopt;
  size_t layer = 0;
  for (const char c : function.substr(kLayer.size())) {
    if (c < '0' || c > '9') break;
    layer = 10 * layer + static_cast<size_t>(c - '0');
  }
  return layer;
}

size_t first_part_number(const c_code::Plan& plan, size_t layer) {
  size_t number = plan.steps.size() + 2;
  for (size_t s = 0; s < layer; ++s) {
    if (plan.parts[s].cut()) number += plan.parts[s].count;
  }
  return number;
}

Result<WatchedRun> watched_run(const WatchedProgram& program) {
  HONE_RETURN_IF_ERROR(write_file(program.folder / "functions", functions_text(program)));
  ProcessOutput output{};
  for (const int version : kPluginVersions) {
    HONE_RETURN_IF_ERROR(build_plugin(program, version));
    HONE_TRY(output, run_within(emulator_arguments(program), program.run_seconds));
    std::error_code ignored;
    if (!fs::exists(program.folder / "counts", ignored)) continue;
    if (std::string fault = emulator_fault(program.command[0], output); !fault.empty()) {
      return out_of_resource(fault).needs({HintKind::Estimate});
    }
    HONE_TRY(const std::string counts, read_text(program.folder / "counts"));
    HONE_TRY(Execution execution, parse_execution(counts, program.numbers));
    return WatchedRun{std::move(output), std::move(execution)};
  }
  return out_of_resource(program.command[0], ": ", failure_text(output));
}

Result<Execution> counted_run(const EmulatedTest& test) {
  const size_t layers = test.plan.steps.size();
  std::vector<size_t> turns(first_part_number(test.plan, layers), 1);
  for (size_t s = 0; s < layers; ++s) {
    if (test.plan.parts[s].cut()) turns[first_part_number(test.plan, s)] = test.plan.parts[s].count;
  }
  const auto number = [&](std::string_view name) {
    const std::optional<size_t> found = number_of(name, test.prefix, layers);
    const bool cut = found && *found < layers && test.plan.parts[*found].cut();
    return cut ? first_part_number(test.plan, *found) : found;
  };
  HONE_TRY(WatchedRun run, watched_run({.folder = test.folder,
                                        .functions = test.functions,
                                        .number_of = number,
                                        .numbers = turns.size(),
                                        .command = test.command,
                                        .program = test.program,
                                        .options = test.options,
                                        .turns = turns,
                                        .build_seconds = build_seconds(test.plan),
                                        .run_seconds = run_seconds(test.plan)}));
  HONE_RETURN_IF_ERROR(judge(run.output.status, test.machine));
  return std::move(run.execution);
}

Result<bool> test_on_host(const c_code::Plan& plan, const c_code::ProjectNames& names,
                          const std::vector<c_code::TestVector>& tests) {
  if (!find_program(kHostCompiler)) return false;
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(kFolderName));
  HONE_RETURN_IF_ERROR(c_code::write_project(plan, names, tests, folder.path()));
  const std::string program = (folder.path() / "selftest").string();
  HONE_TRY(const std::string ignored,
           output_of({std::string(kHostCompiler), "-std=gnu11",
                      plan.options.core.hvx ? "-O0" : "-O1",  // Loops for vectors are many.
                      "-pthread", (folder.path() / (names.prefix + ".c")).string(),
                      (folder.path() / "selftest.c").string(), "-o", program},
                     plan));
  HONE_TRY(const ProcessOutput output, run_within({program}, run_seconds(plan)));
  HONE_RETURN_IF_ERROR(judge(output.status, "this machine"));
  return true;
}

}  // namespace hone::emulation
