#include "hone/targets/hexagon/dsp_run.h"

#include <algorithm>

#include "hone/base/temporary_folder.h"
#include "hone/targets/emulation/emulate.h"
#include "hone/targets/hexagon/packet.h"

namespace hone::hexagon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompiler = "clang-19";
constexpr std::string_view kLinker = "ld.lld-19";
constexpr std::string_view kDisassembler = "llvm-objdump-19";
constexpr std::string_view kEmulator = "qemu-hexagon";

constexpr emulation::Tool kTools[] = {{kCompiler, "clang-19"},
                                      {kLinker, "lld-19"},
                                      {kDisassembler, "llvm-19"},
                                      {kEmulator, "qemu-user"},
                                      {emulation::kHostCompiler, "gcc"}};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// One project in one folder, from sources to counts.
class DspBuild {
 public:
  DspBuild(fs::path folder, const c_code::Plan& plan, const c_code::ProjectNames& names,
           const DspSpec& dsp)
      : folder_(std::move(folder)), plan_(plan), names_(names), dsp_(dsp) {}

  Result<DspRun> run(const std::vector<c_code::TestVector>& tests) {
    HONE_RETURN_IF_ERROR(c_code::write_project(plan_, names_, tests, folder_));
    HONE_RETURN_IF_ERROR(build({names_.prefix, "selftest", "runtime"}));
    HONE_RETURN_IF_ERROR(read_listing());
    HONE_TRY(const std::string headers, emulation::output_of(header_arguments(), plan_));
    HONE_TRY(const auto execution, emulation::counted_run({.folder = folder_,
                                                           .plan = plan_,
                                                           .prefix = names_.prefix,
                                                           .functions = program_.functions,
                                                           .machine = "a Hexagon DSP",
                                                           .command = emulator(),
                                                           .program = {elf()},
                                                           .options = "flash=0:0:128"}));
    return summary(execution, parse_listing(headers).sections);
  }

  // Of a program around the network, in whose folder this is.
  Result<emulation::PartedRun> run_parts(const emulation::PartedProgram& program) {
    std::vector<std::string> sources = {"network/" + names_.prefix, "network/runtime"};
    for (const std::string& source : program.sources) {
      sources.push_back(fs::path(source).replace_extension().string());
    }
    HONE_RETURN_IF_ERROR(build(sources, program.macros));
    HONE_RETURN_IF_ERROR(read_listing());
    HONE_TRY(emulation::WatchedRun run, emulation::watched_run({.folder = folder_,
                                                                .functions = program_.functions,
                                                                .number_of = program.part_of,
                                                                .numbers = program.parts,
                                                                .command = emulator(),
                                                                .program = {elf()},
                                                                .options = "flash=0:0:128",
                                                                .run_seconds = program.seconds}));
    emulation::PartedRun result{.status = run.output.status,
                                .text = std::move(run.output.text),
                                .unit = "packets",
                                .clock_mhz = dsp_.clock_mhz,
                                .factor = kCyclesFactor};
    for (const PacketCost& cost : costs_of(run.execution, program.parts)) {
      result.parts.push_back({static_cast<double>(cost.packets), cost.cycles()});
    }
    return result;
  }

 private:
  std::string elf() const { return file("dsp.elf"); }
  std::string file(std::string_view name) const { return (folder_ / name).string(); }
  // Functions are numbered as layers; then comes what calls them, and what calls that.
  size_t caller() const { return plan_.steps.size(); }

  Status compile(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {std::string(kCompiler), "--target=hexagon-unknown-linux-musl"});
    HONE_TRY(const std::string ignored, emulation::output_of(arguments, plan_));
    return Done{};
  }

  std::vector<std::string> emulator() const { return {std::string(kEmulator), "-cpu", dsp_.core}; }

  Status read_listing() {
    HONE_TRY(const std::string listing, emulation::output_of(listing_arguments(), plan_));
    program_ = parse_listing(listing);
    return Done{};
  }

  // Objects lie in the folder, too: of several sources at a time compilers would keep them elsewhere.
  Status build(const std::vector<std::string>& sources,
               const std::vector<std::string>& macros = {}) const {
    std::vector<std::string> link = {"-nostdlib", "-static", "-fuse-ld=lld", "-o", elf()};
    for (const std::string& name : sources) {
      std::vector<std::string> one = {
          "-std=gnu11", "-O2", "-ffreestanding", "-c", "-o", file(name + ".o"), file(name + ".c")};
      for (std::string& flag : words_of(core_flags(dsp_))) one.push_back(std::move(flag));
      for (const std::string& macro : macros) one.push_back("-D" + macro);
      HONE_RETURN_IF_ERROR(compile(std::move(one)));
      link.push_back(file(name + ".o"));
    }
    return compile(std::move(link));
  }

  std::vector<std::string> listing_arguments() const {
    return {std::string(kDisassembler),
            "-h",
            "-d",
            "--no-show-raw-insn",
            str("--mcpu=hexagon", dsp_.core),
            str("--mattr=+hvx", dsp_.core, ",+hvx-length128b"),
            elf()};
  }

  // Of the network alone: the self-test and its vectors are no part of a product.
  std::vector<std::string> header_arguments() const {
    return {std::string(kDisassembler), "-h", file(names_.prefix + ".o")};
  }

  // Of a block that was entered so often behind another.
  void add(const emulation::Edge& edge, PacketCost& cost) const {
    const auto block = program_.between(edge.to, edge.to_end);
    const auto before = program_.between(edge.from, edge.from_end);
    const Packet* last = before.empty() ? nullptr : &before.back();
    for (const Packet& packet : block) {
      cost.packets += edge.count;
      cost.vectors += edge.count * packet.vectors;
      cost.multiplies += edge.count * packet.multiplies;
      cost.unaligned += edge.count * packet.unaligned;
      if (last != nullptr && stall_behind(*last, packet) > 0) cost.stalls += edge.count;
      last = &packet;
    }
  }

  std::vector<PacketCost> costs_of(const emulation::Execution& execution, size_t numbers) const {
    std::vector<PacketCost> costs(numbers);
    for (const emulation::Edge& edge : execution.edges) {
      if (edge.function >= 0) add(edge, costs[static_cast<size_t>(edge.function)]);
    }
    return costs;
  }

  DspRun summary(const emulation::Execution& execution, const SectionBytes& network) const {
    const std::vector<PacketCost> costs =
        costs_of(execution, emulation::first_part_number(plan_, caller()));
    DspRun run{.rest = costs[caller()],
               .code_bytes = bytes_in_sections(network, ".text"),
               .constant_bytes = bytes_in_sections(network, ".rodata")};
    for (size_t s = 0; s < caller(); ++s) {
      run.parts.push_back(parts_in(costs, s));
      PacketCost layer = costs[s];
      for (const PacketCost& part : run.parts.back()) layer.add(part);
      run.layers.push_back(layer);
    }
    return run;
  }

  std::vector<PacketCost> parts_in(const std::vector<PacketCost>& costs, size_t s) const {
    if (!plan_.parts[s].cut()) return {};
    const auto first = costs.begin() + std::ptrdiff_t(emulation::first_part_number(plan_, s));
    return {first, first + std::ptrdiff_t(plan_.parts[s].count)};
  }

  // Of all whose names begin so.
  static size_t bytes_in_sections(const SectionBytes& sections, std::string_view name) {
    size_t bytes = 0;
    for (const auto& [section, size] : sections) bytes += section.starts_with(name) ? size : 0;
    return bytes;
  }

  fs::path folder_;
  const c_code::Plan& plan_;
  const c_code::ProjectNames& names_;
  const DspSpec& dsp_;
  Listing program_;
};

}  // namespace

void PacketCost::add(const PacketCost& other) {
  packets += other.packets;
  vectors += other.vectors;
  multiplies += other.multiplies;
  unaligned += other.unaligned;
  stalls += other.stalls;
}

std::string missing_tools() {
  return emulation::missing_of(kTools);
}

std::string core_flags(const DspSpec& dsp) {
  return dsp.hvx ? str("-m", dsp.core, " -mhvx=", dsp.core, " -mhvx-length=128b")
                 : str("-m", dsp.core);
}

Result<DspRun> run_on_dsp(const c_code::Plan& plan, const c_code::ProjectNames& names,
                          const std::vector<c_code::TestVector>& tests, const DspSpec& dsp) {
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make(emulation::kFolderName));
  return DspBuild(folder.path(), plan, names, dsp).run(tests);
}

Result<emulation::PartedRun> run_parts_on_dsp(const c_code::Plan& plan,
                                              const c_code::ProjectNames& names,
                                              const emulation::PartedProgram& program,
                                              const DspSpec& dsp) {
  return DspBuild(program.folder, plan, names, dsp).run_parts(program);
}

}  // namespace hone::hexagon
