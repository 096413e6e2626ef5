// A team of threads for work of microseconds: a step of a network, cut into tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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

  // What there is to do, on a cache line of its own: who sees the round sees all of it.
  struct alignas(64) Order {
    std::atomic<unsigned> round = 0;  // Odd while there is work.
    // Written while it is even and nobody is at work.
    Call call = nullptr;
    const void* fn = nullptr;
    size_t tasks = 0;
    bool recording = false;
  };
  // A worker's own cache line. Others read it when they have nothing else to do.
  struct alignas(64) Place {
    std::atomic<unsigned> at = 0;  // The round that the worker is at; even for none.
    // How many of its tasks are taken, and in the upper half the round that this is about.
    std::atomic<uint64_t> taken = 0;
  };

  void run_all(size_t tasks, Call call_fn, const void* fn);
  void take_tasks(size_t worker, unsigned round);
  void take_from(size_t owner, size_t worker, unsigned round);
  void work(size_t worker, unsigned round);
  void await(unsigned seen);  // Until another round.
  bool enter(size_t worker, unsigned round);
  void serve(size_t worker);

  bool recording_ = false;
  Order order_;
  std::vector<Place> places_;  // By worker.
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
