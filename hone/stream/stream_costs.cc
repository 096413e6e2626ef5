#include "hone/stream/stream_costs.h"

#include <algorithm>

#include "hone/audio/wav.h"
#include "hone/base/file.h"
#include "hone/base/temporary_folder.h"
#include "hone/stream/stream_text.h"

namespace hone {
namespace {

enum Part : size_t { kGate, kFrontEnd, kNetwork, kDetection, kOutside, kParts };

// Functions of stream.c.in and listen.c.in by their parts.
struct NamedPart {
  std::string_view function;
  Part part;
};
constexpr NamedPart kNamedParts[] = {
    {"is_loud", kGate},        {"begin", kGate},       {"add_row", kFrontEnd},
    {"fill_input", kFrontEnd}, {"smooth", kDetection}, {"detect", kDetection},
    {"print", kOutside},       {"listen", kOutside},   {"main", kOutside}};

// Those of the C library and of the kernels count for whoever calls them. Compilers may have put parts of a function
// elsewhere: "add_row.part.0".
std::optional<size_t> part_of(std::string_view function, std::string_view prefix) {
  const std::string_view name = function.substr(0, function.find('.'));
  if (name == str(prefix, "_stream_push")) return kGate;
  if (name == str(prefix, "_stream_init")) return kOutside;
  if (name == str(prefix, "_run") || name.starts_with("layer_") || name.starts_with("rows_")) {
    return kNetwork;
  }
  if (name.starts_with("hone_mfcc_")) return kFrontEnd;
  const auto found = std::ranges::find(kNamedParts, name, &NamedPart::function);
  return found == std::end(kNamedParts) ? std::nullopt : std::optional<size_t>(found->part);
}

// Emulators take tens of seconds for a second of sound on a busy machine, where they take a tenth of one here.
double most_seconds(size_t pushes) {
  return 60 + 0.5 * static_cast<double>(pushes);
}

PartOfStream each(const emulation::PartCost& cost, uint64_t times) {
  const auto count = static_cast<double>(std::max<uint64_t>(times, 1));
  return {cost.counted / count, cost.cycles / count};
}

// A prediction by itself, which is what could help a profile, is none of a stream. What could help here is a core that the
// emulator knows.
Error without_estimate(Error error, const StreamProject& project) {
  if (error.hint.kind != HintKind::Estimate) return error;
  error.hint = {};
  if (error.message.find("unable to find CPU model") != std::string::npos) {
    error.message += str("; expected a core that it knows: core = \"v67\" in a copy of ",
                         project.device, "'s file, and the figures are of code for v67");
  }
  return error;
}

Status check_same(const emulation::PartedRun& run, const std::string& expected) {
  if (run.status == 0 && run.text == expected) return Done{};
  const std::string first = run.text.substr(0, run.text.find('\n'));
  return out_of_resource(
      "in the emulator the program hears something else than on the host (status ", run.status,
      ", '", first, "'): a fault of hone or of the compiler, not of the model");
}

}  // namespace

HopWork hop_work(const StreamRecipe& recipe) {
  const MfccOptions& options = recipe.mfcc.options();
  const double samples = static_cast<double>(recipe.hop) * options.step;
  return {.ms = 1000 * samples / options.rate,
          .pushes = samples / static_cast<double>(recipe.push),
          .frames = static_cast<double>(recipe.hop)};
}

Result<StreamCosts> emulate_stream(const StreamRecipe& recipe,
                                   const emulation::WritableCode& network,
                                   std::span<const int16_t> samples, const Heard& expected) {
  HONE_RETURN_IF_ERROR(network.check_writable());
  if (expected.work.runs == 0) {
    return bad_input(
        "the gate was open in ", expected.work.open_pushes, " of ", expected.work.pushes,
        " pushes and the network did not run: nothing tells what a hop takes, expected a "
        "sound in which it runs");
  }
  const StreamProject project = stream_project(recipe, network);
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::make("hone_stream"));
  HONE_RETURN_IF_ERROR(write_stream(recipe, project, network, folder.path()));
  const std::string sound = (folder.path() / "sound.wav").string();
  const auto rate = static_cast<uint32_t>(recipe.mfcc.options().rate);
  HONE_RETURN_IF_ERROR(write_file(sound, wav_text(samples, rate)));
  std::vector<std::string> sources = {"emulated.c", project.prefix + "_stream.c"};
  if (project.toolchain == c_code::Toolchain::Arm) sources.emplace_back("files.c");
  const auto part = [&](std::string_view name) { return part_of(name, project.prefix); };
  const Result<emulation::PartedRun> ran =
      network.run_parts({.folder = folder.path(),
                         .sources = std::move(sources),
                         .macros = {str("WAV=\"", sound, "\"")},
                         .part_of = part,
                         .parts = kParts,
                         .seconds = most_seconds(expected.work.pushes)});
  if (!ran.ok()) return without_estimate(ran.error(), project);
  const emulation::PartedRun& run = *ran;
  HONE_RETURN_IF_ERROR(check_same(run, heard_text(expected, recipe)));
  return StreamCosts{.device = project.device,
                     .unit = run.unit,
                     .clock_mhz = run.clock_mhz,
                     .factor = run.factor,
                     .gate = each(run.parts[kGate], expected.work.pushes),
                     .front_end = each(run.parts[kFrontEnd], expected.work.frames),
                     .network = each(run.parts[kNetwork], expected.work.runs),
                     .detection = each(run.parts[kDetection], expected.work.runs)};
}

}  // namespace hone
