#include "hone/report/html_report.h"

#include "hone/base/json_text.h"
#include "hone/base/version.h"
#include "hone/profile/profile_json.h"
#include "hone/report/document/frame.h"
#include "hone/report/document/writers.h"
#include "hone/report/report_fields.h"
#include "hone/report/results/run_json.h"
#include "hone/report/verdict.h"

namespace hone {

// The files of hone/report/html in one, made at build time (cmake/EmbedPage.cmake).
extern const std::string_view report_page;

namespace {

Json work_json(const std::vector<WorkShare>& works) {
  Json list = Json::array();
  for (const WorkShare& work : works) {
    list.push_back(
        {{"name", work.name}, {"steps", work.steps}, {"us", work.us}, {"share", work.share}});
  }
  return list;
}

Json findings_json(std::vector<ReportFinding> findings) {
  Json list = JsonWriter::write(findings);
  for (size_t i = 0; i < findings.size(); ++i) {
    list[i]["part"] = part_of(findings[i]);
    list[i]["advice"] = findings[i].advice;
  }
  return list;
}

Json next_json(const std::vector<NextStep>& steps) {
  Json list = Json::array();
  for (const NextStep& step : steps) {
    list.push_back({{"what", step.what}, {"command", step.command}});
  }
  return list;
}

Json run_json(const ReportRun& run) {
  Json json;
  json["label"] = run.label;
  json["tool"] = run.from.tool;
  json["command"] = run.from.command;
  json["model"] = run.from.model;
  json["headline"] = run_verdict(run);
  json["next"] = next_json(run.next);
  json["work"] = work_json(work_shares(run.profile));
  json["profile"] = profile_to_json(run.profile);
  json["findings"] = findings_json(run.findings);
  json["nothing_found"] = Json::array();
  if (run.diagnosed && run.findings.empty()) {
    json["nothing_found"] = known_without_findings(run.profile);
    json["nothing_found"].insert(json["nothing_found"].begin(),
                                 "nothing found that would gain 1 % of the run or more");
  }
  return json;
}

Json page_data(const Report& report) {
  Json runs = Json::array(), comparisons = Json::array(), errors = Json::array();
  for (const ReportRun& run : report.runs) runs.push_back(run_json(run));
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    comparisons.push_back(changes_to_json(report.comparisons[i]));
    runs[i + 1]["headline"] = change_verdict(report, i + 1);
  }
  for (const ReportLayerError& error : report.errors) {
    errors.push_back({{"layer", error.layer}, {"db", error.db}});
  }
  std::vector<ReportAttempt> ledger = report.ledger;
  return {{"hone", version()},
          {"runs", std::move(runs)},
          {"comparisons", std::move(comparisons)},
          {"ledger", JsonWriter::write(ledger)},
          {"errors", std::move(errors)}};
}

}  // namespace

std::string html_report(const Report& report) {
  if (report.runs.empty()) return document_page(report.documents);
  std::string documents;
  for (size_t d = 0; d < report.documents.size(); ++d) {
    documents += html_document(report.documents[d], str("d", d));
  }
  const std::string data = json_for_script(json_text(page_data(report)));
  return fill_frame(report_page, {{"@DOCUMENTS@", documents}, {"@DATA@", data}});
}

}  // namespace hone
