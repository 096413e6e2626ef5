// ONNX's own backend tests, from Debian's libonnx-testdata: never a wrong answer, and nearly all
// right.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/validate/conformance.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

using Outcome = ConformanceCase::Outcome;

const std::filesystem::path kData = "/usr/share/libonnx-testdata/data";

struct Suite {
  std::string folder;
  int least_passed;
};

class ConformanceTest : public testing::TestWithParam<Suite> {
 protected:
  void expect_passes(const ConformanceOptions& options, const std::string& name = "ref") {
    const std::filesystem::path folder = kData / GetParam().folder;
    HONE_SKIP_WITHOUT(folder);
    const auto target = (*find_target(name))->open();
    const auto result = run_conformance(folder, *target, options);
    ASSERT_TRUE(result.ok()) << result.error().message;
    for (const ConformanceCase& test : result->cases) {
      EXPECT_NE(test.outcome, Outcome::Failed) << test.name << ": " << test.why;
    }
    EXPECT_GE(result->count(Outcome::Passed), GetParam().least_passed);
  }
};

TEST_P(ConformanceTest, NothingFailsAndEnoughPasses) {
  expect_passes({});
}

TEST_P(ConformanceTest, ModelsStayRightWhenWrittenAndReadAgain) {
  expect_passes({.round_trip = true});
}

// Integer operators by their commands, the rest on their hosts.
TEST_P(ConformanceTest, NpusGiveTheSameAnswers) {
  for (const char* device : {"npu", "ethos-u55-32", "edge-tpu-usb"}) {
    SCOPED_TRACE(device);
    expect_passes({}, device);
  }
}

INSTANTIATE_TEST_SUITE_P(Suites, ConformanceTest,
                         testing::Values(Suite{"node", 839}, Suite{"simple", 23},
                                         Suite{"pytorch-operator", 35},
                                         Suite{"pytorch-converted", 82}),
                         [](const auto& test) {
                           std::string name = test.param.folder;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hone
