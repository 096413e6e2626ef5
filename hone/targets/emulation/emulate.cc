#include "hone/targets/emulation/emulate.h"

#include "hone/base/file.h"
#include "hone/base/process.h"
#include "hone/base/text.h"
#include "hone/targets/cortex_m/plugin_file.h"

namespace hone::emulation {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 600;
constexpr size_t kMostListing = size_t{64} << 20;
// Of QEMU's interface to plugins: 7.2 has the first, those of today begin with the second.
constexpr int kPluginVersions[] = {1, 2};
constexpr int kMostWrong = 100;  // As many wrong bytes are counted.

std::string first_line_of(const std::string& text) {
  return text.substr(0, text.find('\n'));
}
// What is wrong, of a compiler's or a linker's text, without the folders it names.
std::string error_line_of(const std::string& text) {
  for (const std::string_view sign : {"section `", "region `", "error:", "cannot find"}) {
    const size_t at = text.find(sign);
    if (at != std::string::npos) return first_line_of(text.substr(at));
  }
  return first_line_of(text);
}

// How a program failed, which may have said nothing.
std::string failure_of(const ProcessOutput& output) {
  constexpr size_t kMost = 200;
  const std::string line = error_line_of(output.text).substr(0, kMost);
  return line.empty() ? str("ended with status ", output.status, " and said nothing") : line;
}

// The status of a self-test is how many bytes are wrong.
Status judge_test(int status, std::string_view machine) {
  if (status == 0) return Done{};
  if (status > kMostWrong) {
    return out_of_resource("code for ", machine, " ended with status ", status);
  }
  return out_of_resource("code for ", machine, " gives ", status == kMostWrong ? "at least " : "",
                         status, status == 1 ? " byte that is" : " bytes that are",
                         " not the reference's: a fault of hone or of the compiler, not of the "
                         "model");
}

Status build_plugin(const fs::path& folder, int version) {
  const std::string source = (folder / "plugin.c").string();
  HONE_RETURN_IF_ERROR(write_file(source, cortex_m::plugin_files()[0].text));
  HONE_TRY(const std::string ignored, output_of({std::string(kHostCompiler), "-O2", "-fPIC",
                                                 "-shared", str("-DPLUGIN_VERSION=", version),
                                                 source, "-o", (folder / "plugin.so").string()}));
  return Done{};
}

std::vector<std::string> arguments_of(const CountedRun& run) {
  std::vector<std::string> arguments = run.command;
  arguments.push_back("-plugin");
  arguments.push_back(str((run.folder / "plugin.so").string(),
                          ",functions=", (run.folder / "functions").string(),
                          ",out=", (run.folder / "counts").string(), ",", run.options));
  arguments.insert(arguments.end(), run.program.begin(), run.program.end());
  return arguments;
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

Result<std::string> output_of(const std::vector<std::string>& arguments) {
  HONE_TRY(const ProcessOutput output, run_program(arguments, kMostSeconds, kMostListing));
  if (output.status != 0) return out_of_resource(arguments[0], ": ", failure_of(output));
  return output.text;
}

std::optional<size_t> layer_number(std::string_view function, std::string_view prefix,
                                   size_t layers) {
  constexpr std::string_view kLayer = "layer_";
  if (function == str(prefix, "_run")) return layers;
  if (function == "main") return layers + 1;
  if (!function.starts_with(kLayer)) return std::nullopt;
  size_t layer = 0;
  for (const char c : function.substr(kLayer.size())) {
    if (c < '0' || c > '9') break;
    layer = 10 * layer + static_cast<size_t>(c - '0');
  }
  return layer;
}

Result<std::string> counted_run(const CountedRun& run) {
  ProcessOutput output{};
  for (const int version : kPluginVersions) {
    HONE_RETURN_IF_ERROR(build_plugin(run.folder, version));
    HONE_TRY(output, run_program(arguments_of(run), kMostSeconds));
    std::error_code ignored;
    if (!fs::exists(run.folder / "counts", ignored)) continue;
    HONE_RETURN_IF_ERROR(judge_test(output.status, run.machine));
    HONE_TRY(const SharedBytes counts, read_file(run.folder / "counts"));
    return std::string(reinterpret_cast<const char*>(counts.bytes.data()), counts.bytes.size());
  }
  return out_of_resource(run.command[0], ": ", failure_of(output));
}

}  // namespace hone::emulation
