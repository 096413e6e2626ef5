#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/import_options.h"
#include "hone/report/catalogs.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/run_json.h"
#include "hone/workbench/try_findings.h"

namespace hone {
namespace {

struct DiagnoseArguments {
  MeasureOptions measure;
  double least = 0.01;
  uint64_t tries = 4;
  bool rules = false;
  ImportSource import;
  JsonOutput json;
};

ReportRun report_of(const Diagnosis& diagnosis, const DiagnoseArguments& options) {
  ReportRun run{.profile = diagnosis.profile,
                .diagnosed = true,
                .findings = report_findings(diagnosis.findings, hint_words),
                .refuted = report_findings(diagnosis.refuted, hint_words)};
  // What ran elsewhere cannot be tried here.
  if (!options.import.given()) run.tries = ReportTries{diagnosis.tried, options.tries};
  return run;
}

Status write_diagnose_results(const Diagnosis& diagnosis, const Model* model,
                              const DiagnoseArguments& options, const CommandContext& context) {
  const ReportRun run = report_of(diagnosis, options);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, model, options.measure.model.model, diagnosis_to_json(run)));
  }
  if (options.json.to_stdout()) return Done{};
  context.out << document_text(findings_document(run));
  if (!diagnosis.not_emulated.empty()) context.out << "note: " << diagnosis.not_emulated << "\n";
  if (options.json.wanted()) context.notes() << "wrote " << options.json.path << "\n";
  return Done{};
}

Status diagnose_here(const DiagnoseArguments& options, const CommandContext& context) {
  HONE_TRY(const std::unique_ptr<Measurement> ready, prepare(options.measure));
  Progress work("diagnose");
  work.begin(str("measuring ", ready->model.name, " on ", ready->request.target));
  const std::unique_ptr<Graph> graph = ready->model.graph.clone();
  ready->request.emulate = true;
  HONE_TRY(Diagnosis diagnosis,
           diagnose_model(ready->model, ready->request, options.least).in(ready->model.name));
  const TryOptions tries{.most = options.tries,
                         .precisions = options.tries > 0,
                         .least_part = options.least,
                         .batched = batched_model(options.measure.model, *graph)};
  HONE_RETURN_IF_ERROR(try_findings(*graph, ready->request, tries, diagnosis,
                                    [&](const std::string& what) { work.begin(what); }));
  return write_diagnose_results(diagnosis, &ready->model, options, context);
}

Status diagnose_import(const DiagnoseArguments& options, const CommandContext& context) {
  HONE_TRY(Profile profile, options.import.read());
  if (options.measure.model.model.empty()) {
    return write_diagnose_results(diagnose_imported(std::move(profile), options.least), nullptr,
                                  options, context);
  }
  HONE_TRY(const Model model, options.measure.model.open());
  profile.threads = options.measure.target.threads;
  HONE_TRY(const auto roofs, options.import.roofs(profile.threads));
  HONE_TRY(const Diagnosis diagnosis,
           diagnose_imported(model, std::move(profile), roofs ? &*roofs : nullptr, options.least)
               .in(options.import.file));
  return write_diagnose_results(diagnosis, &model, options, context);
}

Result<Exit> list_finding_rules(const JsonOutput& json, const CommandContext& context) {
  if (!json.to_stdout()) context.out << document_text(finding_rules_document());
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", {{"rules", finding_rules_to_json()}}));
  }
  return Exit::Pass;
}

Result<Exit> run_diagnose(const DiagnoseArguments& options, const CommandContext& context) {
  if (options.rules) return list_finding_rules(options.json, context);
  if (options.measure.model.model.empty() && !options.import.given()) {
    return bad_input("expected a MODEL to diagnose, --import FILE, or --rules");
  }
  HONE_RETURN_IF_ERROR(options.import.given() ? diagnose_import(options, context)
                                              : diagnose_here(options, context));
  return Exit::Pass;
}

CommandDef::Action declare_diagnose(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<DiagnoseArguments>();
  options->measure.declare(flags);
  options->import.declare(flags);
  flags
      .part("--least PART", options->least,
            "of the run that a finding must gain to be shown, such as 1% or 0.01")
      .range(0.0, 1.0);
  flags
      .number(
          "--try", options->tries,
          "findings to try before they are ranked, besides int8 and other precisions, where Hone "
          "can do what they advise: the gain is then measured; 0: only predict")
      .range(0, 1000);
  flags.find("--model").required(false);  // --rules and --import do without.
  flags.toggle("--rules", options->rules, "list the rules and exit");
  options->json.declare(flags);
  return [options, &context] { return run_diagnose(*options, context); };
}

}  // namespace

extern const CommandDef command_diagnose = {
    .name = "diagnose",
    .summary = "Measures a model and says why it is slow, what would fix it, and by how much.",
    .examples = {"hone diagnose zoo:mobilenet_v3_large --threads 1",
                 "hone diagnose model.tflite --json diagnosis.json",
                 "hone diagnose model.onnx --import onnxruntime_profile.json",
                 "hone diagnose --import pytorch_trace.json.gz", "hone diagnose --rules"},
    .declare = declare_diagnose,
};

}  // namespace hone
