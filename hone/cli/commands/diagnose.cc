#include "hone/analyze/diagnosis_json.h"
#include "hone/analyze/rule_def.h"
#include "hone/base/text.h"
#include "hone/cli/measure_options.h"
#include "hone/profile/profile_json.h"
#include "hone/report/findings_text.h"
#include "hone/workbench/diagnose_model.h"

namespace hone {
namespace {

struct Options {
  MeasureOptions measure;
  double least = 0.01;
  JsonOutput json;
};

std::string headline(const Profile& profile) {
  std::string text = str(profile.model, " on ", profile.target);
  const bool modelled = !profile.tracks.empty();
  if (profile.device != profile.target) text += str(", ", profile.device);
  if (!modelled) text += str(", ", profile.precision);
  text += str(": median ", fixed(median_ms(profile), 3), " ms, ");
  if (!modelled) text += str("n ", profile.samples_ms.size(), ", ");
  return str(text, mode_name(profile.mode), "\n\n");
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  HONE_TRY(const std::unique_ptr<Measurement> ready, prepare(options.measure));
  HONE_TRY(const Diagnosis diagnosis,
           diagnose_model(ready->model, ready->request, options.least).in(ready->model.name));
  if (options.json.wanted()) {
    Json results = {{"kind", "diagnosis"}};
    results["profile"] = profile_to_json(diagnosis.profile);
    results["findings"] = findings_to_json(diagnosis.findings);
    HONE_RETURN_IF_ERROR(options.json.write(context, &ready->model, options.measure.model.model,
                                            std::move(results)));
  }
  if (options.json.to_stdout()) return Exit::Pass;
  context.out << headline(diagnosis.profile)
              << findings_text(diagnosis.profile, diagnosis.findings);
  if (options.json.wanted()) context.out << "wrote " << options.json.path << "\n";
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  options->measure.declare(flags);
  flags.number("--least", options->least, "part of the run that a finding must gain to be shown")
      .range(0.0, 1.0);
  flags.action(
      "--rules",
      [&context] {
        Table table({"rule", "bound", "what it looks for"});
        for (const RuleDef* rule : all_rules()) {
          table.add({std::string(rule->id), std::string(name_of(rule->bound)),
                     std::string(rule->summary)});
        }
        context.out << table.to_string();
      },
      "list the rules and exit");
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_diagnose = {
    .name = "diagnose",
    .summary = "Measures a model and says why it is slow, what would fix it, and by how much.",
    .examples = {"hone diagnose zoo:mobilenet_v3_large --threads 1",
                 "hone diagnose model.tflite --json diagnosis.json", "hone diagnose --rules"},
    .declare = declare,
};

}  // namespace hone
