// What `hone validate` found out: plain results that text, Markdown and JSON are written from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/validate/arithmetic/arithmetic.h"
#include "hone/validate/expected_outputs.h"
#include "hone/validate/layer_errors.h"
#include "hone/validate/slowdown.h"

namespace hone {

// One budget: what was asked for, what was reached, and where that number comes from.
struct GateRow {
  std::string what = {};     // "accuracy", "latency", "slowdown", "peak memory", "size", "energy".
  std::string asked = {};    // "at most 5.00 ms".
  std::string reached = {};  // "4.31 ms".
  std::string from = {};     // "measured, n 240".
  Verdict verdict = Verdict::Inconclusive;
  std::string why = {};  // Empty where the numbers say it.
};

// The worst of the rows: a failure counts more than a doubt.
Verdict verdict_of(const std::vector<GateRow>& rows);

struct Validation {
  std::string model;
  std::string reference;  // Empty: there is none.
  std::string target;
  std::string device;
  std::string data_how;  // What pictures went through to become samples; empty for arrays.

  std::optional<Metric> metric;            // Of the model.
  std::string metric_why;                  // Why that one; empty where it was asked for.
  std::optional<Metric> reference_metric;  // The same of the reference.
  bool more_is_better = true;
  std::optional<Metric> agreement;
  std::optional<ExpectedOutputs> expected;

  std::optional<LayerErrors> layers;
  BreakLimits breaks;
  LayerBreak broken;  // Among the layers.

  std::optional<ArithmeticChange> arithmetic;

  std::optional<Metric> latency;   // Median of whole runs.
  std::vector<double> samples_ms;  // Its runs, in order: a later validation's baseline.
  std::vector<GateRow> gate;
};

// The gate's verdict, and a failure when expected outputs were not met.
Verdict verdict_of(const Validation& validation);

// Four digits behind the point, or significant ones where those would say nothing: "0.9010",
// "6.31e-05", "inf".
std::string metric_number(double value);

// How much worse the metric is than the reference's, in its own unit; negative when it is better.
double drop_of(const Metric& metric, const Metric& reference, bool more_is_better);

}  // namespace hone
