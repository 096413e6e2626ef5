// How good a network is beside the one it was made from, on a data set.
#pragma once

#include "hone/targets/target.h"
#include "hone/validate/limits.h"
#include "hone/validate/validate.h"

namespace hone {

struct Score {
  double metric = 0;
  double drop = 0;  // Of the metric against the reference's; an increase where less is better.
  // Share of samples with the reference's answer; nothing where outputs are one number.
  std::optional<double> agreement = {};
  double sqnr_db = 0;  // Of the float outputs.
};

class Judge {
 public:
  // Runs the reference once. `metric` as for choose_metric with a reference.
  static Result<Judge> make(const Graph& reference, DataSet data, const std::string& metric,
                            const std::string& target);

  Result<Score> score(const Graph& graph, const CompileOptions& options = {.threads = 1}) const;
  // The same of a program that takes the inputs and gives the outputs of `graph`.
  Result<Score> score(const Program& program, const Graph& graph) const;

  const std::string& metric() const { return metric_; }
  // Why that metric; empty where it was given.
  const std::string& why() const { return why_; }
  double reference() const { return reference_; }
  Status check(const DropLimit& limit) const {
    return check_can_fail(limit, metric_, reference_, more_is_better_);
  }
  int64_t samples() const { return data_.samples; }

 private:
  // `graph` is of known extents.
  Result<Score> score_closed(const Program& program, const Graph& graph) const;

  DataSet data_;
  std::string metric_;
  std::string why_;
  std::string target_;
  bool more_is_better_ = true;
  double reference_ = 0;
  Predictions expected_;
};

}  // namespace hone
