#include "hone/report/results/inspection.h"

#include "hone/base/str.h"
#include "hone/profile/json_schema.h"
#include "hone/profile/profile.h"
#include "hone/report/results/result_json.h"

namespace hone {
namespace {

std::string text_of_type(const Value& value) {
  std::string text = str(value.type);
  for (const std::string& dim : value.dims) {
    if (dim.empty()) continue;
    const size_t unknown = text.find('?');
    if (unknown != std::string::npos) text.replace(unknown, 1, dim);
  }
  const auto& quant = value.type.tensor.quant;
  if (quant && quant->per_tensor()) {
    text += str(" scale ", quant->scale(), " zero point ", quant->zero_point());
  } else if (quant) {
    text += str(" quantized per channel of axis ", quant->axis);
  }
  return text;
}

Metric exact(const char* name, double value, const char* unit, const std::string& note) {
  return Metric{.name = name, .value = value, .unit = unit, .mode = Mode::Exact, .note = note};
}

std::vector<Metric> costs_of(const Inspection& i) {
  const std::string note = i.complete ? "" : "a lower bound: some extents are not known";
  return {exact("parameters", static_cast<double>(i.parameters), "", ""),
          exact("weight_bytes", static_cast<double>(i.weight_bytes), "B", ""),
          exact("macs", static_cast<double>(i.macs), "", note),
          exact("flops", static_cast<double>(i.flops), "", note)};
}

template <class T>
void take_cost(const std::vector<Metric>& costs, const char* name, T& cost) {
  const Metric* metric = find_metric(costs, name);
  // What no count can be is none.
  constexpr double kMost = 9e18;
  if (metric == nullptr || !(metric->value.value_or(-1) >= 0) || *metric->value > kMost) return;
  cost = static_cast<T>(*metric->value);
}

}  // namespace

template <class Fields>
void visit_fields(Fields& f, Quantization& q) {
  f("scales", q.scales);
  f("zero_points", q.zero_points);
  f("axis", q.axis);
}

template <class Fields>
void visit_fields(Fields& f, InspectedValue& v) {
  f("name", v.name);
  f("type", v.type);
  f("shape", v.shape);
  f("symbols", v.symbols);
  f("quantization", v.quantization);
  f("text", v.text);
}

template <class Fields>
void visit_fields(Fields& f, InspectedLayer& l) {
  f("name", l.name);
  f("op", l.op);
  f("origins", l.origins);
  f("output", l.output);
  f("reads", l.reads);
  f("parameters", l.parameters);
  f("macs", l.macs);
  f("flops", l.flops);
  f("weight_bytes", l.weight_bytes);
  f("activation_bytes", l.activation_bytes);
}

template <class Fields>
void visit_fields(Fields& f, UnsupportedLayer& l) {
  f("node", l.node);
  f("op", l.op);
  f("reason", l.reason);
}

template <class Fields>
void visit_fields(Fields& f, InspectedTarget& t) {
  f("target", t.target);
  f("unsupported", t.unsupported);
}

template <class Fields>
void visit_fields(Fields& f, References& r) {
  f("count", r.count);
  f("steps", r.steps);
  f("operators", r.ops);
}

template <class Fields>
void visit_fields(Fields& f, MemoryUse& u) {
  f("value", u.value);
  f("type", u.type);
  f("offset", u.offset);
  f("bytes", u.bytes);
  f("in_rows", u.in_rows);
  f("first_step", u.first_step);
  f("last_step", u.last_step);
}

template <class Fields>
void visit_fields(Fields& f, MemorySummary& m) {
  f("weight_bytes", m.weight_bytes);
  f("arena_bytes", m.arena_bytes);
  f("largest_live_bytes", m.largest_live_bytes);
  f("largest_scratch_bytes", m.scratch.most_bytes);
  f("scratch_steps", m.scratch.steps);
  f("buffers", m.buffers);
}

template <class Fields>
void visit_fields(Fields& f, Inspection& i) {
  f("inputs", i.inputs);
  f("outputs", i.outputs);
  f("open_inputs", i.open_inputs);
  f("operators", i.ops);
  f("complete", i.complete);
  std::vector<Metric> costs = costs_of(i);
  f("metrics", costs);
  take_cost(costs, "parameters", i.parameters);
  take_cost(costs, "weight_bytes", i.weight_bytes);
  take_cost(costs, "macs", i.macs);
  take_cost(costs, "flops", i.flops);
  f("targets", i.targets);
  f("references", i.references);
  f("not_counted", i.not_counted);
  f("layers", i.layers);
  f("memory", i.memory);
}

InspectedValue inspected_value(const Value& value) {
  const TensorType& type = value.type.tensor;
  InspectedValue told{.name = value.name,
                      .type = std::string(name_of(type.dtype)),
                      .shape = type.shape,
                      .symbols = value.dims,
                      .text = text_of_type(value)};
  if (type.quant) told.quantization = *type.quant;
  return told;
}

Json inspection_schema() {
  return result_schema_of<Inspection>("inspection");
}

Json inspection_to_json(const Inspection& inspection) {
  Inspection copy = inspection;
  JsonWriter writer{.json = {{"kind", "inspection"}}};
  visit_fields(writer, copy);
  return without_nulls(writer.json);
}

Result<Inspection> inspection_from_json(const Json& results) {
  HONE_TRY(Inspection inspection, read_fields<Inspection>(results));
  for (const InspectedLayer& layer : inspection.layers) {
    for (const size_t read : layer.reads) {
      if (read < inspection.layers.size()) continue;
      return bad_input("layer '", layer.name, "' reads layer ", read, " of ",
                       inspection.layers.size());
    }
  }
  return inspection;
}

}  // namespace hone
