#include "hone/report/results/quantization_result.h"

#include "hone/profile/json_schema.h"
#include "hone/report/results/result_json.h"

namespace hone {

template <class Fields>
void visit_fields(Fields& f, QuantizationTrial& t) {
  f("metric", t.metric);
  f("drop", t.drop);
  f("agreement", t.agreement);
  f("sqnr_db", t.sqnr_db);
  f("tried", t.tried);
  f("seconds", t.seconds);
}

template <class Fields>
void visit_fields(Fields& f, SensitiveLayer& l) {
  f("layer", l.layer);
  f("op", l.op);
  f("sqnr_db", l.sqnr_db);
}

template <class Fields>
void visit_fields(Fields& f, SparedLayers& s) {
  f("spared", s.spared);
  f("evaluations", s.evaluations);
  f("gain_given_up_us", s.gain_given_up_us);
  f("mode", s.mode);
}

template <class Fields>
void visit_fields(Fields& f, QuantizationResult& q) {
  f("file", q.file);
  f("changed", q.changed);
  f("changed_to", q.changed_to);
  f("target", q.target);
  f("metric", q.metric);
  f("float", q.reference);
  f("calibrated_on", q.calibrated_on);
  f("judged_on", q.judged_on);
  f("judged_on_calibration", q.judged_on_calibration);
  f("notes", q.notes);
  f("layers", q.layers);
  f("float_layers", q.float_layers);
  f("quantized_in_float", q.in_float);
  f("constant_bytes_before", q.bytes_before);
  f("constant_bytes_after", q.bytes_after);
  f("holds", q.holds);
  f("trials", q.trials);
  f("sensitivity", q.sensitivity);
  f("mixed", q.mixed);
}

// Where only the type of floats changed, there is nothing to tell of layers and samples.
Json quantization_schema() {
  Json schema = result_schema_of<QuantizationResult>("quantization");
  schema["required"] = {"kind", "file"};
  for (const char* list : {"trials", "sensitivity"})
    schema["properties"][list]["items"].erase("required");
  return schema;
}

Json quantization_to_json(const QuantizationResult& result) {
  if (result.changed) {
    return {{"kind", "quantization"},
            {"file", result.file},
            {"changed", *result.changed},
            {"changed_to", result.changed_to}};
  }
  QuantizationResult copy = result;
  JsonWriter writer{.json = {{"kind", "quantization"}}};
  visit_fields(writer, copy);
  writer.json.erase("changed_to");
  for (const char* list : {"trials", "sensitivity"}) {
    for (Json& entry : writer.json[list]) entry = without_nulls(entry);
  }
  return without_nulls(writer.json);
}

Result<QuantizationResult> quantization_from_json(const Json& results) {
  return read_fields<QuantizationResult>(results);
}

}  // namespace hone
