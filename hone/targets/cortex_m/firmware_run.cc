#include "hone/targets/cortex_m/firmware_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/base/process.h"
#include "hone/base/temporary_folder.h"

namespace hone::cortex_m {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompiler = "arm-none-eabi-gcc";
constexpr std::string_view kDisassembler = "arm-none-eabi-objdump";
constexpr std::string_view kEmulator = "qemu-system-arm";

// As the Makefile of a project has them.
constexpr const char* kBuildFlags[] = {"-std=gnu11",      "-O3",
                                       "-mthumb",         "-ffunction-sections",
                                       "-fdata-sections", "-fno-tree-loop-distribute-patterns",
                                       "-nostartfiles",   "-Wl,--gc-sections"};

constexpr emulation::Tool kTools[] = {{kCompiler, "gcc-arm-none-eabi libnewlib-arm-none-eabi"},
                                      {kDisassembler, "binutils-arm-none-eabi"},
                                      {kEmulator, "qemu-system-arm"},
                                      {emulation::kHostCompiler, "gcc"}};

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

// One project in one folder, from sources to counts.
class FirmwareBuild {
 public:
  FirmwareBuild(fs::path folder, const c_code::Plan& plan, const c_code::ProjectNames& names,
                const Core& core, const McuSpec& mcu)
      : folder_(std::move(folder)), plan_(plan), names_(names), core_(core), mcu_(mcu) {}

  Result<FlashBytes> link(const std::vector<c_code::TestVector>& tests) {
    HONE_RETURN_IF_ERROR(c_code::write_project(plan_, names_, tests, folder_));
    HONE_RETURN_IF_ERROR(
        build({"--specs=nano.specs", str("-L", folder_.string()), str("-T", file(core_.script)),
               file(names_.prefix + ".c"), file("selftest.c"), file("startup.c")}));
    HONE_RETURN_IF_ERROR(read_listing());
    return FlashBytes{bytes_of_section(".text"), bytes_of_section(".rodata")};
  }

  Result<FirmwareRun> run(const std::vector<c_code::TestVector>& tests) {
    HONE_TRY(const FlashBytes flash, link(tests));
    HONE_TRY(const auto execution, emulation::counted_run({.folder = folder_,
                                                           .plan = plan_,
                                                           .prefix = names_.prefix,
                                                           .functions = program_.functions,
                                                           .machine = core_.name,
                                                           .command = emulator(),
                                                           .program = {"-kernel", elf()},
                                                           .options = plugin_options()}));
    return summary(execution, flash);
  }

  // Of a program around the network, in whose folder this is.
  Result<emulation::PartedRun> run_parts(const emulation::PartedProgram& program) {
    std::vector<std::string> inputs = {"--specs=rdimon.specs", str("-L", file("network")),
                                       str("-T", file(str("network/", core_.script))),
                                       file(str("network/", names_.prefix, ".c")),
                                       file("network/startup.c")};
    for (const std::string& macro : program.macros) inputs.push_back("-D" + macro);
    for (const std::string& source : program.sources) inputs.push_back(file(source));
    HONE_RETURN_IF_ERROR(build(inputs));
    HONE_RETURN_IF_ERROR(read_listing());
    HONE_TRY(emulation::WatchedRun run, emulation::watched_run({.folder = folder_,
                                                                .functions = program_.functions,
                                                                .number_of = program.part_of,
                                                                .numbers = program.parts,
                                                                .command = emulator(),
                                                                .program = {"-kernel", elf()},
                                                                .options = plugin_options(),
                                                                .run_seconds = program.seconds}));
    emulation::PartedRun result{.status = run.output.status,
                                .text = std::move(run.output.text),
                                .unit = "instructions",
                                .clock_mhz = mcu_.clock_mhz,
                                .factor = core_.factor};
    for (const FunctionCost& cost : costs_of(run.execution, program_, core_, mcu_.line_cycles)) {
      result.parts.push_back({static_cast<double>(cost.instructions), cost.cycles()});
    }
    result.parts.resize(program.parts);
    return result;
  }

 private:
  std::string elf() const { return file("firmware.elf"); }
  std::string file(std::string_view name) const { return (folder_ / name).string(); }
  // Functions are numbered as layers; then comes what calls them, and what calls that.
  size_t caller() const { return plan_.steps.size(); }

  Status build(const std::vector<std::string>& inputs) const {
    std::vector<std::string> arguments = {std::string(kCompiler), str("-mcpu=", core_.built_as)};
    arguments.insert(arguments.end(), std::begin(kBuildFlags), std::end(kBuildFlags));
    arguments.insert(arguments.end(), core_.flags.begin(), core_.flags.end());
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    arguments.insert(arguments.end(), {"-o", elf()});
    HONE_TRY(const std::string ignored, emulation::output_of(arguments, plan_));
    return Done{};
  }

  Status read_listing() {
    HONE_TRY(const std::string listing, emulation::output_of(listing_arguments(), plan_));
    program_ = parse_disassembly(listing);
    return Done{};
  }

  std::vector<std::string> listing_arguments() const {
    std::vector<std::string> arguments = {std::string(kDisassembler), "-h", "-d"};
    arguments.insert(arguments.end(), core_.listing.begin(), core_.listing.end());
    arguments.push_back(elf());
    return arguments;
  }

  std::vector<std::string> emulator() const {
    return {std::string(kEmulator),
            "-M",
            std::string(core_.machine),
            "-nographic",
            "-monitor",
            "none",
            "-serial",
            "none",
            "-semihosting"};
  }

  std::string plugin_options() const {
    const AddressRange flash = range_of(program_, {".text", ".rodata"});
    const AddressRange stack = range_of(program_, {".stack"});
    return str(fmt::format("flash={:x}:{:x}:{}", flash.begin, flash.end, mcu_.line_bytes),
               fmt::format(",stack={:x}:{:x}", stack.begin, stack.end),
               ",code=", cache_text(mcu_, mcu_.code_cache_bytes),
               ",data=", cache_text(mcu_, mcu_.data_cache_bytes));
  }

  FirmwareRun summary(const emulation::Execution& execution, const FlashBytes& flash) const {
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
  return emulation::missing_of(kTools);
}

bool can_link() {
  return find_program(kCompiler) && find_program(kDisassembler);
}

Result<std::optional<FlashBytes>> linked_flash(const c_code::Plan& plan,
                                               const c_code::ProjectNames& names,
                                               const std::vector<c_code::TestVector>& tests,
                                               const Core& core, const McuSpec& mcu) {
  if (!can_link()) return {std::nullopt};
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(emulation::kFolderName));
  HONE_TRY(const FlashBytes flash,
           FirmwareBuild(folder.path(), plan, names, core, mcu).link(tests));
  return {flash};
}

Result<FirmwareRun> run_firmware(const c_code::Plan& plan, const c_code::ProjectNames& names,
                                 const std::vector<c_code::TestVector>& tests, const Core& core,
                                 const McuSpec& mcu) {
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(emulation::kFolderName));
  return FirmwareBuild(folder.path(), plan, names, core, mcu).run(tests);
}

Result<emulation::PartedRun> run_parts(const c_code::Plan& plan, const c_code::ProjectNames& names,
                                       const emulation::PartedProgram& program, const Core& core,
                                       const McuSpec& mcu) {
  return FirmwareBuild(program.folder, plan, names, core, mcu).run_parts(program);
}

}  // namespace hone::cortex_m
