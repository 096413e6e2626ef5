// Runs of a TensorRT engine: [{"startEnqMs", ..., "h2dMs", "computeMs", "d2hMs", "latencyMs"},
// ...]. A run is three steps: inputs are copied to the GPU, it computes, outputs are copied back.

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/json_list.h"
#include "hone/profile/import/rows.h"
#include "hone/profile/statistics.h"

namespace hone {
namespace {

struct Part {
  const char* name;
  const char* op;
  const char* duration;
  const char* start;
};
constexpr Part kParts[] = {{"h2d", "copy to device", "h2dMs", "startH2dMs"},
                           {"compute", "compute", "computeMs", "startComputeMs"},
                           {"d2h", "copy to host", "d2hMs", "startD2hMs"}};
constexpr size_t kPartCount = std::size(kParts);

class TimesReader {
 public:
  TimesReader() : step_us_(kPartCount), start_us_(kPartCount) {
    for (const Part& part : kParts) {
      StepProfile step;
      step.name = part.name;
      step.op = part.op;
      add_step(std::move(step), profile_);
    }
  }

  Status take(const Json& run) {
    HONE_TRY(const double whole, number_at(run, "latencyMs", kMostMs));
    whole_ms_.push_back(whole);
    for (size_t p = 0; p < kPartCount; ++p) {
      HONE_TRY(const double ms, number_at(run, kParts[p].duration, kMostMs));
      HONE_TRY(const double start, number_or_zero(run, kParts[p].start, kMostMs));
      placed_ = placed_ && run.contains(kParts[p].start);
      step_us_[p].push_back(1e3 * ms);
      start_us_[p].push_back(1e3 * start);
    }
    return take_enqueue(run);
  }

  Result<Profile> finished() {
    if (whole_ms_.empty()) return bad_input("no run, expected objects with 'latencyMs'");
    if (placed_) add_timeline();
    add_runs(whole_ms_, step_us_, profile_);
    profile_.copies = "inputs and outputs are copied inside a run";
    if (!enqueue_ms_.empty()) {
      profile_.counters.push_back({.name = "enqueue",
                                   .value = median(enqueue_ms_),
                                   .unit = "ms",
                                   .n = static_cast<int64_t>(enqueue_ms_.size()),
                                   .note = "median time in which the host hands a run over"});
    }
    finish(profile_);
    return std::move(profile_);
  }

 private:
  Status take_enqueue(const Json& run) {
    if (run.contains("enqMs")) {
      HONE_TRY(const double ms, number_at(run, "enqMs", kMostMs));
      enqueue_ms_.push_back(ms);
      return Done{};
    }
    if (!run.contains("startEnqMs")) return Done{};
    HONE_TRY(const double start, number_at(run, "startEnqMs", kMostMs));
    HONE_TRY(const double end, number_at(run, "endEnqMs", kMostMs));
    if (end < start) return bad_input("endEnqMs ", end, " is before startEnqMs ", start);
    enqueue_ms_.push_back(end - start);
    return Done{};
  }

  void add_timeline() {
    const size_t r = middle_run(whole_ms_);
    for (size_t p = 0; p < kPartCount; ++p) {
      const double start = std::max(0.0, start_us_[p][r] - start_us_[0][r]);
      profile_.timeline.push_back({p, 0, start, step_us_[p][r]});
    }
  }

  Profile profile_ = imported_profile("trtexec", "tensorrt");
  bool placed_ = true;  // The file tells when each part began.
  std::vector<double> whole_ms_;
  std::vector<std::vector<double>> step_us_;
  std::vector<std::vector<double>> start_us_;
  std::vector<double> enqueue_ms_;
};

bool recognizes_trtexec_times(std::string_view text) {
  return text.find("\"computeMs\"") != std::string_view::npos;
}

Result<Profile> read_trtexec_times(std::string_view text, const ImportOptions&) {
  TimesReader reader;
  HONE_RETURN_IF_ERROR(for_each_object(text, [&](const Json& run) { return reader.take(run); }));
  return reader.finished();
}

}  // namespace

extern const ImporterDef importer_trtexec_times = {
    .name = "trtexec_times",
    .summary = "runs of TensorRT (trtexec --exportTimes)",
    .recognizes = recognizes_trtexec_times,
    .read = read_trtexec_times,
};

}  // namespace hone
