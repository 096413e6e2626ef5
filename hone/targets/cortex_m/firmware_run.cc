#include "hone/targets/cortex_m/firmware_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/base/file.h"
#include "hone/base/process.h"
#include "hone/base/temporary_folder.h"
#include "hone/base/text.h"
#include "hone/ops/node_cost.h"
#include "hone/targets/cortex_m/plugin_file.h"

namespace hone::cortex_m {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompiler = "arm-none-eabi-gcc";
constexpr std::string_view kDisassembler = "arm-none-eabi-objdump";
constexpr std::string_view kEmulator = "qemu-system-arm";
constexpr std::string_view kHostCompiler = "cc";
constexpr std::string_view kFolderName = "hone_firmware";
constexpr size_t kMostListing = size_t{64} << 20;
// Of QEMU's interface to plugins: 7.2 has the first, those of today begin with the second.
constexpr int kPluginVersions[] = {1, 2};
// As many wrong bytes are counted.
constexpr int kMostWrong = 100;

// As the Makefile of a project has them.
constexpr const char* kBuildFlags[] = {"-std=gnu11",       "-O3",
                                       "-mthumb",          "-ffunction-sections",
                                       "-fdata-sections",  "-fno-tree-loop-distribute-patterns",
                                       "-nostartfiles",    "--specs=nano.specs",
                                       "-Wl,--gc-sections"};

struct Tool {
  std::string_view name;
  std::string_view packages;
};
constexpr Tool kTools[] = {{kCompiler, "gcc-arm-none-eabi libnewlib-arm-none-eabi"},
                           {kDisassembler, "binutils-arm-none-eabi"},
                           {kEmulator, "qemu-system-arm"},
                           {kHostCompiler, "gcc"}};

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
// machine: what takes longer will not end.
double build_seconds(const c_code::Plan& plan) {
  return std::round(60 + 2 * static_cast<double>(plan.steps.size()) +
                    1e-4 * static_cast<double>(plan.constant_bytes));
}
double run_seconds(const c_code::Plan& plan) {
  double macs = 0;
  for (const c_code::Step& step : plan.steps) {
    macs += static_cast<double>(node_cost(*step.node).macs);
  }
  return std::round(60 + 2e-6 * macs);
}

Result<ProcessOutput> run_within(const std::vector<std::string>& arguments, double seconds) {
  Result<ProcessOutput> output = run_program(arguments, seconds, kMostListing);
  if (output.ok()) return output;
  return Error(output.error()).needs({HintKind::Estimate});
}

Result<std::string> output_of(const std::vector<std::string>& arguments, double seconds) {
  HONE_TRY(const ProcessOutput output, run_within(arguments, seconds));
  if (output.status != 0) return out_of_resource(arguments[0], ": ", failure_text(output));
  return output.text;
}

std::string_view text_of(const SharedBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()};
}

struct AddressRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};
// From the first of the sections to the end of the last.
AddressRange range_of(const Disassembly& program, std::initializer_list<std::string_view> names) {
  AddressRange range;
  for (const std::string_view name : names) {
    const auto found = program.sections.find(name);
    if (found == program.sections.end()) continue;
    const auto& [bytes, address] = found->second;
    if (range.end == 0) range.begin = address;
    range.end = std::max(range.end, address + static_cast<uint32_t>(bytes));
  }
  return range;
}

// "SETS:WAYS" of a cache of so many bytes; of none, the line that was read last.
std::string cache_text(const McuSpec& mcu, int64_t bytes) {
  const int64_t lines = std::max<int64_t>(1, bytes / mcu.line_bytes);
  const int64_t ways = std::min(lines, mcu.ways);
  return str(lines / ways, ":", ways);
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

// One project in one folder, from sources to counts.
class FirmwareBuild {
 public:
  FirmwareBuild(fs::path folder, const c_code::Plan& plan, const c_code::ProjectNames& names,
                const Core& core, const McuSpec& mcu)
      : folder_(std::move(folder)), plan_(plan), names_(names), core_(core), mcu_(mcu) {}

  Result<FlashBytes> link(const std::vector<c_code::TestVector>& tests) {
    HONE_RETURN_IF_ERROR(c_code::write_project(plan_, names_, tests, folder_));
    HONE_RETURN_IF_ERROR(build());
    HONE_TRY(const std::string listing, output_of(listing_arguments(), build_seconds(plan_)));
    program_ = parse_disassembly(listing);
    return FlashBytes{bytes_of_section(".text"), bytes_of_section(".rodata")};
  }

  Result<FirmwareRun> run(const std::vector<c_code::TestVector>& tests) {
    HONE_TRY(const FlashBytes flash, link(tests));
    HONE_RETURN_IF_ERROR(write_file(folder_ / "functions", functions_text()));
    HONE_RETURN_IF_ERROR(emulate());
    HONE_TRY(const SharedBytes counts, read_file(folder_ / "counts"));
    HONE_TRY(const Execution execution, parse_execution(text_of(counts), caller() + 2));
    return summary(execution, flash);
  }

 private:
  std::string elf() const { return file("firmware.elf"); }
  std::string file(std::string_view name) const { return (folder_ / name).string(); }
  // Functions are numbered as layers; then comes what calls them, and what calls that.
  size_t caller() const { return plan_.steps.size(); }

  Status build() const {
    std::vector<std::string> arguments = {std::string(kCompiler), str("-mcpu=", core_.built_as)};
    arguments.insert(arguments.end(), std::begin(kBuildFlags), std::end(kBuildFlags));
    arguments.insert(arguments.end(), core_.flags.begin(), core_.flags.end());
    for (const std::string& one :
         {str("-L", folder_.string()), str("-T", file(core_.script)), file(names_.prefix + ".c"),
          file("selftest.c"), file("startup.c"), std::string("-o"), elf()}) {
      arguments.push_back(one);
    }
    HONE_TRY(const std::string ignored, output_of(arguments, build_seconds(plan_)));
    return Done{};
  }

  std::vector<std::string> listing_arguments() const {
    std::vector<std::string> arguments = {std::string(kDisassembler), "-h", "-d"};
    arguments.insert(arguments.end(), core_.listing.begin(), core_.listing.end());
    arguments.push_back(elf());
    return arguments;
  }

  // Nothing for those that count for whoever calls them. Of a layer the compiler may have put parts
  // elsewhere: "layer_3.part.0".
  std::optional<size_t> number_of(std::string_view function) const {
    constexpr std::string_view kLayer = "layer_";
    if (function == names_.prefix + "_run") return caller();
    if (function == "main") return caller() + 1;
    if (!function.starts_with(kLayer)) return std::nullopt;
    size_t layer = 0;
    for (const char c : function.substr(kLayer.size())) {
      if (c < '0' || c > '9') break;
      layer = 10 * layer + static_cast<size_t>(c - '0');
    }
    return layer;
  }

  std::string functions_text() const {
    std::string text;
    for (const Function& function : program_.functions) {
      const auto number = number_of(function.name);
      if (number) text += fmt::format("{:x} {:x} {}\n", function.begin, function.end, *number);
    }
    return text;
  }

  Status build_plugin(int version) const {
    HONE_RETURN_IF_ERROR(write_file(folder_ / "plugin.c", plugin_files()[0].text));
    HONE_TRY(const std::string ignored, output_of({std::string(kHostCompiler), "-O2", "-fPIC",
                                                   "-shared", str("-DPLUGIN_VERSION=", version),
                                                   file("plugin.c"), "-o", file("plugin.so")},
                                                  build_seconds(plan_)));
    return Done{};
  }

  std::vector<std::string> emulator_arguments() const {
    const AddressRange flash = range_of(program_, {".text", ".rodata"});
    const AddressRange stack = range_of(program_, {".stack"});
    return {std::string(kEmulator),
            "-M",
            std::string(core_.machine),
            "-nographic",
            "-monitor",
            "none",
            "-serial",
            "none",
            "-semihosting",
            "-kernel",
            elf(),
            "-plugin",
            str(file("plugin.so"), ",functions=", file("functions"), ",out=", file("counts"),
                fmt::format(",flash={:x}:{:x}:{}", flash.begin, flash.end, mcu_.line_bytes),
                fmt::format(",stack={:x}:{:x}", stack.begin, stack.end),
                ",code=", cache_text(mcu_, mcu_.code_cache_bytes),
                ",data=", cache_text(mcu_, mcu_.data_cache_bytes))};
  }

  Status emulate() const {
    ProcessOutput output{};
    for (const int version : kPluginVersions) {
      HONE_RETURN_IF_ERROR(build_plugin(version));
      HONE_TRY(output, run_within(emulator_arguments(), run_seconds(plan_)));
      std::error_code ignored;
      if (fs::exists(folder_ / "counts", ignored)) return judge(output.status, core_.name);
    }
    return out_of_resource(kEmulator, ": ", failure_text(output));
  }

  FirmwareRun summary(const Execution& execution, const FlashBytes& flash) const {
    std::vector<FunctionCost> costs = costs_of(execution, program_, core_, mcu_.line_cycles);
    FirmwareRun run{.rest = costs[caller()],
                    .flash = flash,
                    .stack_bytes = execution.stack_bytes,
                    .emulator = str("QEMU ", core_.machine)};
    costs.resize(caller());
    run.layers = std::move(costs);
    return run;
  }

  size_t bytes_of_section(std::string_view name) const {
    const auto found = program_.sections.find(name);
    return found == program_.sections.end() ? 0 : found->second.bytes;
  }

  fs::path folder_;
  const c_code::Plan& plan_;
  const c_code::ProjectNames& names_;
  const Core& core_;
  const McuSpec& mcu_;
  Disassembly program_;
};

}  // namespace

std::string missing_tools() {
  std::vector<std::string> names, packages;
  for (const Tool& tool : kTools) {
    if (find_program(tool.name)) continue;
    names.emplace_back(tool.name);
    packages.emplace_back(tool.packages);
  }
  if (names.empty()) return "";
  return str(join(names, ", "), names.size() == 1 ? " is" : " are", " not here (apt-get install ",
             join(packages, " "), ")");
}

bool can_link() {
  return find_program(kCompiler) && find_program(kDisassembler);
}

Result<std::optional<FlashBytes>> linked_flash(const c_code::Plan& plan,
                                               const c_code::ProjectNames& names,
                                               const std::vector<c_code::TestVector>& tests,
                                               const Core& core, const McuSpec& mcu) {
  if (!can_link()) return {std::nullopt};
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(kFolderName));
  HONE_TRY(const FlashBytes flash,
           FirmwareBuild(folder.path(), plan, names, core, mcu).link(tests));
  return {flash};
}

Result<bool> test_on_host(const c_code::Plan& plan, const c_code::ProjectNames& names,
                          const std::vector<c_code::TestVector>& tests) {
  if (!find_program(kHostCompiler)) return false;
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(kFolderName));
  HONE_RETURN_IF_ERROR(c_code::write_project(plan, names, tests, folder.path()));
  const std::string program = (folder.path() / "selftest").string();
  HONE_TRY(const std::string ignored,
           output_of({std::string(kHostCompiler), "-std=gnu11", "-O1",
                      (folder.path() / (names.prefix + ".c")).string(),
                      (folder.path() / "selftest.c").string(), "-o", program},
                     build_seconds(plan)));
  HONE_TRY(const ProcessOutput output, run_within({program}, run_seconds(plan)));
  HONE_RETURN_IF_ERROR(judge(output.status, "this machine"));
  return true;
}

Result<FirmwareRun> run_firmware(const c_code::Plan& plan, const c_code::ProjectNames& names,
                                 const std::vector<c_code::TestVector>& tests, const Core& core,
                                 const McuSpec& mcu) {
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(kFolderName));
  return FirmwareBuild(folder.path(), plan, names, core, mcu).run(tests);
}

}  // namespace hone::cortex_m
