#include "hone/library/programs.h"

#include <algorithm>

#include "hone/workbench/workbench.h"

namespace hone::v1 {
namespace {

bool leaves_extents_open(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [](const Value* input) {
    return input->type.is_tensor() && !input->type.tensor.known();
  });
}

std::vector<Shape> shapes_of(const std::vector<Item>& inputs) {
  std::vector<Shape> shapes;
  for (const Item& input : inputs) shapes.push_back(input.tensor.shape());
  return shapes;
}

}  // namespace

Result<std::shared_ptr<Programs>> Programs::make(std::shared_ptr<const Model::State> model,
                                                 ProfileRequest request) {
  auto programs = std::make_shared<Programs>();
  programs->request_ = std::move(request);
  if (leaves_extents_open(model->model.graph)) {
    programs->model_ = std::move(model);
  } else {
    HONE_TRY(programs->only_, programs->compile(*model, {}));
  }
  return programs;
}

const Graph& Programs::interface() const {
  return only_ ? only_->graph() : model_->model.graph;
}

Result<std::shared_ptr<const Program>> Programs::compile(const Model::State& model,
                                                         const std::vector<Item>& inputs) const {
  hone::Model copy;
  copy.name = model.model.name;
  copy.keeps_types = model.model.keeps_types;
  copy.graph = std::move(*model.model.graph.clone());
  if (!inputs.empty()) HONE_RETURN_IF_ERROR(close_extents(copy.graph, inputs).in(copy.name));
  HONE_TRY(Compiled compiled, compile_model(copy, request_).in(copy.name));
  return std::shared_ptr<const Program>(std::move(compiled.program));
}

std::shared_ptr<Programs::Slot> Programs::slot_for(std::vector<Shape> shapes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, shapes, &Kept::shapes);
  if (found == kept_.end()) {
    kept_.push_front({std::move(shapes), std::make_shared<Slot>()});
    if (kept_.size() > kMost) kept_.pop_back();
  } else {
    kept_.splice(kept_.begin(), kept_, found);
  }
  return kept_.front().slot;
}

Result<std::shared_ptr<const Program>> Programs::find(const std::vector<Item>& inputs) {
  if (only_) return only_;
  const std::shared_ptr<Slot> slot = slot_for(shapes_of(inputs));
  const std::lock_guard lock(slot->mutex);
  if (!slot->program) {
    HONE_TRY(slot->program, compile(*model_, inputs));
  }
  return slot->program;
}

}  // namespace hone::v1
