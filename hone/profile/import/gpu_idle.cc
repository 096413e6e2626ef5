#include "hone/profile/import/gpu_idle.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "hone/base/str.h"

namespace hone {
namespace {

// Between two calls of a host that only launches lie its interpreter and one operator: 5 to 60 us,
// with a profiler on. A host that leaves the GPU alone for longer does something else.
constexpr double kLongestLaunchUs = 250;
// Launching a CUDA graph takes about as long as launching a few kernels.
constexpr int64_t kGraphWorthKernels = 16;

bool says(const std::string& name, std::string_view word) {
  return name.find(word) != std::string::npos;
}

bool is_pageable(std::string_view copy) {
  return copy.find("pageable") != std::string_view::npos;
}

// Takes memory or gives it back: cudaMalloc, cudaFree, cudaHostAlloc, cuMemAlloc, cuMemUnmap. What
// comes out of a pool (cudaMallocAsync) asks nobody.
bool is_about_memory(const std::string& name) {
  constexpr std::array<std::string_view, 8> kWords = {
      "Malloc", "Free", "HostAlloc", "HostRegister", "MemAlloc", "MemCreate", "MemMap", "MemUnmap"};
  return !says(name, "Async") &&
         std::ranges::any_of(kWords, [&](std::string_view word) { return says(name, word); });
}

bool loads_data(const HostOp& op) {
  return says(op.name, "DataLoader");
}

CallKind kind_of_call(const std::string& name, std::string_view copy) {
  if (says(name, "Synchronize")) return CallKind::Wait;
  if (says(name, "GraphLaunch")) return CallKind::Graph;
  if (copy.starts_with("HtoD")) return CallKind::CopyIn;
  if (copy.starts_with("DtoH")) return CallKind::CopyOut;
  if (is_about_memory(name)) return CallKind::Memory;
  const bool asks = says(name, "Launch") || says(name, "Memcpy") || says(name, "Memset");
  return asks ? CallKind::Launch : CallKind::Other;
}

bool asks_or_waits(CallKind kind) {
  return kind != CallKind::Other && kind != CallKind::Memory;
}

// Operators enclose what begins in them: one stack a thread.
void find_operators(OrderedTrace& trace) {
  for (const auto& [thread, calls] : trace.thread_calls) {
    const std::vector<size_t>& ops = trace.thread_ops[thread];
    std::vector<size_t> open;
    size_t next = 0;
    const auto close_until = [&](double time) {
      while (!open.empty() && trace.ops[open.back()].op.end() <= time) open.pop_back();
    };
    const auto open_until = [&](double time) {
      for (; next < ops.size() && trace.ops[ops[next]].op.start <= time; ++next) {
        close_until(trace.ops[ops[next]].op.start);
        trace.ops[ops[next]].outermost = open.empty();
        open.push_back(ops[next]);
      }
    };
    for (const size_t c : calls) {
      KnownCall& known = trace.calls[c];
      open_until(known.call.start);
      close_until(known.call.start);
      if (open.empty()) continue;
      known.outer = open.front();
      known.inner = open.back();
    }
    if (!ops.empty()) open_until(trace.ops[ops.back()].op.start);
  }
}

// A copy into pinned memory is waited for only if the next call does so.
void find_copies_nobody_waits_for(OrderedTrace& trace, const std::vector<bool>& pageable) {
  for (const auto& [thread, calls] : trace.thread_calls) {
    CallKind next = CallKind::Other;
    for (auto c = calls.rbegin(); c != calls.rend(); ++c) {
      KnownCall& known = trace.calls[*c];
      const bool waits = pageable[*c] || next == CallKind::Wait;
      if (known.kind == CallKind::CopyOut && !waits) known.kind = CallKind::Launch;
      if (asks_or_waits(known.kind)) next = known.kind;
    }
  }
}

class IdleReader {
 public:
  IdleReader(const OrderedTrace& trace, const GpuRun& run) : trace_(trace), run_(run) {
    find_stretches();
  }

  GpuRunTimes read() {
    out_.run_us = run_.us;
    double free = run_.start;
    size_t before = OrderedTrace::kNoCall;  // The call that asked for the work before.
    for (const size_t w : run_.works) {
      const GpuWork& work = trace_.works[w];
      const size_t caller = trace_.caller[w];
      const bool goes_on = caller == std::exchange(before, caller) && is_graph(caller);
      if (work.start > free && goes_on) add_idle(kInGraph, free, work.start);
      if (work.start > free && !goes_on) add_gap(free, work.start, caller);
      out_.busy_us += std::max(0.0, work.end() - std::max(free, work.start));
      free = std::max(free, work.end());
      if (work.kernel) ++out_.kernels;
      if (!work.copy.empty()) add_cost(out_.copies, work.copy, work.us, work.bytes);
    }
    if (run_.end() > free) add_gap(free, run_.end(), OrderedTrace::kNoCall);
    add_waits();
    add_preparing();
    out_.recorded = recorded_between(run_.start, run_.end());
    for (std::vector<GpuCost>* costs :
         {&out_.waits, &out_.allocations, &out_.copies, &out_.host_work}) {
      std::ranges::stable_sort(*costs, std::ranges::greater{}, &GpuCost::us);
    }
    return {std::move(out_), std::move(idle_)};
  }

 private:
  static GpuCost& add_cost(std::vector<GpuCost>& costs, const std::string& what, double us,
                           uint64_t bytes) {
    auto found = std::ranges::find(costs, what, &GpuCost::what);
    if (found == costs.end()) found = costs.insert(costs.end(), GpuCost{.what = what});
    ++found->count;
    found->us += us;
    found->bytes += bytes;
    return *found;
  }

  bool is_graph(size_t caller) const {
    return caller != OrderedTrace::kNoCall && trace_.calls[caller].kind == CallKind::Graph;
  }

  static bool waits(CallKind kind) { return kind == CallKind::Wait || kind == CallKind::CopyOut; }

  // Launches without a call between them that a graph cannot hold.
  void find_stretches() {
    std::map<size_t, size_t> stretch_of;
    std::vector<int64_t> kernels = {0};
    for (const size_t c : run_.calls) {
      const CallKind kind = trace_.calls[c].kind;
      const bool breaks = waits(kind) || kind == CallKind::CopyIn || kind == CallKind::Memory;
      if (breaks) kernels.push_back(0);
      if (kind != CallKind::Launch) continue;
      ++kernels.back();
      stretch_of[c] = kernels.size() - 1;
    }
    for (const auto& [call, stretch] : stretch_of) {
      if (kernels[stretch] >= kGraphWorthKernels) capturable_.insert(call);
    }
    out_.capturable = static_cast<int64_t>(capturable_.size());
  }

  // From when the GPU was done to when it began again, by what the host did in between.
  void add_gap(double from, double to, size_t caller) {
    if (trace_.calls.empty()) return add_idle(kUnknown, from, to);
    const int64_t thread =
        caller != OrderedTrace::kNoCall ? trace_.calls[caller].call.thread : main_thread();
    const auto calls = trace_.thread_calls.find(thread);
    const double asked = caller == OrderedTrace::kNoCall
                             ? to
                             : std::clamp(trace_.calls[caller].call.end(), from, to);
    double at = from;
    if (calls != trace_.thread_calls.end()) at = add_host_time(from, asked, calls->second, caller);
    add_launching(at, to, caller);
  }

  int64_t main_thread() const {
    return run_.calls.empty() ? 0 : trace_.calls[run_.calls.back()].call.thread;
  }

  // Calls of one thread, and what lies between them, until `to`. Gives how far it came.
  double add_host_time(double from, double to, const std::vector<size_t>& calls, size_t caller) {
    const auto call = [&](auto c) -> const GpuCall& { return trace_.calls[*c].call; };
    auto next = std::ranges::partition_point(
        calls, [&](size_t c) { return trace_.calls[c].call.end() <= from; });
    double at = from;
    while (at < to) {
      const double before =
          next == calls.begin() ? run_.start : std::max(run_.start, call(std::prev(next)).end());
      const double begins = next == calls.end() ? run_.end() : call(next).start;
      if (begins > at) {
        add_between({at, std::min(to, begins) - at}, begins - before, calls, next, caller);
        at = std::min(to, begins);
      }
      if (next == calls.end() || at >= to) break;
      const double ends = std::clamp(call(next).end(), at, to);
      add_call(at, ends, trace_.calls[*next].kind, caller);
      at = ends;
      ++next;
    }
    return at;
  }

  void add_call(double from, double to, CallKind kind, size_t caller) {
    if (waits(kind)) {
      add_idle(kWaiting, from, to);
    } else if (kind == CallKind::CopyIn) {
      add_idle(kCopying, from, to);
    } else if (kind == CallKind::Memory) {
      add_idle(kAllocating, from, to);
    } else {
      add_launching(from, to, caller);
    }
  }

  void add_between(TraceSpan part, double whole_us, const std::vector<size_t>& calls,
                   std::vector<size_t>::const_iterator next, size_t caller) {
    if (whole_us <= kLongestLaunchUs) return add_launching(part.start, part.end(), caller);
    while (next != calls.end() && !asks_or_waits(trace_.calls[*next].kind)) ++next;
    const bool copies = next != calls.end() && trace_.calls[*next].kind == CallKind::CopyIn &&
                        trace_.calls[*next].call.start < run_.end();
    const int64_t thread = next != calls.end() ? trace_.calls[*next].call.thread : main_thread();
    const bool loads = add_host_work(part, thread);
    add_idle(copies || loads ? kLoading : kHostWork, part.start, part.end());
  }

  // Operators of the host, and what is in none of them. True when one loads data by its name.
  bool add_host_work(TraceSpan part, int64_t thread) {
    bool loads = false;
    double rest = part.us;
    const auto ops = trace_.thread_ops.find(thread);
    const std::vector<size_t> none;
    for (const size_t o : ops == trace_.thread_ops.end() ? none : ops->second) {
      const HostOp& op = trace_.ops[o].op;
      if (op.start >= part.end()) break;
      const double us = std::min(op.end(), part.end()) - std::max(op.start, part.start);
      if (!trace_.ops[o].outermost || us <= 0) continue;
      add_cost(out_.host_work, op.name, us, 0);
      loads = loads || loads_data(op);
      rest -= us;
    }
    if (rest > 0) add_cost(out_.host_work, "outside operators", rest, 0);
    return loads;
  }

  struct Cause {
    const char* name;
    double GpuTimeline::*sum;
  };
  static constexpr Cause kLaunching = {"launching", &GpuTimeline::launching_us};
  static constexpr Cause kWaiting = {"waiting", &GpuTimeline::waiting_us};
  static constexpr Cause kCopying = {"feeding a copy", &GpuTimeline::copying_us};
  static constexpr Cause kLoading = {"data being prepared", &GpuTimeline::loading_us};
  static constexpr Cause kAllocating = {"taking memory", &GpuTimeline::allocating_us};
  static constexpr Cause kHostWork = {"other work of the host", &GpuTimeline::host_us};
  static constexpr Cause kInGraph = {"inside a CUDA graph", &GpuTimeline::graph_us};
  static constexpr Cause kUnknown = {"not explained", &GpuTimeline::unknown_us};

  // What follows without a break and for the same reason is one stretch.
  void add_idle(const Cause& cause, double from, double to) {
    if (to <= from) return;
    out_.*cause.sum += to - from;
    const bool goes_on =
        !idle_.empty() && idle_.back().cause == cause.name && idle_.back().end() >= from;
    if (goes_on) {
      idle_.back().us = to - idle_.back().start;
    } else {
      idle_.push_back({{from, to - from}, cause.name});
    }
  }

  void add_launching(double from, double to, size_t caller) {
    if (to <= from) return;
    add_idle(kLaunching, from, to);
    if (!capturable_.contains(caller)) return;
    out_.capturable_us += to - from;
    out_.capturable_recorded += recorded_between(from, to);
  }

  // Operators and calls that began then.
  int64_t recorded_between(double from, double to) const {
    const auto count = [&](const auto& list, auto start) {
      const auto first =
          std::ranges::partition_point(list, [&](const auto& x) { return start(x) < from; });
      const auto last =
          std::ranges::partition_point(list, [&](const auto& x) { return start(x) < to; });
      return std::max<int64_t>(0, last - first);
    };
    return count(trace_.ops, [](const KnownOp& o) { return o.op.start; }) +
           count(trace_.calls, [](const KnownCall& c) { return c.call.start; });
  }

  void add_preparing() {
    for (const KnownOp& known : trace_.ops) {
      if (!known.outermost || !loads_data(known.op)) continue;
      const double from = std::max(known.op.start, run_.start);
      out_.preparing_us += std::max(0.0, std::min(known.op.end(), run_.end()) - from);
    }
  }

  // By the operator that waits; its calls are one wait.
  void add_waits() {
    size_t last = ~size_t{0};
    const KnownCall* copy = nullptr;  // The call before, if it copies back outside operators.
    for (const size_t c : run_.calls) {
      const KnownCall& known = trace_.calls[c];
      const KnownCall* before = std::exchange(copy, nullptr);
      if (known.kind == CallKind::Memory) {
        add_cost(out_.allocations, known.call.name, known.call.us, 0);
      }
      if (!waits(known.kind)) continue;
      const bool in_operator = known.outer != ~size_t{0};
      // A copy back and the call that waits for it are one wait.
      const bool of_copy = !in_operator && known.kind == CallKind::Wait && before != nullptr &&
                           before->call.thread == known.call.thread;
      const std::string& name =
          in_operator ? trace_.ops[known.outer].op.name : (of_copy ? *before : known).call.name;
      GpuCost& cost = add_cost(out_.waits, name, known.call.us, 0);
      if (of_copy || (in_operator && known.outer == last)) --cost.count;
      if (!in_operator && known.kind == CallKind::CopyOut) copy = &known;
      last = known.outer;
    }
  }

  const OrderedTrace& trace_;
  const GpuRun& run_;
  std::set<size_t> capturable_;  // Calls.
  GpuTimeline out_;
  std::vector<GpuIdle> idle_;
};

}  // namespace

OrderedTrace in_order(GpuTrace trace) {
  OrderedTrace ordered;
  ordered.works = std::move(trace.works);
  std::ranges::stable_sort(ordered.works, {}, &GpuWork::start);
  std::ranges::stable_sort(trace.calls, {}, &GpuCall::start);
  std::ranges::stable_sort(trace.ops, {},
                           [](const HostOp& op) { return std::pair(op.start, -op.us); });
  std::map<uint64_t, std::string> copy_of;
  for (const GpuWork& work : ordered.works) {
    if (!work.copy.empty()) copy_of[work.correlation] = work.copy;
  }
  std::map<uint64_t, size_t> call_of;
  std::vector<bool> pageable;
  for (GpuCall& call : trace.calls) {
    const size_t index = ordered.calls.size();
    const auto copy = copy_of.find(call.correlation);
    const std::string kind = copy == copy_of.end() ? "" : copy->second;
    pageable.push_back(is_pageable(kind));
    if (call.correlation != 0) call_of.try_emplace(call.correlation, index);
    ordered.thread_calls[call.thread].push_back(index);
    ordered.calls.push_back({.call = std::move(call)});
    ordered.calls.back().kind = kind_of_call(ordered.calls.back().call.name, kind);
  }
  for (HostOp& op : trace.ops) {
    ordered.thread_ops[op.thread].push_back(ordered.ops.size());
    ordered.ops.push_back({.op = std::move(op)});
  }
  for (const GpuWork& work : ordered.works) {
    const auto call = call_of.find(work.correlation);
    ordered.caller.push_back(call == call_of.end() ? OrderedTrace::kNoCall : call->second);
  }
  find_operators(ordered);
  find_copies_nobody_waits_for(ordered, pageable);
  return ordered;
}

GpuRunTimes times_of(const OrderedTrace& trace, const GpuRun& run) {
  return IdleReader(trace, run).read();
}

}  // namespace hone
