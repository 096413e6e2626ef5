#include "hone/cli/options.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/machine_json.h"
#include "hone/targets/cpu/chosen_kernels.h"

namespace hone {
namespace {

// Where there is a driver: what the cuda target finds with it, or why it takes no GPU.
void ask_cuda_target(HostReport& report) {
  for (HostPart& part : report.parts) {
    if (part.name != kCudaDevice || !part.found) continue;
    const Result<std::string> found = (*find_target("cuda"))->probe();
    part.found = found.ok();
    part.detail = found.ok() ? *found : found.error().message;
  }
}

Result<Exit> run_doctor(const JsonOutput& json, const CommandContext& context) {
  HostReport report = inspect_host();
  report.kernels = cpu::chosen_kernels();
  ask_cuda_target(report);
  if (!json.to_stdout()) context.out << document_text(document_of(report));
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", host_to_json(report)));
  }
  return Exit::Pass;
}

CommandDef::Action declare_doctor(Flags& flags, CommandContext& context) {
  auto json = std::make_shared<JsonOutput>();
  json->declare(flags);
  return [json, &context] { return run_doctor(*json, context); };
}

}  // namespace

extern const CommandDef command_doctor = {
    .name = "doctor",
    .summary = "What this machine can do, what is missing, and the command that installs it.",
    .examples = {"hone doctor", "hone doctor --json machine.json"},
    .declare = declare_doctor,
};

}  // namespace hone
