// What a report tells: profiles read from result files, what was found in them, what was done about
// it, and what changed from one to the next; and every other result as a document.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/profile/diff.h"
#include "hone/profile/profile.h"
#include "hone/report/section_def.h"

namespace hone {

// A finding of `hone diagnose`, as its result file has it.
struct ReportFinding {
  std::string rule = {};
  std::string title = {};
  std::string subject = {};  // Of the title, in a few words; not in files.
  std::string bound = {};    // "memory", "launch", ...
  bool option = false;  // No flaw of this model: helps nearly every one, at a price in accuracy.
  std::vector<Metric> evidence = {};
  std::vector<size_t> steps = {};
  std::string fix = {};
  std::string command = {};  // How to do it; empty where the model itself has to change.
  std::string advice = {};   // Where there is no command, what to do instead; not in files.
  std::optional<Metric> gain = {};
  std::string formula = {};
  std::string confidence = {};
};

// The part of the list that it stands in; empty for flaws with a gain, which come first.
std::string_view part_of(const ReportFinding& finding);

// What `hone optimize` tried: a line of its ledger.
struct ReportAttempt {
  std::string rule;
  std::string title;
  std::string action;
  std::optional<double> predicted_ms;  // None, or 0, when the rule could not tell.
  std::optional<double> obtained_ms;   // None when it was left out.
  Mode mode = Mode::Measured;          // Of what was obtained.
  std::optional<double> error;         // Part of the largest output by which results moved.
  std::optional<double> drop;          // Of the metric, where there was data.
  bool kept = false;
  std::string why;
};

// How `hone optimize` compared the model before and after.
struct ReportCompared {
  double before_ms = 0;
  double after_ms = 0;
  std::string change = {};  // "faster"; empty in files that do not say it.
  Mode mode = Mode::Measured;
  int64_t n = 0;  // Turns of each.
};

// How far a layer is from the reference of a validation, given the reference's inputs.
struct ReportLayerError {
  std::string layer;
  double db = 0;  // SQNR.
};

// How many findings were tried, of how many that should have been.
struct ReportTries {
  size_t tried = 0;
  size_t wanted = 0;
};

// What `hone optimize` says of the model that it wrote.
struct ReportOutcome {
  std::string file;         // Empty: the model itself, run another way.
  double error = 0;         // Part of the largest output by which results moved.
  std::string metric = {};  // Empty: there was no data.
  double metric_before = 0;
  double metric_after = 0;
};

struct ReportRun {
  // "before", "after", or the name of the file; among several results with what tells them apart.
  std::string label = {};
  Provenance from = {};
  Profile profile = {};
  bool diagnosed = false;                    // Somebody looked for findings.
  std::vector<ReportFinding> findings = {};  // In the order of the file: the best first.
  std::vector<ReportFinding> refuted = {};   // Tried, without a gain.
  std::optional<ReportTries> tries = {};     // Not in files.
  size_t base =
      0;  // The run that it is compared with: of an optimization's "after" its own "before".
  ReportCompared compared = {};            // With that; of an optimization's "after".
  std::vector<ReportAttempt> ledger = {};  // Of an optimization's "after".
  std::optional<ReportOutcome> outcome = {};
  std::vector<NextStep> next = {};
};

struct Report {
  std::vector<ReportRun> runs;  // Of profiles, diagnoses and optimizations.
  // Of every later run with its base; of an optimization the time of the whole run is what
  // `hone optimize` compared in alternating turns.
  std::vector<ProfileDiff> comparisons;
  std::vector<ReportLayerError> errors;  // Of validations that looked at layers; finite ones.
  std::vector<Document> documents;       // Of all other results.
};

// A result file with the name it was given by.
struct ReportInput {
  std::string path;
  nlohmann::ordered_json document;
};

// The result files, checked; those of `hone report` stand for the files merged into them.
// BadInput when a file cannot be read or holds a result that a report has no place for.
Result<std::vector<ReportInput>> read_report_inputs(const std::vector<std::string>& paths);

// BadInput names the file, and the key that is not as expected.
Result<Report> make_report(const std::vector<ReportInput>& inputs,
                           const ShowOptions& show = {.page = true});

// The inputs as one document that read_report_inputs takes apart again: what stands under
// "results".
nlohmann::ordered_json merge_inputs(const std::vector<ReportInput>& inputs);

}  // namespace hone
