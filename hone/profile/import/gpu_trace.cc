#include "hone/profile/import/gpu_trace.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/gpu_idle.h"
#include "hone/profile/import/gpu_kernel.h"

namespace hone {
namespace {

// With this many runs and more the first is kept apart: the profiler makes its buffers in it.
constexpr size_t kRunsWithFirstApart = 3;
// No kernel takes less: one that does nothing has a microsecond or two.
constexpr double kShortestUs = 0.05;

// "ProfilerStep" of "ProfilerStep#12".
std::string repeated_name(const std::string& name) {
  const size_t hash = name.rfind('#');
  const bool numbered = hash != std::string::npos && hash > 0 && hash + 1 < name.size() &&
                        name.find_first_not_of("0123456789", hash + 1) == std::string::npos;
  return numbered ? name.substr(0, hash) : name;
}

// Marks of one name that follow each other on one thread: those that cover most time.
std::vector<TraceMark> marks_of_runs(std::vector<TraceMark> marks) {
  std::map<std::pair<int64_t, std::string>, std::vector<TraceMark>> by_name;
  std::ranges::stable_sort(marks, {}, &TraceMark::start);
  for (TraceMark& mark : marks) {
    std::vector<TraceMark>& same = by_name[{mark.thread, repeated_name(mark.name)}];
    if (same.empty() || mark.start >= same.back().end()) same.push_back(std::move(mark));
  }
  // Steps of PyTorch's profiler before others, what repeats before what does not.
  using Rank = std::tuple<bool, bool, double>;
  std::vector<TraceMark> most;
  Rank best = {false, false, 0};
  for (auto& [name, same] : by_name) {
    const Rank rank = {name.second == "ProfilerStep", same.size() > 1,
                       same.back().end() - same.front().start};
    if (rank <= best) continue;
    best = rank;
    most = std::move(same);
  }
  return most;
}

class TraceProfiler {
 public:
  TraceProfiler(GpuTrace trace, Profile profile)
      : marks_(marks_of_runs(std::move(trace.marks))), profile_(std::move(profile)) {
    trace_ = in_order(std::move(trace));
  }

  Result<Profile> finished() {
    if (trace_.works.empty()) {
      return bad_input("the GPU did nothing in it: let the profiler record its activity");
    }
    HONE_RETURN_IF_ERROR(check_unit());
    find_runs();
    if (runs_.empty()) return bad_input("no kernel belongs to a call of the host in a run");
    const bool apart = runs_.size() >= kRunsWithFirstApart;
    const size_t all = runs_.size();
    if (apart) runs_.erase(runs_.begin());
    add_steps();
    add_timeline();
    say_what_a_run_is(all, apart);
    if (shares_time_) {
      profile_.notes.push_back(
          "kernels ran at once on several streams: each counts for its part of the time");
    }
    if (copies_beside_) {
      profile_.notes.push_back(
          "copies ran beside kernels: they count in full, so that steps add up to more than the "
          "GPU "
          "was busy");
    }
    finish(profile_);
    return std::move(profile_);
  }

 private:
  // Times in seconds would pass for a program of a few nanoseconds. Old traces have whole numbers.
  Status check_unit() const {
    const double longest = std::ranges::max_element(trace_.works, {}, &GpuWork::us)->us;
    if (longest == 0 || longest >= kShortestUs) return Done{};
    return bad_input("the longest that the GPU did takes ", longest,
                     " us, which is less than anything does: times may be in seconds");
  }

  // The host asks for the work of a run between the end of the mark before and the end of its own.
  void find_runs() {
    std::vector<double> until;
    for (const TraceMark& mark : marks_) until.push_back(mark.end());
    const double never = 1e300;
    if (marks_.empty()) until.push_back(never);
    const double first = marks_.empty() ? -never : marks_[0].start;
    runs_.resize(until.size());
    const auto run_at = [&](double time) -> GpuRun* {
      const auto run = std::ranges::lower_bound(until, time);
      return time < first || run == until.end() ? nullptr
                                                : &runs_[static_cast<size_t>(run - until.begin())];
    };
    for (size_t c = 0; c < trace_.calls.size(); ++c) {
      GpuRun* run = run_at(trace_.calls[c].call.start);
      if (run != nullptr) run->calls.push_back(c);
    }
    for (size_t w = 0; w < trace_.works.size(); ++w) {
      const size_t call = trace_.caller[w];
      const bool known = call != OrderedTrace::kNoCall;
      GpuRun* run = run_at(known ? trace_.calls[call].call.start : trace_.works[w].start);
      if (run != nullptr) run->works.push_back(w);
    }
    set_ends();
    std::erase_if(runs_, [](const GpuRun& run) { return run.works.empty() || run.us <= 0; });
  }

  // A run is over when host and GPU are done with it, and then the next begins.
  void set_ends() {
    double before = marks_.empty() ? earliest() : marks_[0].start;
    for (size_t r = 0; r < runs_.size(); ++r) {
      GpuRun& run = runs_[r];
      double end = marks_.empty() ? before : marks_[r].end();
      for (const size_t w : run.works) end = std::max(end, trace_.works[w].end());
      if (marks_.empty()) {
        for (const size_t c : run.calls) end = std::max(end, trace_.calls[c].call.end());
      }
      run.start = before;
      run.us = std::max(0.0, end - before);
      before = std::max(before, end);
    }
  }

  double earliest() const {
    double first = trace_.works[0].start;
    if (!trace_.calls.empty()) first = std::min(first, trace_.calls[0].call.start);
    if (!trace_.ops.empty()) first = std::min(first, trace_.ops[0].op.start);
    return first;
  }

  // The same work of all runs is one step: the k-th kernel of that name that the n-th operator of
  // that name launched. Where neither runs nor operators are told, all kernels of a name are one.
  void add_steps() {
    std::vector<std::vector<double>> step_us;
    std::vector<double> whole_ms;
    for (size_t r = 0; r < runs_.size(); ++r) {
      whole_ms.push_back(runs_[r].us * 1e-3);
      const std::map<size_t, double> own_us = own_times(runs_[r]);
      for (const auto& [step, work] : steps_of_run(runs_[r])) {
        if (step >= step_us.size()) step_us.resize(step + 1, std::vector<double>(runs_.size()));
        step_us[step][r] += own_us.at(work);
      }
    }
    add_runs(std::move(whole_ms), step_us, profile_);
  }

  // Of every work. Kernels that run at once, on streams of their own, have equal parts of the time:
  // together they take no longer than the GPU did. Copies beside them have all of theirs.
  std::map<size_t, double> own_times(const GpuRun& run) {
    struct Edge {
      double at;
      int change;  // Of the number of kernels, or of copies, that run.
      size_t work;
    };
    std::map<size_t, double> own;
    std::vector<Edge> edges;
    for (const size_t w : run.works) {
      const GpuWork& work = trace_.works[w];
      own[w] = work.us;
      edges.push_back({work.start, 1, w});
      edges.push_back({work.end(), -1, w});
    }
    std::ranges::stable_sort(edges, {}, &Edge::at);
    double part = 0;  // That one kernel had if it ran from the beginning.
    double before = 0;
    int running = 0;
    int copying = 0;
    for (const Edge& edge : edges) {
      if (running > 0) part += (edge.at - before) / running;
      shares_time_ = shares_time_ || (running > 1 && edge.at > before);
      copies_beside_ = copies_beside_ || (running > 0 && copying > 0 && edge.at > before);
      before = edge.at;
      if (!trace_.works[edge.work].kernel) {
        copying += edge.change;
        continue;
      }
      running += edge.change;
      own[edge.work] = edge.change > 0 ? part : part - own[edge.work];
    }
    return own;
  }

  // Numbers what one run has of each name.
  struct Numbering {
    std::map<std::string, std::map<size_t, size_t>> operators;  // Name: operator: number.
    std::map<std::string, size_t> alone;                        // Works without an operator.
    std::map<std::pair<std::string, std::string>, size_t> kernels;
  };

  std::vector<std::pair<size_t, size_t>> steps_of_run(const GpuRun& run) {
    Numbering numbers;
    std::vector<std::pair<size_t, size_t>> steps;
    for (const size_t w : run.works) {
      const std::string layer = layer_of_work(w, numbers);
      const std::string& name = trace_.works[w].name;
      const size_t occurrence = told_apart() ? numbers.kernels[{layer, name}]++ : 0;
      const auto [found, is_new] =
          steps_.try_emplace({layer, name, occurrence}, profile_.steps.size());
      if (is_new) add_work(w, layer);
      steps.emplace_back(found->second, w);
    }
    return steps;
  }

  std::string layer_of_work(size_t w, Numbering& numbers) const {
    const size_t call = trace_.caller[w];
    const size_t op = call == OrderedTrace::kNoCall ? ~size_t{0} : trace_.calls[call].outer;
    if (op == ~size_t{0}) {
      const std::string name = short_name_of(trace_.works[w]);
      return told_apart() ? str(name, " ", ++numbers.alone[name]) : name;
    }
    const std::string& name = trace_.ops[op].op.name;
    std::map<size_t, size_t>& known = numbers.operators[name];
    return str(name, " ", known.try_emplace(op, known.size() + 1).first->second);
  }

  bool told_apart() const { return !marks_.empty() || !trace_.ops.empty(); }

  static std::string short_name_of(const GpuWork& work) {
    if (!work.copy.empty()) return str(kCopyWork, " ", work.copy);
    return work.kernel ? short_kernel_name(work.name) : work.name;
  }

  static StepKind kind_of_work(const GpuWork& work) {
    if (work.kernel) return kind_of_gpu_kernel(work.name);
    StepKind kind{.family = StepFamily::Movement, .work = work.name};
    if (work.copy.empty()) return kind;
    kind.work = kCopyWork;
    kind.variant = work.copy;
    return kind;
  }

  // Kernels of one operator are one layer.
  void add_work(size_t w, const std::string& layer) {
    const GpuWork& work = trace_.works[w];
    StepProfile step;
    step.name = layer;
    step.kind = kind_of_work(work);
    step.counters = work.counters;
    const size_t call = trace_.caller[w];
    if (call != OrderedTrace::kNoCall && trace_.calls[call].inner != ~size_t{0}) {
      const HostOp& op = trace_.ops[trace_.calls[call].inner].op;
      step.op = op.name;
      tell_copy_by_operator(trace_.ops[trace_.calls[call].outer].op.name, step.kind);
      if (step.kind.family == StepFamily::Product) step.macs = op.macs;
      step.flops = 2 * step.macs;
      // What takes each value by itself gives as many as its largest operand has.
      const bool by_value =
          step.kind.family == StepFamily::Elementwise || step.kind.family == StepFamily::Conversion;
      if (by_value) step.output = op.extents;
    }
    if (step.op.empty()) step.op = work.kernel ? "kernel" : "copy";
    step.read_bytes = work.bytes;
    const auto [group, is_new] = groups_.try_emplace(layer, profile_.layers.size());
    if (is_new) return add_step(std::move(step), profile_);
    LayerGroup& same = profile_.layers[group->second];
    same.steps.push_back(profile_.steps.size());
    step.sources = same.sources;
    profile_.steps.push_back(std::move(step));
  }

  // One track for each stream, as they come, and one that says for whom the GPU waits.
  void add_timeline() {
    const GpuRun& run = runs_[middle_run(profile_.samples_ms)];
    GpuRunTimes times = times_of(trace_, run);
    std::map<int64_t, int> streams;
    std::vector<TimelineEvent> events;
    for (const auto& [step, w] : steps_of_run(run)) {
      const GpuWork& work = trace_.works[w];
      const auto number = static_cast<int>(streams.size());
      const auto [stream, is_new] = streams.try_emplace(work.stream, number);
      if (is_new) profile_.tracks.push_back(str("stream ", work.stream));
      events.push_back({step, stream->second, std::max(0.0, work.start - run.start), work.us});
    }
    const auto idle_track = static_cast<int>(profile_.tracks.size());
    profile_.tracks.emplace_back("GPU idle");
    add_idle_times(times.idle, run, idle_track, events);
    profile_.timeline = std::move(events);
    const GpuTimeline known = profile_.gpu.value_or(GpuTimeline());
    profile_.gpu = std::move(times.sums);
    profile_.gpu->gpu = known.gpu;
    profile_.gpu->capability = known.capability;
    profile_.gpu->processors = known.processors;
  }

  // They are of the step that the GPU waits for; of the last one when none follows.
  static void add_idle_times(const std::vector<GpuIdle>& idle, const GpuRun& run, int track,
                             std::vector<TimelineEvent>& events) {
    const size_t works = events.size();
    size_t next = 0;
    for (const GpuIdle& one : idle) {
      const double start = one.start - run.start;
      while (next + 1 < works && events[next].start_us < start) ++next;
      events.push_back({events[next].step, track, std::max(0.0, start), one.us, one.cause});
    }
  }

  void say_what_a_run_is(size_t all, bool apart) {
    if (marks_.empty()) {
      profile_.notes.push_back("the trace marks no runs: all of it counts as one");
      return;
    }
    profile_.notes.push_back(str("a run is one '", repeated_name(marks_[0].name),
                                 "', from the end of the one before to its own end on host and "
                                 "GPU"));
    if (apart) profile_.notes.push_back(str("the first of ", all, " runs is kept apart"));
  }

  std::vector<TraceMark> marks_;
  OrderedTrace trace_;
  Profile profile_;
  bool shares_time_ = false;    // Kernels ran at once.
  bool copies_beside_ = false;  // A copy ran while a kernel did.
  std::vector<GpuRun> runs_;
  std::map<std::tuple<std::string, std::string, size_t>, size_t> steps_;
  std::map<std::string, size_t> groups_;
};

}  // namespace

int64_t keep_busiest_gpu(GpuTrace& trace, std::string& note) {
  std::map<int64_t, double> busy;
  for (const GpuWork& work : trace.works) busy[work.gpu] += work.us;
  const auto most = std::ranges::max_element(busy, {}, [](const auto& gpu) { return gpu.second; });
  if (most == busy.end()) return 0;
  std::erase_if(trace.works, [&](const GpuWork& work) { return work.gpu != most->first; });
  if (busy.size() > 1) {
    note = str("of ", busy.size(), " GPUs that which was busiest, number ", most->first);
  }
  return most->first;
}

Result<Profile> profile_of_trace(GpuTrace trace, Profile profile) {
  return TraceProfiler(std::move(trace), std::move(profile)).finished();
}

}  // namespace hone
