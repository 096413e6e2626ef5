#include "hone/report/html_report.h"

#include <gtest/gtest.h>

#include "hone/report/document/frame.h"
#include "hone/report/report_examples.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

size_t count_of(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// What the page's scripts will parse.
std::string data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const size_t from = page.find(open) + open.size();
  return page.substr(from, page.find("</script>", from) - from);
}

std::string page_of(const Profile& profile) {
  const Result<Report> report = make_report({{"p.json", enveloped(profile_to_json(profile))}});
  return report.ok() ? html_report(*report) : report.error().message;
}

// Ends the script, starts another, opens a comment, ends a line; and an honest letter behind it.
const std::string kEvil = "</script><script>alert(1)</script><!--\xE2\x80\xA8\xE2\x80\xA9 \xC3\xA9";

TEST(JsonForScript, HoldsNothingThatEndsAScript) {
  const std::string text = json_for_script(Json(kEvil).dump());
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(text.find("\xE2\x80\xA9"), std::string::npos);
  EXPECT_EQ(Json::parse(text), kEvil);
}

TEST(JsonForScript, LeavesOtherTextAlone) {
  const std::string text = R"({"a":[1,2.5,"é > & \" \\ "]})";
  EXPECT_EQ(json_for_script(text), text);
  EXPECT_EQ(json_for_script("\xE2\x80"), "\xE2\x80");  // Cut inside a character.
}

TEST(HtmlReport, NamesFromAFileStayData) {
  Profile profile = example_profile(1);
  const std::string plain = page_of(profile);
  profile.model = kEvil;
  profile.steps[0].name = kEvil;
  profile.layers[0].name = kEvil;
  profile.notes = {kEvil};
  const std::string page = page_of(profile);
  EXPECT_EQ(count_of(page, "<script"), count_of(plain, "<script"));
  EXPECT_EQ(count_of(page, "</script"), count_of(plain, "</script"));
  EXPECT_EQ(count_of(page, "<!--"), count_of(plain, "<!--"));
  const Json run = Json::parse(data_of(page))["runs"][0];
  EXPECT_EQ(run["profile"]["model"], kEvil);
  EXPECT_EQ(run["profile"]["layers"][0]["name"], kEvil);
}

TEST(HtmlReport, HoldsEverythingAndLoadsNothing) {
  const std::string page = page_of(example_profile(1));
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(count_of(page, "<link"), 0u);
  EXPECT_EQ(count_of(page, "<script src"), 0u);
  EXPECT_EQ(count_of(page, "url(http"), 0u);
  EXPECT_EQ(count_of(page, "https://"), 0u);
  EXPECT_EQ(count_of(page, "http://"), 1u);  // The name of SVG's namespace.
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, TellsWhatChanged) {
  const Result<Report> report = make_report({optimization_input()});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const Json data = Json::parse(data_of(html_report(*report)));
  EXPECT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["comparisons"][0]["change"], "faster");
  EXPECT_EQ(data["comparisons"][0]["layers"][0]["us_b"], 1000);
  EXPECT_EQ(data["runs"][0]["findings"][0]["gain"]["mode"], "predicted");
  EXPECT_EQ(data["runs"][1]["ledger"][0]["kept"], true);
  EXPECT_EQ(data["comparisons"][0]["turns"], 0);  // Of a file that does not tell of them.
}

TEST(HtmlReport, SaysWhichTimesAreOfTurns) {
  ReportInput input = optimization_input();
  input.document["results"]["compared"] = {
      {"before_ms", 2.5}, {"after_ms", 2.4}, {"change", "same"}, {"mode", "measured"}, {"n", 30}};
  const Result<Report> report = make_report({profile_input("p.json", 4), input});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const Json data = Json::parse(data_of(html_report(*report)));
  EXPECT_EQ(data["comparisons"][0]["turns"], 0);
  const Json& turned = data["comparisons"][1];
  EXPECT_EQ(turned["turns"], 30);
  EXPECT_EQ(turned["base"], 1);
  EXPECT_EQ(turned["ms_a"], 2.5);
  EXPECT_EQ(turned["ms_b"], 2.4);
}

// A page has a layer's name many times.
TEST(HtmlReport, OfANameThatIsABookHasTheEnds) {
  Profile profile = example_profile(1);
  const std::string book(1 << 20, 'n');
  profile.steps[0].name = profile.sources[0].name = book + "1";
  profile.sources[1].name = book + "x" + book;
  profile.sources[2].name = book + "y" + book;
  const std::string page = page_of(profile);
  EXPECT_LT(page.size(), size_t{1} << 20);
  const Json run = Json::parse(data_of(page))["runs"][0]["profile"];
  EXPECT_EQ(run["sources"][0]["name"], run["steps"][0]["name"]);
  EXPECT_NE(run["sources"][1]["name"], run["sources"][2]["name"]);
  EXPECT_LE(run["sources"][2]["name"].get<std::string>().size(), 210u);
}

TEST(HtmlReport, FindingsStandInThePartsOfTheText) {
  Result<Report> report = make_report({optimization_input()});
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::vector<ReportFinding>& findings = report->runs[0].findings;
  findings.resize(3, findings[0]);
  findings[1].option = true;
  findings[2].gain.reset();
  const Json data = Json::parse(data_of(html_report(*report)));
  const auto part = [&](size_t i) { return data["runs"][0]["findings"][i]["part"]; };
  EXPECT_EQ(part(0), "");
  EXPECT_EQ(part(1), "Options, at a price in accuracy");
  EXPECT_EQ(part(2), "Without a gain in time");
}

TEST(HtmlReport, SaysWhatIsKnownWhereNothingWasFound) {
  Result<Report> report = make_report({{"p.json", enveloped(profile_to_json(example_profile(1)))}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ReportRun& run = report->runs[0];
  const auto said = [&] {
    return Json::parse(data_of(html_report(*report)))["runs"][0]["nothing_found"];
  };
  EXPECT_TRUE(said().empty());  // Nobody looked.
  run.diagnosed = true;
  EXPECT_EQ(said().size(), 1u);
  run.profile.tool = "pytorch";
  run.profile.gpu = GpuTimeline{.capability = "9.0", .run_us = 1000, .busy_us = 990};
  ASSERT_EQ(said().size(), 2u);
  EXPECT_NE(said()[1].get<std::string>().find("busy 99.0 %"), std::string::npos);
}

TEST(HtmlReport, BytesThatAreNoTextDoNotStopIt) {
  Profile profile = example_profile(1);
  const Result<Report> made = make_report({{"p.json", enveloped(profile_to_json(profile))}});
  ASSERT_TRUE(made.ok());
  Report report = *made;
  report.runs[0].profile.steps[0].name = "caf\xE9";  // Latin-1.
  EXPECT_TRUE(Json::accept(data_of(html_report(report))));
}

}  // namespace
}  // namespace hone
