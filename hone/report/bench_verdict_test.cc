#include "hone/report/bench_verdict.h"

#include <gtest/gtest.h>

#include "hone/report/documents.h"

namespace hone {
namespace {

BenchedNetwork timed(const char* model, double ms, double low, double high) {
  BenchedNetwork network{.model = model};
  network.result = BenchResult{.latency = {.name = "latency", .value = ms, .unit = "ms"},
                               .median_low = low,
                               .median_high = high,
                               .precision = "fp32"};
  return network;
}

TEST(BenchVerdict, SaysWhichIsFasterByHowMuchAndHowSureThatIs) {
  BenchRun run{.target = "cpu", .networks = {timed("b", 3, 2.9, 3.1), timed("a", 2, 1.9, 2.1)}};
  EXPECT_EQ(bench_verdict(run),
            "a in fp32 is the fastest of 2, 2.00 ms, and 1.50 times as fast as b in fp32, 3.00 ms; "
            "their 95 % intervals part: this is no chance; measured on cpu");
  run.networks[0].result->median_low = 2.05;
  run.networks.push_back({.model = "c", .error = bad_input("no such file")});
  EXPECT_EQ(
      bench_verdict(run),
      "none of the 2 is surely the fastest: their 95 % intervals overlap, a in fp32 2.00 ms to "
      "b in fp32 3.00 ms; measured on cpu; 1 could not be timed");
  run.networks.push_back(timed("d", 9, 8, 10));
  EXPECT_EQ(bench_verdict(run),
            "a in fp32 is the fastest of 3, 2.00 ms, and 1.50 times as fast as b in fp32, 3.00 ms; "
            "their 95 % intervals overlap: which of the two is faster may be chance; measured on "
            "cpu; 1 could not be timed");
}

TEST(BenchVerdict, OfOneNetworkHasItsInterval) {
  BenchRun run{.target = "cpu", .networks = {timed("a", 2, 1.9, 2.1)}};
  EXPECT_EQ(bench_verdict(run), "a in fp32 takes 2.00 ms (1.90 to 2.10 ms); measured on cpu");
  run.machine = "Neoverse-V1, 1 thread";
  EXPECT_TRUE(bench_verdict(run).ends_with("; measured on Neoverse-V1, 1 thread"));
  run.machine = "";
  run.networks[0] = {.model = "c", .error = bad_input("no such file")};
  EXPECT_EQ(bench_verdict(run), "no network could be timed");
}

// A page is about networks, not about folders.
TEST(BenchVerdict, PagesNameFilesByTheirNames) {
  const BenchRun run{.target = "cpu",
                     .networks = {timed("/nets/a.onnx", 3, 2.9, 3.1),
                                  timed("x/b.onnx", 2, 1.9, 2.1), timed("y/b.onnx", 4, 3.9, 4.1)}};
  const Document page = document_of(run, {}, {.page = true});
  EXPECT_TRUE(
      page.headline.starts_with("x/b.onnx in fp32 is the fastest of 3, 2.00 ms, and 1.50 "
                                "times as fast as a.onnx in fp32"))
      << page.headline;
  const auto& table = std::get<DataTable>(page.sections[0].blocks[2]);
  EXPECT_EQ(table.rows[0][0].text, "a.onnx");
  EXPECT_EQ(table.rows[0][0].whole, "/nets/a.onnx");
  EXPECT_EQ(table.rows[1][0].text, "x/b.onnx");
  const Document terminal = document_of(run);
  EXPECT_EQ(std::get<DataTable>(terminal.sections[0].blocks[2]).rows[0][0].text, "/nets/a.onnx");
}

}  // namespace
}  // namespace hone
