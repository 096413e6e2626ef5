#include "hone/workbench/profile_model.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>

#include "hone/base/parallel.h"
#include "hone/base/seconds_since.h"
#include "hone/device/machine.h"
#include "hone/profile/energy.h"
#include "hone/profile/roofs.h"
#include "hone/workbench/run_energy.h"

namespace hone {
namespace {

Metric phase(std::string name, double seconds) {
  return {.name = std::move(name), .value = 1e3 * seconds, .unit = "ms"};
}

void add_roofs(const DeviceFile* roofs, Profile& profile) {
  if (roofs != nullptr) apply_roofs(*roofs, profile);
  if (!profile.energy.empty()) return;
  std::optional<Metric> energy;
  if (roofs != nullptr) energy = predicted_energy(*roofs, profile);
  profile.energy.push_back(
      energy ? *energy
             : unavailable("energy", "mJ", "no meter on this machine, and no device file"));
}

}  // namespace

std::string device_name(int threads) {
  return str(cpu_info().name, ", ", threads, threads == 1 ? " thread" : " threads");
}

std::string machine_name(const TargetDef& target, int threads) {
  return target.device != nullptr ? target.device() : device_name(threads);
}

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

Result<Compiled> compile_model(Model& model, const ProfileRequest& request) {
  Compiled compiled{.model = model.name};
  HONE_TRY(compiled.target, find_target(request.target));
  CompileOptions options = request.compile;
  options.named_precision = options.named_precision || model.keeps_types;
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(compiled.program, compiled.target->open()->compile(std::move(model.graph), options));
  compiled.seconds = seconds_since(begin);
  return compiled;
}

namespace {

// What is known whoever says how long it takes.
void describe(const Compiled& compiled, const ProfileRequest& request, Profile& profile) {
  profile.model = compiled.model;
  profile.target = request.target;
  profile.precision = precision_label(profile.steps, name_of(request.compile.precision));
  profile.seed = request.seed;
  profile.phases.insert(profile.phases.begin(),
                        {phase("read", request.read_seconds), phase("compile", compiled.seconds)});
}

void describe_machine(const TargetDef& target, const ProfileRequest& request, Profile& profile) {
  if (target.device != nullptr) {
    profile.device = machine_name(target, 0);
    profile.copies = "inputs and outputs are copied to and from the device inside a run";
    return;
  }
  profile.threads = request.compile.threads > 0 ? request.compile.threads : hardware_threads();
  profile.device = device_name(profile.threads);
  profile.copies =
      "inputs are read in place, outputs written in place into tensors that are kept between runs";
}

// Meters count everything that goes on: of runs one behind the other, so that it is theirs.
Status add_energy(const Compiled& compiled, const ProfileRequest& request, Profile& profile) {
  constexpr double kMeteredSeconds = 0.5;
  EnergyMeters meters;
  if (!meters.any()) return Done{};
  const double seconds = std::min(kMeteredSeconds, request.measure.stop.seconds);
  HONE_TRY(const Metric energy,
           measured_energy(meters, *compiled.program, request.inputs, seconds));
  profile.energy.push_back(energy);
  return Done{};
}

Result<Profile> measured_profile(const Compiled& compiled, const ProfileRequest& request) {
  HONE_TRY(Profile profile, profile_program(*compiled.program, request.inputs, request.measure));
  HONE_RETURN_IF_ERROR(add_energy(compiled, request, profile));
  profile.mode = compiled.target->mode;
  describe_machine(*compiled.target, request, profile);
  describe(compiled, request, profile);
  add_roofs(request.roofs, profile);
  return profile;
}

// A simulated run computes its results from the same commands; one that is predicted runs nothing.
// `model_seconds` is what it took to have `run`.
Result<Profile> modelled_profile(const Compiled& compiled, const ProfileRequest& request,
                                 const ModelledRun& run, double model_seconds) {
  Profile profile = profile_modelled(*compiled.program, run);
  profile.device = run.device;
  profile.threads = 0;
  describe(compiled, request, profile);
  // NPUs compute on integers; floats are their host's.
  if (compiled.target->mode == Mode::Simulated) profile.precision.clear();
  if (request.compile.estimate_only) profile.phases.push_back(phase("estimate", model_seconds));
  if (run.latency.mode == Mode::Predicted) return profile;
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(const std::vector<Item> outputs, compiled.program->run(request.inputs));
  profile.phases.push_back(phase("simulation", seconds_since(begin)));
  profile.copies = "inputs and outputs are moved from and to the device's memory inside a run";
  return profile;
}

}  // namespace

Profile emulated_profile(const Compiled& compiled, const ProfileRequest& request,
                         const Program& program, double seconds) {
  const ModelledRun run = *program.modelled();
  Profile profile = profile_modelled(program, run);
  profile.device = run.device;
  profile.threads = 0;
  describe(compiled, request, profile);
  profile.phases.push_back(phase("emulation", seconds));
  return profile;
}

Result<Profile> profile_compiled(const Compiled& compiled, const ProfileRequest& request) {
  const std::string started = utc_now();
  const auto begin = std::chrono::steady_clock::now();
  std::optional<ModelledRun> run = compiled.program->modelled();
  if (request.compile.estimate_only) {
    if (!run) {
      return bad_input("no estimate without a run: ", request.target, " is measured, not modelled");
    }
    run->latency.mode = Mode::Predicted;
  }
  const double model_seconds = compiled.seconds + seconds_since(begin);
  HONE_TRY(Profile profile, run ? modelled_profile(compiled, request, *run, model_seconds)
                                : measured_profile(compiled, request));
  profile.started = started;
  return profile;
}

Result<Profile> profile_model(Model& model, const ProfileRequest& request) {
  HONE_TRY(const Compiled compiled, compile_model(model, request));
  if (request.compile.estimate_only) return profile_compiled(compiled, request);
  const std::string started = utc_now();
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(const Emulation emulation, compiled.program->emulate(request.inputs));
  if (!emulation.program) {
    HONE_TRY(Profile profile, profile_compiled(compiled, request));
    if (!emulation.why_not.empty()) profile.notes.push_back(emulation.why_not);
    return profile;
  }
  Profile profile = emulated_profile(compiled, request, *emulation.program, seconds_since(begin));
  profile.started = started;
  return profile;
}

}  // namespace hone
