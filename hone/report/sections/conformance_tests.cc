#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/validate/conformance.h"

namespace hone {
namespace {

using Outcome = ConformanceCase::Outcome;

Blocks conformance_tests_blocks(const ConformanceResult& result, const ShowOptions& show) {
  Sentences lines;
  for (const ConformanceCase& test : result.cases) {
    if (test.outcome == Outcome::Passed && !show.passed) continue;
    lines.lines.push_back(
        str(name_of(test.outcome), "  ", test.name, test.why.empty() ? "" : ": ", test.why));
  }
  lines.lines.push_back(str(result.count(Outcome::Passed), " passed, ",
                            result.count(Outcome::Failed), " failed, ",
                            result.count(Outcome::Unsupported), " unsupported"));
  return {lines};
}

}  // namespace

extern const SectionDef section_conformance_tests = {.title = "Tests",
                                                     .of_conformance = conformance_tests_blocks};

}  // namespace hone
