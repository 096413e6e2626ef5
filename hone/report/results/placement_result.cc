#include "hone/report/results/placement_result.h"

#include "hone/profile/json_schema.h"
#include "hone/report/results/result_json.h"

namespace hone {

template <class Fields>
void visit_fields(Fields& f, HostNode& n) {
  f("node", n.node);
  f("op", n.op);
  f("reason", n.reason);
  f("change", n.change);
  f("boundary_bytes", n.boundary_bytes);
  f("boundary_us", n.boundary_us);
}

template <class Fields>
void visit_fields(Fields& f, PlacedOperator& p) {
  f("op", p.op);
  f("on_device", p.on_device);
  f("on_host", p.on_host);
}

template <class Fields>
void visit_fields(Fields& f, PlacementResult& r) {
  f("target", r.target);
  f("mode", r.mode);
  f("compile_seconds", r.compile_seconds);
  f("steps", r.steps);
  f("nodes_on_device", r.nodes_on_device);
  f("nodes_on_host", r.nodes_on_host);
  f("operators", r.operators);
  f("host", r.host);
  f("arena_bytes", r.arena_bytes);
  f("weight_bytes", r.weight_bytes);
  f("latency", r.latency);
  f("counters", r.counters);
  f("engines", r.engines);
  f("energy", r.energy);
  f("memory", r.memory);
  f("notes", r.notes);
  f("files", r.files);
}

Json placement_schema() {
  return result_schema_of<PlacementResult>("placement");
}

Json placement_to_json(const PlacementResult& result) {
  PlacementResult copy = result;
  JsonWriter writer{.json = {{"kind", "placement"}}};
  visit_fields(writer, copy);
  return without_nulls(writer.json);
}

Result<PlacementResult> placement_from_json(const Json& results) {
  return read_fields<PlacementResult>(results);
}

}  // namespace hone
