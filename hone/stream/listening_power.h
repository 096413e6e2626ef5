// What a machine draws that listens all day, by where it listens: on its CPU, which stays awake for that, or on a DSP,
// which wakes the CPU on a detection.
//
//   on the CPU   asleep + microphone + idle + capture + core * (part of the time that it computes and acts)
//   on the DSP   asleep + microphone + island + memory + dsp * (part of the time that it computes)
//                + wake-ups * (wake + time awake * (idle + core) + time acting * capture)
//
// What a keyword is followed by, a command or that there is none, is recorded by the CPU in both.
// Every figure is an assumption with an interval. Intervals of results: `low` and `high` where assumptions are off
// independently of each other (the root of the squares of what each does by itself, as factors), `least` and `most`
// where all are off at once, each to the side that moves the result most.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hone/stream/cpu_times.h"
#include "hone/stream/day.h"
#include "hone/stream/stream_costs.h"

namespace hone {

enum class PowerInput : size_t {
  Suspended,
  Idle,
  Core,
  Capture,
  Interrupt,
  Wake,
  Microphone,
  Island,
  Memory,
  Dsp,
  CpuPush,
  CpuFrame,
  CpuRun,
  DspPush,
  DspFrame,
  DspRun,
  Silence,
  Keywords,
  FalseAccepts,
  WakeTime,
  ActTime,
  FalseActTime,
  SleepTime,
};
inline constexpr size_t kPowerInputs = 23;

struct Assumption {
  std::string name = {};  // "core that runs".
  std::string unit = {};  // "mW".
  PowerFigure figure = {};
};

// Values of all of them: milliwatts, millijoules, seconds, an hour's counts, parts of 1.
struct PowerValues {
  std::array<double, kPowerInputs> of = {};
  double hop_seconds = 0.2;  // From run to run of the network,
  double frame_seconds = 0.02;
  double push_seconds = 0.01;

  double operator[](PowerInput input) const { return of[static_cast<size_t>(input)]; }
  double& operator[](PowerInput input) { return of[static_cast<size_t>(input)]; }
};

// Of one placement, in milliwatts.
struct PlacementPower {
  double asleep = 0;  // What is drawn by all the rest of it, asleep.
  double microphone = 0;
  double waiting = 0;    // For sound: awake, or the DSP.
  double computing = 0;  // With it.
  double acting =
      0;  // On detections, with waking for them and, where it does not go on anyway, recording.

  double total() const { return asleep + microphone + waiting + computing + acting; }
  double added() const { return total() - asleep; }
};
PlacementPower power_on_cpu(const PowerValues& values);
PlacementPower power_on_dsp(const PowerValues& values);

// Wake-ups an hour at which both draw the same, at the same part of false ones; none where even a machine that
// is woken all the time draws less by the DSP.
std::optional<double> break_even_wakes(const PowerValues& values);

struct Spread {
  double value = 0;
  double low = 0, high = 0;
  double least = 0, most = 0;
};
// A result of values, which is monotone in each of them by itself.
using PowerResult = std::function<double(const PowerValues&)>;
// `ends` are low and high of every value.
Spread spread_of(const PowerResult& result, const PowerValues& values, const PowerValues& low,
                 const PowerValues& high);

// What a result becomes where one assumption alone is off.
struct Sensitivity {
  size_t input = 0;
  double at_low = 0;
  double at_high = 0;
  std::optional<double> crossing = {};  // Where, within its interval, the wanted ratio is reached.
};

// A piece of a minute.
struct MinuteState {
  std::string name;
  double seconds = 0;
  double cpu_mw = 0;
  double dsp_mw = 0;
};

struct ListeningPower {
  std::string model = {};
  std::string device = {};
  std::string system = {};  // Which machine.
  std::array<Assumption, kPowerInputs> assumptions = {};
  PowerValues values = {}, low = {}, high = {};
  PlacementPower cpu = {}, dsp = {};
  Spread cpu_mw = {}, dsp_mw = {};
  Spread cpu_hours = {}, dsp_hours = {};  // Of the battery.
  Spread ratio = {};                      // Of all that is drawn,
  Spread added_ratio = {};                // and of what listening adds to a machine that sleeps.
  double wanted = 0;                      // Of added_ratio.
  double battery_mwh = 0;
  std::optional<double> break_even = {};
  std::vector<Sensitivity> sensitivity = {};  // Of added_ratio, what moves it most first.
  std::vector<MinuteState> minute = {};

  // In the unit of the assumption, as files of results have it.
  double figure(PowerInput of) const { return assumptions[static_cast<size_t>(of)].figure.value; }
};

// How many times less is asked for.
inline constexpr double kWantedRatio = 20;

// BadInput where listening may add nothing at all, of which nothing can be so many times less.
Result<ListeningPower> listening_power(const SystemPower& system, const Day& day,
                                       const StreamCosts& costs, const CpuTimes& cpu,
                                       const StreamRecipe& recipe);

}  // namespace hone
