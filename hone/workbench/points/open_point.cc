#include "hone/workbench/points/open_point.h"

#include <algorithm>
#include <map>

#include "hone/base/text.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/targets/device_kind.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

std::string place_of(const FitPoint& point) {
  return point.from.empty() ? point.model : point.from;
}

Error refused_batch(const FitPoint& point, const std::string& why) {
  return bad_input(place_of(point), ": batch is ", point.batch,
                   ", expected one that the model takes: ", why);
}

Error refused_precision(const FitPoint& point, const std::string& why) {
  return bad_input(place_of(point), ": precision is ", point.precision, ", expected ", why);
}

// Of every input that is a batch of what the first is a batch of, with the batch in its place.
std::map<std::string, Shape> batched_shapes(const Graph& graph, int64_t batch) {
  std::map<std::string, Shape> shapes;
  int64_t first = kUnknown;
  for (const Value* input : graph.inputs()) {
    Shape shape = input->type.tensor.shape;
    if (shape.empty()) continue;
    if (shapes.empty()) first = shape[0];
    if (shape[0] != first && shape[0] != kUnknown) continue;
    shape[0] = batch;
    shapes[input->name] = std::move(shape);
  }
  return shapes;
}

bool has_batch(const Graph& graph, int64_t batch) {
  const auto& inputs = graph.inputs();
  return std::ranges::all_of(inputs, [&](const Value* input) {
    const TensorType& type = input->type.tensor;
    return type.known() && (type.shape.empty() || type.shape[0] == batch);
  });
}

// A reshape to a fixed first extent mixes samples.
const Value* output_of_other_batch(const Graph& graph, int64_t batch) {
  for (const Value* output : graph.outputs()) {
    const Shape& shape = output->type.tensor.shape;
    if (!shape.empty() && shape[0] != batch && shape[0] != kUnknown) return output;
  }
  return nullptr;
}

Result<Model> open_at_batch(const FitPoint& point) {
  HONE_TRY(Model model, open_model(point.model).in(place_of(point)));
  if (point.batch == 0 || has_batch(model.graph, point.batch)) {
    if (Status known = check_extents(model.graph); !known.ok()) {
      return bad_input(place_of(point), ": ", point.model, ": ", known.error().message);
    }
    return model;
  }
  const LoadOptions options{.shapes = batched_shapes(model.graph, point.batch)};
  for (const auto& [name, shape] : options.shapes) {
    if (std::ranges::count(shape, kUnknown) == 0) continue;
    return refused_batch(point,
                         str(point.model, ": input '", name, "' has other extents that are open"));
  }
  Result<Model> batched = open_model(point.model, options);
  if (!batched.ok()) return refused_batch(point, batched.error().message);
  if (const Value* output = output_of_other_batch(batched->graph, point.batch)) {
    return refused_batch(point, str(point.model, ": output '", output->name, "' stays of shape ",
                                    text_of(output->type.tensor.shape)));
  }
  return batched;
}

Status check_precision(const FitPoint& point, const Device& device) {
  const std::vector<std::string> known = kind_of(device).fit->precisions(device);
  if (std::ranges::count(known, point.precision) > 0) return Done{};
  return refused_precision(
      point, str("nothing, or what ", device.name, " can be priced in: ", join(known)));
}

Status check_arithmetic(const Graph& graph, const FitPoint& point) {
  const bool integers = point.precision == "int8";
  HONE_TRY(
      const DeviceProgram program,
      device_program(std::move(*graph.clone()), {.floats = integers ? "fp32" : point.precision})
          .in(point.model));
  const std::string computes = main_precision(program);
  if (computes == point.precision) return Done{};
  return refused_precision(point, str(computes, ", which ", point.model, " computes in"));
}

Result<Model> quantized_for(const Device& device, const FitPoint& point, const Model& model) {
  const TargetDef target{.name = device.name,
                         .summary = {},
                         .mode = kind_of(device).mode,
                         .open = {},
                         .integers = kind_of(device).integers(device)};
  return quantize_for_device(model, target, nullptr).in(place_of(point));
}

}  // namespace

Result<Graph> open_point(const FitPoint& point, const Device& device) {
  HONE_TRY(Model model, open_at_batch(point));
  if (point.precision.empty()) return std::move(model.graph);
  HONE_RETURN_IF_ERROR(check_precision(point, device));
  if (point.precision == "int8" && !check_arithmetic(model.graph, point).ok()) {
    HONE_TRY(model, quantized_for(device, point, model));
  }
  HONE_RETURN_IF_ERROR(check_arithmetic(model.graph, point));
  return std::move(model.graph);
}

}  // namespace hone
