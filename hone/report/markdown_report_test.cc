#include "hone/report/markdown_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "hone/report/report_examples.h"

namespace hone {
namespace {

// Bars that part cells: those without a backslash before them.
size_t bars(const std::string& line) {
  size_t count = 0;
  for (size_t i = 0; i < line.size(); ++i)
    count += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
  return count;
}

std::string markdown_of(const std::vector<ReportInput>& inputs) {
  const Result<Report> report = make_report(inputs);
  return report.ok() ? markdown_report(*report) : report.error().message;
}

TEST(MarkdownReport, SaysTheVerdictAndTheLayers) {
  const std::string text = markdown_of({profile_input("p.json", 1.5)});
  EXPECT_TRUE(text.starts_with("# net.onnx on cpu\n")) << text;
  EXPECT_NE(text.find("**1.50 ms median (1.50 to 1.50 ms), measured on Board, 1 thread; "
                      "100 % of it in conv**"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("steady over 16 runs"), std::string::npos);
  EXPECT_NE(text.find("| conv + 1 | conv | gemm_f32 neon | 1500.0 | 100.0 | 1.3 |"),
            std::string::npos)
      << text;
}

TEST(MarkdownReport, SaysWhatChangedWhatWasFoundAndDone) {
  const std::string text = markdown_of({optimization_input()});
  EXPECT_NE(text.find("- faster: 2.000 -> 1.000 ms (-50.0 %, measured)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| conv + 1 | 2000.0 | 1000.0 | -1000.0 | -50.0 | faster |"),
            std::string::npos);
  EXPECT_NE(text.find("   - gain: 0.5000 ms of 2.000, 25.0 % (predicted, 0.2500 to 1.000)\n"),
            std::string::npos);
  EXPECT_NE(text.find("| --fp16 | memory_bound | 0.5000 | - | kept | faster |"), std::string::npos)
      << text;
}

TEST(MarkdownReport, SaysHowAGainIsKnown) {
  ReportInput input = optimization_input();
  input.document["results"]["after"]["mode"] = "simulated";
  input.document["results"]["ledger"][0]["obtained_ms"] = 0.4;
  const std::string text = markdown_of({input});
  EXPECT_NE(text.find("| obtained ms, simulated |"), std::string::npos) << text;
  EXPECT_NE(text.find("| 0.5000 | 0.4000 | kept |"), std::string::npos) << text;
}

TEST(MarkdownReport, NamesBreakNeitherTablesNorText) {
  Profile profile = example_profile(1);
  profile.layers[0].name = "a|b\n<img src=x> **c** `d` [e](f) _g_ h_i \\";
  const std::string text = markdown_of({{"p.json", enveloped(profile_to_json(profile))}});
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_NE(
      text.find("a\\|b\\\\n&lt;img src=x> \\*\\*c\\*\\* \\`d\\` \\[e\\](f) \\_g\\_ h_i \\\\ |"),
      std::string::npos)
      << text;
  std::istringstream lines(text);
  size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) {
      columns = 0;
      continue;
    }
    if (columns != 0) {
      EXPECT_EQ(bars(line), columns) << line;
    }
    columns = bars(line);
  }
}

TEST(MarkdownReport, UnavailableNumbersSayWhy) {
  Profile profile = example_profile(1);
  profile.counters = {unavailable("cycles", "", "no such counter")};
  const std::string text = markdown_of({{"p.json", enveloped(profile_to_json(profile))}});
  EXPECT_NE(text.find("| cycles | unavailable: no such counter |"), std::string::npos) << text;
}

TEST(MarkdownReport, OfAnAcceleratorSpeaksOfEngines) {
  const Result<Report> report =
      make_report({{"p.json", enveloped(profile_to_json(engine_profile()))}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const std::string text = markdown_report(*report);
  for (const char* line : {"| matrix engine busy | 54.0 % |", "| waiting, weights late | 36.0 % |",
                           "| conv + 1 | conv | matrix engine | 900.0 | 90.0 | 30.0 | weights late "
                           "40 % | 4.00 KiB |",
                           "| soft | 1 | softmax | no engine has it | leave it out | 12.5 us |"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
  EXPECT_EQ(text.find("GOP/s"), std::string::npos);
}

}  // namespace
}  // namespace hone
