// What the sessions of one model run: a program, or, where the model leaves extents of its inputs
// open, a few, one for the extents of each of the inputs they were given last. Without those most
// layers have no kernel.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "hone/base/result.h"
#include "hone/library/state.h"
#include "hone/workbench/profile_model.h"

namespace hone::v1 {

// May be asked by several threads at once.
class Programs {
 public:
  // Sessions keep memory for as many.
  static constexpr size_t kMost = 4;

  // Compiles it, unless extents are open.
  static Result<std::shared_ptr<Programs>> make(std::shared_ptr<const Model::State> model,
                                                ProfileRequest request);

  // Null where extents are open.
  const std::shared_ptr<const Program>& only() const { return only_; }
  // What inputs have to be.
  const Graph& interface() const;
  // The one for inputs of these extents. Threads that need the same wait for whoever compiles it.
  Result<std::shared_ptr<const Program>> find(const std::vector<Item>& inputs);

 private:
  // Empty until somebody has compiled it.
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const Program> program;  // Guarded by the mutex.
  };
  struct Kept {
    std::vector<Shape> shapes;
    std::shared_ptr<Slot> slot;
  };

  Result<std::shared_ptr<const Program>> compile(const Model::State& model,
                                                 const std::vector<Item>& inputs) const;
  std::shared_ptr<Slot> slot_for(std::vector<Shape> shapes);

  ProfileRequest request_;
  std::shared_ptr<const Program> only_;        // Of a model without open extents;
  std::shared_ptr<const Model::State> model_;  // one with open extents.
  std::mutex mutex_;
  std::list<Kept> kept_;  // Guarded by the mutex; what was asked for last is first.
};

}  // namespace hone::v1
