#include "hone/report/results/listening_json.h"

#include "hone/report/results/result_json.h"

namespace hone {
namespace {

// What the file holds, in its own words.
struct PlacementFields {
  Spread mw = {};
  Spread hours = {};
  PlacementPower parts = {};
};

struct SensitivityFields {
  std::string assumption = {};
  std::string unit = {};
  double low = 0;
  double high = 0;
  double at_low = 0;
  double at_high = 0;
  std::optional<double> crossing = {};  // In the assumption's unit.
};

struct AssumptionFields {
  std::string assumption = {};
  std::string unit = {};
  double value = 0;
  double low = 0;
  double high = 0;
  std::string source = {};
};

struct ListeningFields {
  std::string model = {};
  std::string device = {};
  std::string system = {};
  PlacementFields cpu = {};
  PlacementFields dsp = {};
  Spread ratio = {};
  Spread added_ratio = {};
  double wanted = 0;
  std::optional<double> break_even = {};
  double battery_mwh = 0;
  std::vector<MinuteState> minute = {};
  std::vector<SensitivityFields> sensitivity = {};
  std::vector<AssumptionFields> assumptions = {};
};

}  // namespace

template <class Fields>
void visit_fields(Fields& f, Spread& s) {
  f("value", s.value);
  f("low", s.low);
  f("high", s.high);
  f("least", s.least);
  f("most", s.most);
  Mode mode = Mode::Predicted;
  f("mode", mode);
}

template <class Fields>
void visit_fields(Fields& f, PlacementPower& p) {
  f("asleep", p.asleep);
  f("microphone", p.microphone);
  f("waiting", p.waiting);
  f("computing", p.computing);
  f("acting", p.acting);
}

template <class Fields>
void visit_fields(Fields& f, PlacementFields& p) {
  f("mw", p.mw);
  f("battery_hours", p.hours);
  f("parts_mw", p.parts);
}

template <class Fields>
void visit_fields(Fields& f, MinuteState& m) {
  f("state", m.name);
  f("seconds", m.seconds);
  f("cpu_mw", m.cpu_mw);
  f("dsp_mw", m.dsp_mw);
}

template <class Fields>
void visit_fields(Fields& f, SensitivityFields& s) {
  f("assumption", s.assumption);
  f("unit", s.unit);
  f("low", s.low);
  f("high", s.high);
  f("added_ratio_at_low", s.at_low);
  f("added_ratio_at_high", s.at_high);
  f("wanted_ratio_at", s.crossing);
}

template <class Fields>
void visit_fields(Fields& f, AssumptionFields& a) {
  f("assumption", a.assumption);
  f("unit", a.unit);
  f("value", a.value);
  f("low", a.low);
  f("high", a.high);
  f("source", a.source);
}

template <class Fields>
void visit_fields(Fields& f, ListeningFields& l) {
  f("model", l.model);
  f("device", l.device);
  f("system", l.system);
  f("on_cpu", l.cpu);
  f("on_dsp", l.dsp);
  f("ratio", l.ratio);
  f("added_ratio", l.added_ratio);
  f("wanted_ratio", l.wanted);
  f("break_even_wakes_per_hour", l.break_even);
  f("battery_mwh", l.battery_mwh);
  f("minute", l.minute);
  f("sensitivity", l.sensitivity);
  f("assumptions", l.assumptions);
}

namespace {

SensitivityFields fields_of(const ListeningPower& power, const Sensitivity& row) {
  const Assumption& assumption = power.assumptions[row.input];
  const PowerFigure& figure = assumption.figure;
  SensitivityFields fields{assumption.name, assumption.unit, figure.low, figure.high,
                           row.at_low,      row.at_high,     {}};
  if (row.crossing) fields.crossing = *row.crossing * figure.value / power.values.of[row.input];
  return fields;
}

// Which assumption a row of the file is about. BadInput where there is none of its name.
Result<Sensitivity> sensitivity_of(const ListeningPower& power, const SensitivityFields& fields) {
  for (size_t i = 0; i < kPowerInputs; ++i) {
    if (power.assumptions[i].name != fields.assumption) continue;
    return Sensitivity{i, fields.at_low, fields.at_high, fields.crossing};
  }
  return bad_input("results.sensitivity names '", fields.assumption,
                   "', expected one of results.assumptions");
}

}  // namespace

Json listening_to_json(const ListeningPower& power) {
  ListeningFields fields{.model = power.model,
                         .device = power.device,
                         .system = power.system,
                         .cpu = {power.cpu_mw, power.cpu_hours, power.cpu},
                         .dsp = {power.dsp_mw, power.dsp_hours, power.dsp},
                         .ratio = power.ratio,
                         .added_ratio = power.added_ratio,
                         .wanted = power.wanted,
                         .break_even = power.break_even,
                         .battery_mwh = power.battery_mwh,
                         .minute = power.minute};
  for (const Sensitivity& row : power.sensitivity) {
    fields.sensitivity.push_back(fields_of(power, row));
  }
  for (const Assumption& assumption : power.assumptions) {
    const PowerFigure& figure = assumption.figure;
    fields.assumptions.push_back(
        {assumption.name, assumption.unit, figure.value, figure.low, figure.high, figure.source});
  }
  JsonWriter writer{.json = {{"kind", "listening_power"}}};
  visit_fields(writer, fields);
  return std::move(writer.json);
}

Result<ListeningPower> listening_from_json(const Json& results) {
  HONE_TRY(const ListeningFields fields, read_fields<ListeningFields>(results));
  if (fields.assumptions.size() != kPowerInputs) {
    return bad_input("results.assumptions has ", fields.assumptions.size(), " entries, expected ",
                     kPowerInputs);
  }
  ListeningPower power;
  power.model = fields.model;
  power.device = fields.device;
  power.system = fields.system;
  power.cpu = fields.cpu.parts;
  power.dsp = fields.dsp.parts;
  power.cpu_mw = fields.cpu.mw;
  power.dsp_mw = fields.dsp.mw;
  power.cpu_hours = fields.cpu.hours;
  power.dsp_hours = fields.dsp.hours;
  power.ratio = fields.ratio;
  power.added_ratio = fields.added_ratio;
  power.wanted = fields.wanted;
  power.break_even = fields.break_even;
  power.battery_mwh = fields.battery_mwh;
  power.minute = fields.minute;
  for (size_t i = 0; i < kPowerInputs; ++i) {
    const AssumptionFields& row = fields.assumptions[i];
    power.assumptions[i] = {row.assumption, row.unit, {row.value, row.low, row.high, row.source}};
    power.values.of[i] = row.value;  // In the file's own units, as all that it says of them.
    power.low.of[i] = row.low;
    power.high.of[i] = row.high;
  }
  for (const SensitivityFields& row : fields.sensitivity) {
    HONE_TRY(power.sensitivity.emplace_back(), sensitivity_of(power, row));
  }
  return power;
}

}  // namespace hone
