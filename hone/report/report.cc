#include "hone/report/report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "hone/base/json_text.h"
#include "hone/profile/profile_json.h"
#include "hone/profile/result_file.h"
#include "hone/report/read_document.h"
#include "hone/report/report_fields.h"
#include "hone/validate/validation_json.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// The profile under `key` of the results; with no key the results are one.
Result<ReportRun> read_run(const ReportInput& input, const std::string& key, std::string label) {
  const Json& results = input.document["results"];
  const std::string path = key.empty() ? "results" : str("results.", key);
  if (!key.empty() && (!results.contains(key) || !results[key].is_object())) {
    return bad_input(path, " is missing, expected a profile");
  }
  ReportRun run;
  run.label = std::move(label);
  run.from = provenance_of(input.document);
  HONE_TRY(run.profile, profile_from_json(key.empty() ? results : results[key], path));
  return run;
}

// A struct that says its fields, or a list of them; an absent one is empty.
template <class T>
Result<T> read_at(const Json& results, const char* key) {
  T value;
  JsonReader reader(results, "results");
  reader(key, value);
  if (!reader.error.empty()) return bad_input(reader.error);
  return value;
}

Result<std::vector<ReportFinding>> read_findings(const Json& results, const Profile& profile) {
  HONE_TRY(std::vector<ReportFinding> findings,
           read_at<std::vector<ReportFinding>>(results, "findings"));
  for (const ReportFinding& finding : findings) {
    for (const size_t step : finding.steps) {
      if (step >= profile.steps.size()) {
        return bad_input("finding '", finding.title, "' names step ", step, " of ",
                         profile.steps.size());
      }
    }
  }
  return findings;
}

// The file's name; the whole path where another file has the same name.
std::string file_label(const std::vector<ReportInput>& inputs, const ReportInput& input) {
  const fs::path path(input.path);
  const bool alone = std::ranges::count_if(inputs, [&](const ReportInput& other) {
                       return fs::path(other.path).filename() == path.filename();
                     }) == 1;
  return alone ? path.stem().string() : path.string();
}

// `several`: there are other results with runs.
Status add_runs(const ReportInput& input, const std::string& label, bool several, Report& report) {
  const Json& results = input.document["results"];
  const std::string kind = result_kind(input.document);
  const auto with_file = [&](const char* word) {
    return several ? str(label, " ", word) : std::string(word);
  };
  if (kind == "optimization") {
    HONE_TRY(ReportRun before, read_run(input, "before", with_file("before")));
    HONE_TRY(ReportRun after, read_run(input, "after", with_file("after")));
    HONE_TRY(before.findings, read_findings(results, before.profile));
    HONE_TRY(after.compared, read_at<ReportCompared>(results, "compared"));
    HONE_TRY(auto ledger, read_at<std::vector<ReportAttempt>>(results, "ledger"));
    for (ReportAttempt& entry : ledger) entry.mode = after.profile.mode;
    after.ledger = std::move(ledger);
    after.base = report.runs.size();
    HONE_TRY(after.outcome, read_fields<ReportOutcome>(results));
    report.runs.push_back(std::move(before));
    report.runs.push_back(std::move(after));
    return Done{};
  }
  HONE_TRY(ReportRun run, read_run(input, kind == "diagnosis" ? "profile" : "", label));
  HONE_TRY(run.findings, read_findings(results, run.profile));
  HONE_TRY(run.refuted, read_at<std::vector<ReportFinding>>(results, "refuted"));
  run.diagnosed = kind == "diagnosis";
  report.runs.push_back(std::move(run));
  return Done{};
}

// Files of several networks do not say by their names which is which.
void name_networks(Report& report) {
  const auto other = [&](const ReportRun& run) {
    return run.profile.model != report.runs[0].profile.model;
  };
  if (std::ranges::none_of(report.runs, other)) return;
  for (ReportRun& run : report.runs) {
    const std::string model = fs::path(run.profile.model).filename().string();
    if (!model.empty() && run.label != model) run.label = str(model, " (", run.label, ")");
  }
}

// The two profiles of an optimization were made one after the other; what it compared took turns,
// and says more.
void prefer_turns(const ReportCompared& compared, ProfileDiff& diff) {
  const std::optional<Change> change = change_named(compared.change);
  if (!change) return;
  diff.ms_a = compared.before_ms;
  diff.ms_b = compared.after_ms;
  diff.change = *change;
  diff.why = compared.mode == Mode::Measured ? str("medians of ", compared.n, " alternating turns")
                                             : std::string("both as the device's model has them");
}

// Beside a profile, which layers a quantized model is wrong in belongs into the same picture.
Status add_errors(const Json& document, Report& report) {
  if (kind_of_result(document) != "validation") return Done{};
  HONE_TRY(const Validation validation, validation_from_json(document["results"]));
  if (!validation.layers) return Done{};
  for (const LayerError& layer : validation.layers->layers) {
    const double db = layer.local.sqnr_db();
    if (std::isfinite(db)) report.errors.push_back({layer.name, db});
  }
  return Done{};
}

bool is_run(const std::string& kind) {
  return kind == "profile" || kind == "diagnosis" || kind == "optimization";
}

Status add_input(std::string path, Json document, std::vector<ReportInput>& inputs) {
  const std::string kind = kind_of_result(document);
  if (kind == "diff") {
    return bad_input(path, ": holds a diff, expected the two profiles that it compares");
  }
  if (!is_run(kind) && !has_document(kind)) {
    const std::string command = provenance_of(document).command;
    const std::string unnamed =
        command.empty() ? "another result" : str("what `", command, "` wrote");
    return bad_input(
        path, ": holds ", kind.empty() ? unnamed : "a " + kind,
        ", expected a profile, a diagnosis, an optimization, a validation, a "
        "quantization, a comparison, a placement, an inspection, a bench, a fit or the power "
        "of a stream");
  }
  inputs.push_back({std::move(path), std::move(document)});
  return Done{};
}

// Takes apart what merge_inputs put together.
Status add_merged(const std::string& path, const Json& results, std::vector<ReportInput>& inputs) {
  if (!results.contains("inputs") || !results["inputs"].is_array() || results["inputs"].empty()) {
    return bad_input(path, ": results.inputs is missing, expected result files");
  }
  for (const Json& input : results["inputs"]) {
    if (!input.is_object() || !input.contains("document") ||
        !input["document"].contains("results")) {
      return bad_input(path, ": results.inputs holds what is no result file");
    }
    const std::string file =
        input.contains("file") && input["file"].is_string() ? input["file"].get<std::string>() : "";
    HONE_RETURN_IF_ERROR(add_input(file, input["document"], inputs));
  }
  return Done{};
}

}  // namespace

std::string_view part_of(const ReportFinding& finding) {
  if (!finding.gain || !finding.gain->value) return "Without a gain in time";
  return finding.option ? "Options, at a price in accuracy" : "";
}

Result<std::vector<ReportInput>> read_report_inputs(const std::vector<std::string>& paths) {
  std::vector<ReportInput> inputs;
  for (const std::string& path : paths) {
    HONE_TRY(Json document, read_result_file(path));
    if (result_kind(document) == "report") {
      HONE_RETURN_IF_ERROR(add_merged(path, document["results"], inputs));
    } else {
      HONE_RETURN_IF_ERROR(add_input(path, std::move(document), inputs));
    }
  }
  return inputs;
}

Result<Report> make_report(const std::vector<ReportInput>& inputs, const ShowOptions& show) {
  Report report;
  const bool several = std::ranges::count_if(inputs, [](const ReportInput& input) {
                         return is_run(kind_of_result(input.document));
                       }) > 1;
  for (const ReportInput& input : inputs) {
    if (!is_run(kind_of_result(input.document))) {
      HONE_TRY(report.documents.emplace_back(), read_document(input.document, show).in(input.path));
      HONE_RETURN_IF_ERROR(add_errors(input.document, report).in(input.path));
      continue;
    }
    HONE_RETURN_IF_ERROR(
        add_runs(input, file_label(inputs, input), several, report).in(input.path));
  }
  if (several) name_networks(report);
  for (size_t i = 1; i < report.runs.size(); ++i) {
    const ReportRun& run = report.runs[i];
    ProfileDiff& diff =
        report.comparisons.emplace_back(diff_profiles(report.runs[run.base].profile, run.profile));
    prefer_turns(run.compared, diff);
  }
  return report;
}

Json merge_inputs(const std::vector<ReportInput>& inputs) {
  Json list = Json::array();
  for (const ReportInput& input : inputs) {
    list.push_back(
        {{"file", fs::path(input.path).filename().string()}, {"document", input.document}});
  }
  return {{"kind", "report"}, {"inputs", std::move(list)}};
}

}  // namespace hone
