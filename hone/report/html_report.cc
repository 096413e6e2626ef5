#include "hone/report/html_report.h"

#include <map>
#include <set>

#include "hone/base/json_text.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
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
  std::vector<ReportAttempt> ledger = run.ledger;
  json["ledger"] = JsonWriter::write(ledger);
  json["nothing_found"] = Json::array();
  if (run.diagnosed && run.findings.empty()) {
    json["nothing_found"] = known_without_findings(run.profile);
    json["nothing_found"].insert(json["nothing_found"].begin(),
                                 "nothing found that would gain 1 % of the run or more");
  }
  return json;
}

// Of a run and what it is compared with. Where both took turns, times of the whole are those of the turns.
Json comparison_json(const ProfileDiff& diff, const ReportRun& run) {
  Json json = changes_to_json(diff);
  json["base"] = run.base;
  json["models"] = run.outcome ? "" : diff.models;
  json["unrelated"] = diff.unrelated;
  json["turns"] = run.compared.change.empty() ? 0 : run.compared.n;
  return json;
}

// Of a name that is a book, its ends: a page has names many times. Names that differ stay apart.
class PageNames {
 public:
  void shorten(Json& json, const std::string& key = {}) {
    if (json.is_object()) {
      for (auto& [name, value] : json.items()) shorten(value, name);
    } else if (json.is_array()) {
      for (Json& value : json) shorten(value, key);
    } else if (json.is_string()) {
      const std::string& text = json.get_ref<const std::string&>();
      if (text.size() > kLongest && key != "command") json = shortened(text, key);
    }
  }

 private:
  static constexpr size_t kLongest = 200;       // Letters of a name,
  static constexpr size_t kLongestText = 4000;  // and of a sentence.

  std::string shortened(const std::string& text, const std::string& key) {
    const bool is_name = key == "name" || key == "layer" || text.find(' ') == std::string::npos;
    if (!is_name) return without_middle(text, kLongestText);
    const auto [known, is_new] = shown_.try_emplace(text);
    if (!is_new) return known->second;
    const std::string ends = without_middle(text, kLongest);
    std::string one = ends;
    for (size_t number = 2; !taken_.insert(one).second; ++number) {
      one = str(ends, " (", number, ")");
    }
    return known->second = one;
  }

  std::map<std::string, std::string> shown_ = {};
  std::set<std::string> taken_ = {};
};

Json page_data(const Report& report) {
  Json runs = Json::array(), comparisons = Json::array(), errors = Json::array();
  for (const ReportRun& run : report.runs) runs.push_back(run_json(run));
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    comparisons.push_back(comparison_json(report.comparisons[i], report.runs[i + 1]));
    runs[i + 1]["headline"] = change_verdict(report, i + 1);
  }
  for (const ReportLayerError& error : report.errors) {
    errors.push_back({{"layer", error.layer}, {"db", error.db}});
  }
  Json data = {{"hone", version()},
               {"runs", std::move(runs)},
               {"comparisons", std::move(comparisons)},
               {"errors", std::move(errors)}};
  PageNames().shorten(data);
  return data;
}

}  // namespace

std::string html_report(const Report& report) {
  if (report.runs.empty()) return document_page(report.documents);
  std::string documents;
  for (size_t d = 0; d < report.documents.size(); ++d) {
    documents += html_document(report.documents[d], str("d", d), true);
  }
  const std::string data = json_for_script(json_text(page_data(report)));
  return fill_frame(report_page, {{"@DOCUMENTS@", documents}, {"@DATA@", data}});
}

}  // namespace hone
