#include "hone/stream/listening_power.h"

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

using enum PowerInput;

constexpr double kHour = 3600;
// A core of a phone beside that of this machine.
constexpr double kCpuFactor = 3;

// Part of the time that a processor computes, whose times these are.
double busy_part(const PowerValues& v, double push, double frame, double run) {
  const double open = 1 - v[Silence];
  return push / v.push_seconds + open * (frame / v.frame_seconds + run / v.hop_seconds);
}

// Of an hour, in seconds.
double acting_seconds(const PowerValues& v) {
  return v[Keywords] * v[ActTime] + v[FalseAccepts] * v[FalseActTime];
}
double awake_seconds(const PowerValues& v) {
  const double each = v[WakeTime] + v[SleepTime];
  return acting_seconds(v) + each * (v[Keywords] + v[FalseAccepts]);
}

double total_ratio(const PowerValues& v) {
  return power_on_cpu(v).total() / power_on_dsp(v).total();
}
double added_ratio(const PowerValues& v) {
  return power_on_cpu(v).added() / power_on_dsp(v).added();
}

// The side of each value that makes the result largest, beginning at one corner. As the result is monotone in each,
// going from value to value ends at a corner that no single step betters.
double climbed(const PowerResult& result, PowerValues at, const PowerValues& low,
               const PowerValues& high) {
  double best = result(at);
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < kPowerInputs; ++i) {
      for (const double end : {low.of[i], high.of[i]}) {
        PowerValues other = at;
        other.of[i] = end;
        const double value = result(other);
        if (!(value > best)) continue;  // What is no number betters nothing.
        best = value;
        at = other;
        moved = true;
      }
    }
  }
  return best;
}

double largest(const PowerResult& result, const PowerValues& values, const PowerValues& low,
               const PowerValues& high) {
  return std::max({climbed(result, values, low, high), climbed(result, low, low, high),
                   climbed(result, high, low, high)});
}

PowerValues with(const PowerValues& values, size_t input, double value) {
  PowerValues other = values;
  other.of[input] = value;
  return other;
}

// Where between both ends the ratio is what is wanted; nothing where it is not reached there.
std::optional<double> crossing_of(const PowerValues& values, size_t input, double low,
                                  double high) {
  const auto above = [&](double value) {
    return added_ratio(with(values, input, value)) >= kWantedRatio;
  };
  const bool at_low = above(low);
  if (at_low == above(high)) return std::nullopt;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (above(middle) == at_low ? low : high) = middle;
  }
  return low;
}

std::vector<Sensitivity> sensitivity_of(const ListeningPower& power) {
  std::vector<Sensitivity> rows;
  for (size_t i = 0; i < kPowerInputs; ++i) {
    const double low = power.low.of[i], high = power.high.of[i];
    if (low == high) continue;
    rows.push_back({.input = i,
                    .at_low = added_ratio(with(power.values, i, low)),
                    .at_high = added_ratio(with(power.values, i, high)),
                    .crossing = crossing_of(power.values, i, low, high)});
  }
  std::ranges::stable_sort(rows, std::greater(), [](const Sensitivity& row) {
    return std::abs(std::log(row.at_high / row.at_low));
  });
  return rows;
}

// What the CPU does in a minute: for a keyword, in a day without any for a false accept, or nothing.
std::vector<MinuteState> wake_up_of(const PowerValues& v, double cpu_loud, double dsp_loud) {
  const bool keyword = v[Keywords] > 0;
  if (!keyword && v[FalseAccepts] <= 0) return {};
  const double woken = dsp_loud + v[Idle] + v[Core];
  const double waking = woken + (v[WakeTime] > 0 ? v[Wake] / v[WakeTime] : 0);
  return {{keyword ? "a keyword: the CPU wakes" : "a false accept: the CPU wakes", v[WakeTime],
           cpu_loud, waking},
          {"it acts", v[keyword ? ActTime : FalseActTime], cpu_loud + v[Core], woken + v[Capture]},
          {"it falls asleep", v[SleepTime], cpu_loud, woken}};
}

// Speech with a wake-up in it, silence before and after.
std::vector<MinuteState> minute_of(const PowerValues& v) {
  PowerValues quiet = v, loud = v;
  for (PowerValues* each : {&quiet, &loud}) (*each)[Keywords] = (*each)[FalseAccepts] = 0;
  quiet[Silence] = 1;
  loud[Silence] = 0;
  const double cpu_quiet = power_on_cpu(quiet).total(), dsp_quiet = power_on_dsp(quiet).total();
  const double cpu_loud = power_on_cpu(loud).total(), dsp_loud = power_on_dsp(loud).total();
  std::vector<MinuteState> states = {{"silence", 8, cpu_quiet, dsp_quiet},
                                     {"speech", 6, cpu_loud, dsp_loud}};
  for (MinuteState& state : wake_up_of(v, cpu_loud, dsp_loud)) states.push_back(std::move(state));
  if (states.size() == 2) {
    states[1].seconds += 8;
  } else {
    states.push_back({"speech", 8, cpu_loud, dsp_loud});
  }
  double seconds = 0;
  for (const MinuteState& state : states) seconds += state.seconds;
  states.push_back({"silence", std::max(1.0, 60 - seconds), cpu_quiet, dsp_quiet});
  return states;
}

PowerFigure scaled(const PowerFigure& figure, double factor) {
  return {factor * figure.value, factor * figure.low, factor * figure.high, figure.source};
}

PowerFigure within(double value, double factor, std::string source) {
  return {value, value / factor, value * factor, std::move(source)};
}

std::array<Assumption, kPowerInputs> assumptions_of(const SystemPower& system, const Day& day,
                                                    const StreamCosts& costs, const CpuTimes& cpu) {
  const std::string measured = str("measured on ", cpu.cpu, ", median of ", cpu.n,
                                   "; a phone's core within a factor of ", kCpuFactor, ", assumed");
  const std::string counted = str(costs.unit, " emulated, cycles predicted within a factor of ",
                                  costs.factor, " at ", costs.clock_mhz, " MHz");
  const auto on_cpu = [&](double us) { return within(us, kCpuFactor, measured); };
  const auto on_dsp = [&](const PartOfStream& part) {
    return within(costs.us(part), costs.factor, counted);
  };
  const PartOfStream run{costs.network.counted + costs.detection.counted,
                         costs.network.cycles + costs.detection.cycles};
  return {{{"all of it, asleep", "mW", system.suspended_mw},
           {"awake, its cores waiting", "mW", system.idle_mw},
           {"a core that runs", "mW", system.core_mw},
           {"sound brought to the CPU", "mW", system.capture_mw},
           {"CPU, to be handed 10 ms of sound", "us", system.interrupt_us},
           {"a wake-up", "mJ", system.wake_mj},
           {"microphone", "mW", system.microphone_mw},
           {"DSP that waits for sound", "mW", system.island_mw},
           {"memory that keeps its program", "mW", system.memory_mw},
           {"DSP that computes", "mW", system.dsp_mw},
           {"CPU, gate of 10 ms", "us", on_cpu(cpu.push_us)},
           {"CPU, front end of 20 ms", "us", on_cpu(cpu.frame_us)},
           {"CPU, a run of the network", "us", on_cpu(cpu.run_us)},
           {"DSP, gate of 10 ms", "us", on_dsp(costs.gate)},
           {"DSP, front end of 20 ms", "us", on_dsp(costs.front_end)},
           {"DSP, a run of the network", "us", on_dsp(run)},
           {"silence", "% of the day", scaled(day.silence, 100)},
           {"keywords", "an hour", day.keywords_per_hour},
           {"false accepts", "an hour", day.false_accepts_per_hour},
           {"CPU, until it runs", "ms", day.wake_ms},
           {"CPU, what it does for a keyword", "ms", day.act_ms},
           {"CPU, until it knows of none", "ms", day.false_act_ms},
           {"CPU, until it sleeps again", "ms", day.sleep_ms}}};
}

// From the units that people read to those that PowerValues has.
double unit_of(const std::string& unit) {
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  return unit == "% of the day" ? 0.01 : 1;
}

// Both placements with every figure at the end where it draws least.
Status check_not_nothing(const ListeningPower& power) {
  PowerValues least = power.low;
  least[Silence] = power.high[Silence];
  const double cpu = power_on_cpu(least).added(), dsp = power_on_dsp(least).added();
  if (cpu > 0 && dsp > 0) return Done{};
  return bad_input("with every figure of [system] and of the day at its low end, listening on the ",
                   dsp > 0 ? "CPU" : "DSP",
                   " adds 0 mW, expected more than 0, such as a microphone_mw with low = 0.4");
}

}  // namespace

PlacementPower power_on_cpu(const PowerValues& v) {
  const double busy =
      std::min(1.0, busy_part(v, v[Interrupt] + v[CpuPush], v[CpuFrame], v[CpuRun]));
  return {.asleep = v[Suspended],
          .microphone = v[Microphone],
          .waiting = v[Idle] + v[Capture],
          .computing = v[Core] * busy,
          .acting = v[Core] * acting_seconds(v) / kHour};
}

PlacementPower power_on_dsp(const PowerValues& v) {
  const double busy = std::min(1.0, busy_part(v, v[DspPush], v[DspFrame], v[DspRun]));
  const double wakes = v[Keywords] + v[FalseAccepts];
  return {.asleep = v[Suspended],
          .microphone = v[Microphone],
          .waiting = v[Island] + v[Memory],
          .computing = v[Dsp] * busy,
          .acting = (wakes * v[Wake] + awake_seconds(v) * (v[Idle] + v[Core]) +
                     acting_seconds(v) * v[Capture]) /
                    kHour};
}

std::optional<double> break_even_wakes(const PowerValues& values) {
  const double wakes = values[Keywords] + values[FalseAccepts];
  if (wakes <= 0) return std::nullopt;
  const PlacementPower cpu = power_on_cpu(values), dsp = power_on_dsp(values);
  const double gain = (cpu.total() - cpu.acting) - (dsp.total() - dsp.acting);
  const double price = dsp.acting - cpu.acting;  // Of so many.
  if (gain <= 0) return 0;
  if (price <= 0) return std::nullopt;
  const double times = gain / price;
  return times * awake_seconds(values) > kHour ? std::nullopt : std::optional(times * wakes);
}

Spread spread_of(const PowerResult& result, const PowerValues& values, const PowerValues& low,
                 const PowerValues& high) {
  const double value = result(values);
  double up = 0, down = 0;
  for (size_t i = 0; i < kPowerInputs; ++i) {
    const double at_low = result(with(values, i, low.of[i]));
    const double at_high = result(with(values, i, high.of[i]));
    up += std::pow(std::log(std::max({at_low, at_high, value}) / value), 2);
    down += std::pow(std::log(value / std::min({at_low, at_high, value})), 2);
  }
  const auto negative = [&](const PowerValues& v) { return -result(v); };
  return {.value = value,
          .low = value * std::exp(-std::sqrt(down)),
          .high = value * std::exp(std::sqrt(up)),
          .least = -largest(negative, values, low, high),
          .most = largest(result, values, low, high)};
}

Result<ListeningPower> listening_power(const SystemPower& system, const Day& day,
                                       const StreamCosts& costs, const CpuTimes& cpu,
                                       const StreamRecipe& recipe) {
  ListeningPower power{.device = costs.device,
                       .system = system.of,
                       .assumptions = assumptions_of(system, day, costs, cpu),
                       .wanted = kWantedRatio,
                       .battery_mwh = day.battery_mwh};
  const HopWork hop = hop_work(recipe);
  power.values.hop_seconds = hop.ms / 1e3;
  power.values.frame_seconds = hop.ms / 1e3 / hop.frames;
  power.values.push_seconds = hop.ms / 1e3 / hop.pushes;
  power.low = power.high = power.values;
  for (size_t i = 0; i < kPowerInputs; ++i) {
    const Assumption& assumption = power.assumptions[i];
    const double unit = unit_of(assumption.unit);
    power.values.of[i] = unit * assumption.figure.value;
    power.low.of[i] = unit * assumption.figure.low;
    power.high.of[i] = unit * assumption.figure.high;
  }
  HONE_RETURN_IF_ERROR(check_not_nothing(power).in(costs.device));
  const auto spread = [&](const PowerResult& result) {
    return spread_of(result, power.values, power.low, power.high);
  };
  const double mwh = day.battery_mwh;
  power.cpu = power_on_cpu(power.values);
  power.dsp = power_on_dsp(power.values);
  power.cpu_mw = spread([](const PowerValues& v) { return power_on_cpu(v).total(); });
  power.dsp_mw = spread([](const PowerValues& v) { return power_on_dsp(v).total(); });
  power.cpu_hours = spread([&](const PowerValues& v) { return mwh / power_on_cpu(v).total(); });
  power.dsp_hours = spread([&](const PowerValues& v) { return mwh / power_on_dsp(v).total(); });
  power.ratio = spread(total_ratio);
  power.added_ratio = spread(added_ratio);
  power.break_even = break_even_wakes(power.values);
  power.sensitivity = sensitivity_of(power);
  power.minute = minute_of(power.values);
  return power;
}

}  // namespace hone
