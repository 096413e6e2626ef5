#include "hone/workbench/diagnose_model.h"

#include "hone/analyze/rule_def.h"
#include "hone/base/check.h"

namespace hone {

Result<Diagnosis> diagnose_model(Model& model, const ProfileRequest& request, double least_part) {
  HONE_TRY(const Compiled compiled, compile_model(model, request));
  const bool measured = compiled.target->mode == Mode::Measured;
  HONE_CHECK(request.roofs != nullptr || !measured, "diagnosing needs the machine's roofs");
  const DeviceFile none;
  Diagnosis diagnosis;
  HONE_TRY(diagnosis.profile, profile_compiled(compiled, request));
  if (const auto run = compiled.program->modelled(); run && !run->latency.value) {
    return unsupported("there is no time to explain: ", run->latency.note);
  }
  Evidence evidence{.profile = diagnosis.profile,
                    .device = measured ? *request.roofs : none,
                    .options = request.compile,
                    .graph = &compiled.program->graph()};
  for (const StepInfo& step : compiled.program->steps()) evidence.nodes.push_back(step.node);
  diagnosis.findings = diagnose(evidence, least_part);
  return diagnosis;
}

}  // namespace hone
