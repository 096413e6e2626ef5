#include "hone/report/report.h"

#include <gtest/gtest.h>

#include "hone/report/report_examples.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

std::string message_of(const std::vector<ReportInput>& inputs) {
  const Result<Report> report = make_report(inputs);
  return report.ok() ? "made" : report.error().message;
}

TEST(Report, OfAProfileIsOneRun) {
  const Result<Report> report = make_report({profile_input("a/net.json", 1.5)});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->runs.size(), 1u);
  EXPECT_EQ(report->runs[0].label, "net");
  EXPECT_EQ(report->runs[0].from.tool, "hone 0.1.0");
  EXPECT_EQ(report->runs[0].from.command, "hone profile net.onnx");
  EXPECT_EQ(report->runs[0].from.model.at(0).first, "name");
  EXPECT_EQ(report->runs[0].from.model.at(0).second, "net.onnx");
  EXPECT_TRUE(report->comparisons.empty());
}

TEST(Report, ComparesEveryLaterRunWithTheFirst) {
  const Result<Report> report = make_report(
      {profile_input("a/net.json", 4), profile_input("b/net.json", 2), profile_input("c.json", 8)});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->runs[0].label, "a/net.json");  // Two files have the name net.json.
  EXPECT_EQ(report->runs[2].label, "c");
  ASSERT_EQ(report->comparisons.size(), 2u);
  EXPECT_EQ(report->comparisons[0].change, Change::Faster);
  EXPECT_EQ(report->comparisons[1].change, Change::Slower);
}

TEST(Report, OfAnOptimizationHasBeforeAfterFindingsAndLedger) {
  const Result<Report> report = make_report({optimization_input()});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->runs.size(), 2u);
  EXPECT_EQ(report->runs[0].label, "before");
  EXPECT_EQ(report->runs[1].label, "after");
  ASSERT_EQ(report->runs[0].findings.size(), 1u);
  EXPECT_EQ(report->runs[0].findings[0].gain->value, 0.5);
  ASSERT_EQ(report->runs[1].ledger.size(), 1u);
  EXPECT_TRUE(report->runs[1].ledger[0].kept);
  EXPECT_FALSE(report->runs[1].ledger[0].obtained_ms.has_value());
}

// The profiles, one after the other, say twice as fast; the turns of both say otherwise.
TEST(Report, OfAnOptimizationBelievesItsAlternatingTurns) {
  ReportInput input = optimization_input();
  input.document["results"]["compared"] = {
      {"before_ms", 2.5}, {"after_ms", 2.4}, {"change", "same"}, {"mode", "measured"}, {"n", 30}};
  const Result<Report> report = make_report({input});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->comparisons[0].change, Change::Same);
  EXPECT_EQ(report->comparisons[0].ms_a, 2.5);
  EXPECT_EQ(report->comparisons[0].ms_b, 2.4);
  EXPECT_EQ(report->comparisons[0].why, "medians of 30 alternating turns");
  EXPECT_EQ(report->comparisons[0].layers[0].us_b, 1000);
}

// Each with its own before, whatever else is in the report.
TEST(Report, OfSeveralOptimizationsComparesEachWithItself) {
  ReportInput first = optimization_input(), second = optimization_input();
  second.path = "other.json";
  for (ReportInput* input : {&first, &second}) {
    input->document["results"]["compared"] = {
        {"before_ms", 3}, {"after_ms", 2.5}, {"change", "faster"}, {"mode", "measured"}, {"n", 9}};
  }
  second.document["results"]["compared"]["before_ms"] = 5;
  const Result<Report> report = make_report({first, second});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->runs.size(), 4u);
  EXPECT_EQ(report->runs[1].label, "opt after");
  EXPECT_EQ(report->runs[2].label, "other before");
  EXPECT_EQ(report->runs[3].base, 2u);
  EXPECT_EQ(report->comparisons[0].ms_a, 3);
  EXPECT_EQ(report->comparisons[2].ms_a, 5);
  EXPECT_EQ(report->runs[3].ledger.size(), 1u);
  EXPECT_TRUE(
      change_verdict(*report, 3).starts_with("other after is 2.00 times as fast as other before"))
      << change_verdict(*report, 3);
}

TEST(Report, OfSeveralNetworksNamesThem) {
  Profile other = example_profile(3);
  other.model = "nets/other.onnx";
  for (SourceLayer& layer : other.sources) layer.name += "_of_other";
  const Result<Report> report =
      make_report({profile_input("a.json", 1), {"b.json", enveloped(profile_to_json(other))}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->runs[0].label, "net.onnx (a)");
  EXPECT_EQ(report->runs[1].label, "other.onnx (b)");
  EXPECT_TRUE(report->comparisons[0].unrelated);
  // No network is faster than another one.
  EXPECT_EQ(change_verdict(*report, 1), run_verdict(report->runs[1]));
}

TEST(Report, NamesTheFileAndTheKeyThatIsWrong) {
  ReportInput input = optimization_input();
  input.document["results"].erase("after");
  EXPECT_EQ(message_of({input}), "opt.json: results.after is missing, expected a profile");

  input = optimization_input();
  input.document["results"]["before"]["steps"][0]["us"] = "fast";
  EXPECT_EQ(message_of({input}),
            "opt.json: results.before.steps[0].us is string, expected a number");

  input = optimization_input();
  input.document["results"]["findings"][0]["steps"] = {7};
  EXPECT_EQ(message_of({input}), "opt.json: finding 'Convs wait for memory' names step 7 of 1");

  input = optimization_input();
  input.document["results"]["ledger"][0]["kept"] = 1;
  EXPECT_EQ(message_of({input}),
            "opt.json: results.ledger[0].kept is number, expected true or false");

  input = profile_input("p.json", 1);
  input.document["results"]["timeline"] = {{{"step", 5}}};
  EXPECT_EQ(message_of({input}), "p.json: timeline names step 5 of 1");
}

TEST(Report, ReadsTheFilesOfAMergedOneAgain) {
  const std::vector<ReportInput> inputs = {profile_input("a/net.json", 1), optimization_input()};
  const ExampleFile merged("hone_report_test_merged.json", enveloped(merge_inputs(inputs)));
  const auto back = read_report_inputs({merged.path});
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[0].path, "net.json");
  EXPECT_EQ((*back)[0].document, inputs[0].document);
  EXPECT_EQ((*back)[1].document, inputs[1].document);
}

TEST(Report, RefusesResultsItHasNoPlaceFor) {
  const auto message = [](const nlohmann::ordered_json& results) {
    const ExampleFile file("hone_report_test_other.json", enveloped(results));
    const auto inputs = read_report_inputs({file.path});
    return inputs.ok() ? std::string("read") : inputs.error().message;
  };
  EXPECT_NE(message({{"kind", "diff"}}).find("holds a diff, expected the two profiles"),
            std::string::npos);
  EXPECT_NE(message({{"kind", "replay"}}).find("holds a replay, expected a profile, a diagnosis"),
            std::string::npos);
  EXPECT_NE(message({{"rows", 3}}).find("holds what `hone profile net.onnx` wrote"),
            std::string::npos);
  EXPECT_NE(message({{"kind", "report"}}).find("results.inputs is missing"), std::string::npos);
  EXPECT_NE(message({{"kind", "report"}, {"inputs", {1, 2}}}).find("no result file"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
