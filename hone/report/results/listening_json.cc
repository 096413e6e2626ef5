#include "hone/report/results/listening_json.h"

#include <nlohmann/json.hpp>

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"value", spread.value}, {"low", spread.low},   {"high", spread.high},
          {"least", spread.least}, {"most", spread.most}, {"mode", "predicted"}};
}

Json placement_json(const PlacementPower& power, const Spread& mw, const Spread& hours) {
  return {{"mw", spread_json(mw)},
          {"battery_hours", spread_json(hours)},
          {"parts_mw",
           {{"asleep", power.asleep},
            {"microphone", power.microphone},
            {"waiting", power.waiting},
            {"computing", power.computing},
            {"acting", power.acting}}}};
}

Json minute_json(const ListeningPower& power) {
  Json states = Json::array();
  for (const MinuteState& state : power.minute) {
    states.push_back({{"state", state.name},
                      {"seconds", state.seconds},
                      {"cpu_mw", state.cpu_mw},
                      {"dsp_mw", state.dsp_mw}});
  }
  return states;
}

Json sensitivity_json(const ListeningPower& power) {
  Json rows = Json::array();
  for (const Sensitivity& row : power.sensitivity) {
    const Assumption& assumption = power.assumptions[row.input];
    rows.push_back({{"assumption", assumption.name},
                    {"unit", assumption.unit},
                    {"low", assumption.figure.low},
                    {"high", assumption.figure.high},
                    {"added_ratio_at_low", row.at_low},
                    {"added_ratio_at_high", row.at_high}});
  }
  return rows;
}

Json assumptions_json(const ListeningPower& power) {
  Json rows = Json::array();
  for (const Assumption& assumption : power.assumptions) {
    const PowerFigure& figure = assumption.figure;
    rows.push_back({{"assumption", assumption.name},
                    {"unit", assumption.unit},
                    {"value", figure.value},
                    {"low", figure.low},
                    {"high", figure.high},
                    {"source", figure.source}});
  }
  return rows;
}

}  // namespace

Json listening_to_json(const ListeningPower& power) {
  return {{"kind", "listening_power"},
          {"model", power.model},
          {"device", power.device},
          {"system", power.system},
          {"on_cpu", placement_json(power.cpu, power.cpu_mw, power.cpu_hours)},
          {"on_dsp", placement_json(power.dsp, power.dsp_mw, power.dsp_hours)},
          {"ratio", spread_json(power.ratio)},
          {"added_ratio", spread_json(power.added_ratio)},
          {"wanted_ratio", power.wanted},
          {"break_even_wakes_per_hour", power.break_even ? Json(*power.break_even) : Json(nullptr)},
          {"battery_mwh", power.battery_mwh},
          {"minute", minute_json(power)},
          {"sensitivity", sensitivity_json(power)},
          {"assumptions", assumptions_json(power)}};
}

}  // namespace hone
