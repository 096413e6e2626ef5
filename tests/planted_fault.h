// What the tests that plant flaws share: programs in turn, and what is new in a diagnosis.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hone/analyze/rule_def.h"
#include "hone/base/seconds_since.h"
#include "hone/workbench/diagnose_model.h"
#include "hone/workbench/workbench.h"

namespace hone {

struct Running {
  std::vector<Item> inputs;
  std::unique_ptr<Program> program;
  std::unique_ptr<Session> session;
  std::vector<Item> outputs;

  Running(const char* target, Graph graph, const CompileOptions& options) {
    inputs = *make_inputs(graph, {}, 0);
    auto compiled = (*find_target(target))->open()->compile(std::move(graph), options);
    EXPECT_TRUE(compiled.ok()) << compiled.error().message;
    program = *std::move(compiled);
    session = program->open();
  }

  double seconds(int runs = 1) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) EXPECT_TRUE(session->run(inputs, outputs).ok());
    return seconds_since(start);
  }
};

// The first finding of the flawed model that the repaired one does not have as well: what is said
// of the layers around the fault depends on the machine. Null when there is none.
inline const Finding* first_planted(const Diagnosis& flawed, const Diagnosis& repaired,
                                    const std::string& wanted) {
  for (const Finding& finding : flawed.findings) {
    const bool elsewhere = std::ranges::find(repaired.findings, finding.rule, &Finding::rule) !=
                           repaired.findings.end();
    if (finding.rule == wanted || !elsewhere) return &finding;
  }
  return nullptr;
}

}  // namespace hone
