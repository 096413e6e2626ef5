// A team of threads for work of microseconds: a step of a network, cut into tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <span>
#include <thread>
#include <vector>

namespace hone {

// Threads that wait for work by spinning, politely after a short while, and sleep in the end. One
// run at a time; several teams may work side by side. Running allocates nothing.
class Workers {
 public:
  // `threads` in all, the caller's among them; at least 1.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  size_t threads() const { return others_.size() + 1; }

  // Keeps account of the seconds each thread works on shared tasks, from now on. Costs two looks at
  // the clock per thread and run. Work of a single task is the caller's alone and is not counted.
  void record_busy(bool record) { recording_ = record; }
  // By thread, the caller's first; as of the end of the last run.
  std::span<const double> busy_seconds();

  // Calls fn(task, worker) for every task < tasks, each once, in no fixed order; returns when all
  // are done. `worker` < threads() says whose scratch memory to use. Every worker starts with tasks
  // of its own, the first with the first ones and so on: what a task reads was most likely written
  // by the same worker, a step before, and is in its cache. What a task throws, the first
  // if several do, is thrown again here, once no task is at work any more; some may then not have
  // been called.
  template <class Fn>
  void run(size_t tasks, const Fn& fn) {
    if (others_.empty() || tasks <= 1) {
      for (size_t task = 0; task < tasks; ++task) fn(task, size_t{0});
      return;
    }
    run_all(tasks, &call<Fn>, &fn);
  }

 private:
  using Call = void (*)(const void* fn, size_t task, size_t worker);
  template <class Fn>
  static void call(const void* fn, size_t task, size_t worker) {
    (*static_cast<const Fn*>(fn))(task, worker);
  }

  // Tasks next .. end - 1, on a cache line of their own.
  struct alignas(64) Share {
    std::atomic<size_t> next = 0;
    size_t end = 0;
  };

  void run_all(size_t tasks, Call call_fn, const void* fn);
  void share_out(size_t tasks);
  void take_tasks(size_t worker);
  void take_from(Share& share, size_t worker);
  void work(size_t worker);
  void await(unsigned seen);  // Until another round.
  bool enter();
  void serve(size_t worker);

  // Written before `round_` goes up, read after.
  Call call_ = nullptr;
  const void* fn_ = nullptr;
  bool recording_ = false;

  std::vector<Share> shares_;  // By worker. Who is through with its own takes from the others'.
  // On cache lines of their own: all threads write them.
  // Whether there is work, and how many other threads are at it. Those that come late, having no
  // CPU, are not waited for.
  alignas(64) std::atomic<unsigned> gate_ = 0;
  alignas(64) std::atomic<unsigned> round_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;  // Written by whoever sets failed_, read when all are done.
  struct alignas(64) Busy {
    double seconds = 0;
  };
  std::vector<Busy> busy_time_;    // Each written by its own thread.
  std::vector<double> busy_copy_;  // What busy_seconds() shows.
  std::vector<std::thread> others_;
};

}  // namespace hone
