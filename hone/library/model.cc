#include "hone/base/version.h"
#include "hone/library/inside.h"
#include "hone/library/state.h"
#include "hone/workbench/summary.h"
#include "hone/workbench/workbench.h"

namespace hone::v1 {
namespace {

TensorInfo info_of(const Value& value) {
  const TensorType& type = value.type.tensor;
  TensorInfo info{
      .name = value.name, .type = std::string(name_of(type.dtype)), .shape = type.shape};
  if (type.quantized() && type.quant->per_tensor()) {
    info.scale = type.quant->scale();
    info.zero_point = type.quant->zero_point();
  }
  return info;
}

std::vector<TensorInfo> infos_of(std::span<Value* const> values) {
  std::vector<TensorInfo> infos;
  for (const Value* value : values) infos.push_back(info_of(*value));
  return infos;
}

}  // namespace

std::string_view version() {
  return hone::version();
}

Model open(const std::string& spec, const std::vector<std::string>& shapes) {
  LoadOptions options;
  for (const std::string& shape : shapes) options.shapes.insert(unwrap(parse_shape_binding(shape)));
  auto state = std::make_shared<Model::State>();
  state->spec = spec;
  state->shapes = shapes;
  state->model = unwrap(open_model(spec, options));
  return Model(std::move(state));
}

const std::string& Model::spec() const {
  return state_->spec;
}

const std::vector<std::string>& Model::shapes() const {
  return state_->shapes;
}

std::vector<TensorInfo> Model::inputs() const {
  return infos_of(state_->model.graph.inputs());
}

std::vector<TensorInfo> Model::outputs() const {
  return infos_of(state_->model.graph.outputs());
}

int64_t Model::parameters() const {
  return summarize(state_->model.graph).parameters;
}

int64_t Model::macs() const {
  return summarize(state_->model.graph).macs;
}

}  // namespace hone::v1
