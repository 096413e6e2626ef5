#include "hone/workbench/diagnose_model.h"

#include <algorithm>
#include <chrono>

#include "hone/analyze/rule_def.h"
#include "hone/base/check.h"
#include "hone/profile/import/lay_on_model.h"
#include "hone/profile/roofs.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

// Runs that are watched can take longer than the plain ones that the median is of, far longer on a
// busy machine. Their steps then count as parts of the median run.
Profile within_median_run(Profile profile) {
  constexpr double kTrifle = 1.02;
  double sum = 0;
  for (const StepProfile& step : profile.steps) sum += step.us;
  const double run = 1e3 * median_ms(profile);
  if (profile.mode != Mode::Measured || sum <= kTrifle * run) return profile;
  for (StepProfile& step : profile.steps) step.us *= run / sum;
  return profile;
}

bool is_dsp(const std::string& target) {
  const Result<Device> device = find_or_read_device(target);
  return device.ok() && device->analytic() != nullptr && device->analytic()->dsp.has_value();
}

}  // namespace

Result<Diagnosis> diagnose_model(Model& model, const ProfileRequest& request, double least_part) {
  HONE_TRY(const Compiled compiled, compile_model(model, request));
  // Rules price what they find by this CPU's roofs, by a device's model, or by what GPUs are like.
  const bool measured = compiled.target->mode == Mode::Measured && !compiled.program->accelerator();
  HONE_CHECK(request.roofs != nullptr || !measured, "diagnosing needs the machine's roofs");
  const DeviceFile none;
  Diagnosis diagnosis;
  Emulation emulation;
  const auto begin = std::chrono::steady_clock::now();
  if (request.emulate && is_dsp(request.target)) {
    HONE_TRY(emulation, compiled.program->emulate(request.inputs));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const Program& program = emulation.program ? *emulation.program : *compiled.program;
  if (emulation.program) {
    diagnosis.profile = emulated_profile(compiled, request, program, took.count());
  } else {
    HONE_TRY(diagnosis.profile, profile_compiled(compiled, request));
    diagnosis.not_emulated = emulation.why_not;
    if (!emulation.why_not.empty()) diagnosis.profile.notes.push_back(emulation.why_not);
  }
  if (const auto run = program.modelled(); run && !run->latency.value) {
    return unsupported("there is no time to explain: ", run->latency.note);
  }
  const Profile seen = within_median_run(diagnosis.profile);
  Evidence evidence{.profile = seen,
                    .device = measured ? *request.roofs : none,
                    .options = request.compile,
                    .graph = &program.graph()};
  for (const StepInfo& step : program.steps()) evidence.nodes.push_back(step.node);
  diagnosis.findings = diagnose(evidence, least_part);
  return diagnosis;
}

Result<Diagnosis> diagnose_imported(const Model& model, Profile profile, const DeviceFile* roofs,
                                    double least_part) {
  Diagnosis diagnosis{.profile = std::move(profile), .findings = {}};
  diagnosis.profile.model = model.name;
  HONE_TRY(std::vector<const Node*> nodes, lay_on_model(model.graph, diagnosis.profile));
  // Steps of the tool's own are of an operator that no rule knows.
  Graph others;
  const Node* other = others.add_node("custom", {}, {ValueType(DType::F32, {1})});
  std::ranges::replace(nodes, static_cast<const Node*>(nullptr), other);
  if (roofs != nullptr) apply_roofs(*roofs, diagnosis.profile);
  const DeviceFile none;
  const CompileOptions options;
  diagnosis.findings = diagnose({.profile = diagnosis.profile,
                                 .device = roofs != nullptr ? *roofs : none,
                                 .options = options,
                                 .graph = &model.graph,
                                 .nodes = std::move(nodes)},
                                least_part);
  return diagnosis;
}

Diagnosis diagnose_imported(Profile profile, double least_part) {
  Diagnosis diagnosis{.profile = std::move(profile), .findings = {}};
  const DeviceFile none;
  const CompileOptions options;
  diagnosis.findings =
      diagnose({.profile = diagnosis.profile, .device = none, .options = options}, least_part);
  return diagnosis;
}

}  // namespace hone
