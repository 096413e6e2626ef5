// The keys of findings and ledger entries in result files.
#pragma once

#include "hone/profile/json_fields.h"
#include "hone/report/report.h"

namespace hone {

template <class Fields>
void visit_fields(Fields& f, ReportFinding& r) {
  f("rule", r.rule);
  f("title", r.title);
  f("bound", r.bound);
  f("option", r.option);
  f("evidence", r.evidence);
  f("steps", r.steps);
  f("fix", r.fix);
  f("command", r.command);
  f("gain", r.gain);
  f("formula", r.formula);
  f("confidence", r.confidence);
}

template <class Fields>
void visit_fields(Fields& f, ReportAttempt& e) {
  f("rule", e.rule);
  f("title", e.title);
  f("action", e.action);
  f("predicted_ms", e.predicted_ms);
  f("obtained_ms", e.obtained_ms);
  f("mode", e.mode);
  f("error", e.error);
  f("drop", e.drop);
  f("kept", e.kept);
  f("why", e.why);
}

template <class Fields>
void visit_fields(Fields& f, ReportCompared& c) {
  f("before_ms", c.before_ms);
  f("after_ms", c.after_ms);
  f("change", c.change);
  f("mode", c.mode);
  f("n", c.n);
}

// The metric's name and its two values stand in an object of their own.
struct OutcomeMetric {
  std::string name = {};
  double before = 0;
  double after = 0;
};

template <class Fields>
void visit_fields(Fields& f, OutcomeMetric& m) {
  f("name", m.name);
  f("before", m.before);
  f("after", m.after);
}

template <class Fields>
void visit_fields(Fields& f, ReportOutcome& o) {
  f("file", o.file);
  f("error", o.error);
  OutcomeMetric metric{o.metric, o.metric_before, o.metric_after};
  f("metric", metric);
  o.metric = metric.name;
  o.metric_before = metric.before;
  o.metric_after = metric.after;
}

}  // namespace hone
