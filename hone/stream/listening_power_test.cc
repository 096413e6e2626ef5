#include "hone/stream/listening_power.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

using enum PowerInput;

// Round numbers, so that results can be computed by hand.
PowerValues round_values() {
  PowerValues v;
  v[Suspended] = 10;
  v[Idle] = 20;
  v[Core] = 200;
  v[Capture] = 40;
  v[Interrupt] = 0.0004;
  v[Wake] = 36;
  v[Microphone] = 1;
  v[Island] = 2;
  v[Memory] = 0.5;
  v[Dsp] = 300;
  v[CpuPush] = 0.0001;
  v[CpuFrame] = 0.001;
  v[CpuRun] = 0.01;
  v[DspPush] = 0.00001;
  v[DspFrame] = 0.0001;
  v[DspRun] = 0.001;
  v[Silence] = 0.5;
  v[Keywords] = 2;
  v[FalseAccepts] = 1;
  v[WakeTime] = 0.5;
  v[ActTime] = 4;
  v[FalseActTime] = 1;
  v[SleepTime] = 0.5;
  return v;
}

TEST(ListeningPower, OfTheCpuIsWhatIsDrawnWhileItWaitsAndComputes) {
  const PlacementPower cpu = power_on_cpu(round_values());
  EXPECT_DOUBLE_EQ(cpu.asleep, 10);
  EXPECT_DOUBLE_EQ(cpu.microphone, 1);
  EXPECT_DOUBLE_EQ(cpu.waiting, 60);
  // 0.5 ms of every 10, and half of the time 1 ms of 20 and 10 of 200: 0.05 + 0.025 + 0.025.
  EXPECT_NEAR(cpu.computing, 200 * 0.1, 1e-9);
  // Nine seconds of every hour.
  EXPECT_NEAR(cpu.acting, 200 * 9 / 3600.0, 1e-9);
  EXPECT_NEAR(cpu.total(), 91.5, 1e-9);
  EXPECT_NEAR(cpu.added(), 81.5, 1e-9);
}

TEST(ListeningPower, OfTheDspHasWakingInIt) {
  const PlacementPower dsp = power_on_dsp(round_values());
  EXPECT_DOUBLE_EQ(dsp.waiting, 2.5);
  EXPECT_NEAR(dsp.computing, 300 * (0.001 + 0.0025 + 0.0025), 1e-9);
  // Three times 36 mJ, 9 + 3 seconds of 220 mW, and 9 seconds of recording at 40.
  EXPECT_NEAR(dsp.acting, (3 * 36 + 12 * 220 + 9 * 40) / 3600.0, 1e-9);
  EXPECT_NEAR(dsp.total(), 10 + 1 + 2.5 + 1.8 + 3108 / 3600.0, 1e-9);
}

// While it acts nothing tells the placements apart but the DSP, which listens on.
TEST(ListeningPower, OfActingIsTheSameInBoth) {
  PowerValues v = round_values();
  v[Keywords] = 900;  // Four seconds each: the whole hour.
  v[FalseAccepts] = v[Wake] = v[WakeTime] = v[SleepTime] = 0;
  const PlacementPower cpu = power_on_cpu(v), dsp = power_on_dsp(v);
  EXPECT_NEAR(cpu.waiting + cpu.acting, dsp.acting, 1e-9);
}

TEST(ListeningPower, CannotComputeMoreThanAllTheTime) {
  PowerValues v = round_values();
  v[CpuFrame] = 1;
  EXPECT_DOUBLE_EQ(power_on_cpu(v).computing, 200);
}

// At that rate both draw the same.
TEST(ListeningPower, BreaksEvenWhereBothDrawTheSame) {
  PowerValues v = round_values();
  v[Core] = 2000;
  const auto wakes = break_even_wakes(v);
  ASSERT_TRUE(wakes.has_value());
  v[Keywords] = *wakes * 2 / 3;
  v[FalseAccepts] = *wakes / 3;
  EXPECT_NEAR(power_on_cpu(v).total(), power_on_dsp(v).total(), 1e-6);
}

TEST(ListeningPower, HasNoBreakEvenWhereAnHourIsTooShortForIt) {
  PowerValues slow = round_values();
  slow[ActTime] = 40;
  EXPECT_FALSE(break_even_wakes(slow).has_value());
  PowerValues never = round_values();
  never[Keywords] = never[FalseAccepts] = 0;
  EXPECT_FALSE(break_even_wakes(never).has_value());
  PowerValues dear = round_values();
  dear[Island] = 1000;
  EXPECT_EQ(break_even_wakes(dear), 0);
}

// Every corner of eleven assumptions: 2048.
TEST(ListeningPower, IntervalsReachTheCorners) {
  const PowerInput off[] = {Suspended, Idle,    Core,     Capture,  Island, Dsp,
                            DspFrame,  Silence, Keywords, CpuFrame, ActTime};
  const PowerValues values = round_values();
  PowerValues low = values, high = values;
  for (const PowerInput input : off) {
    low[input] *= 0.6;
    high[input] *= 1.4;
  }
  const auto ratio = [](const PowerValues& v) {
    return power_on_cpu(v).added() / power_on_dsp(v).added();
  };
  double least = ratio(values), most = least;
  for (size_t corner = 0; corner < size_t{1} << std::size(off); ++corner) {
    PowerValues v = values;
    for (size_t i = 0; i < std::size(off); ++i) {
      v[off[i]] = (corner >> i & 1) != 0 ? high[off[i]] : low[off[i]];
    }
    least = std::min(least, ratio(v));
    most = std::max(most, ratio(v));
  }
  const Spread spread = spread_of(ratio, values, low, high);
  EXPECT_NEAR(spread.least, least, 1e-9);
  EXPECT_NEAR(spread.most, most, 1e-9);
  EXPECT_LT(spread.least, spread.low);
  EXPECT_LT(spread.high, spread.most);
}

// Of one assumption alone both are its ends; of two that are factors, the root of the squares.
TEST(ListeningPower, IndependentErrorsAddAsSquares) {
  const PowerValues values = round_values();
  PowerValues low = values, high = values;
  const auto product = [](const PowerValues& v) { return v[Core] * v[Dsp]; };
  low[Core] /= 2;
  high[Core] *= 4;
  const Spread one = spread_of(product, values, low, high);
  EXPECT_NEAR(one.low, 60000.0 / 2, 1e-6);
  EXPECT_NEAR(one.high, 60000.0 * 4, 1e-6);
  high[Dsp] *= 8;
  const Spread two = spread_of(product, values, low, high);
  EXPECT_NEAR(two.high, 60000 * std::exp2(std::sqrt(4.0 + 9.0)), 1e-3);
  EXPECT_NEAR(two.most, 60000.0 * 32, 1e-6);
}

// What a phone draws of which every figure is the same, on a day with wake-ups or without.
Result<ListeningPower> power_of_figures(double mw, double wakes) {
  const PowerFigure figure{mw, mw, mw, "assumed"};
  const PowerFigure none{wakes, wakes, wakes, kSourceOfDay};
  const SystemPower system{"a phone", figure, figure, figure, figure, figure,
                           figure,    figure, figure, figure, figure};
  Day day = usual_day();
  day.keywords_per_hour = day.false_accepts_per_hour = none;
  const StreamCosts costs{.device = "mine",
                          .unit = "packets",
                          .clock_mhz = 1000,
                          .factor = 2,
                          .gate = {1, 1},
                          .front_end = {1, 1},
                          .network = {1, 1},
                          .detection = {1, 1}};
  const CpuTimes cpu{.cpu = "this one", .push_us = 1, .frame_us = 1, .run_us = 1, .n = 1};
  const StreamConfig config{.classes = {"yes"}, .keywords = {{"yes", 0.5}}};
  const auto recipe = make_recipe(config, {.rows = 49,
                                           .input_scale = 0.5,
                                           .input_zero = 0,
                                           .outputs = 1,
                                           .output_scale = 1.0 / 256,
                                           .output_zero = -128});
  EXPECT_TRUE(recipe.ok());
  return listening_power(system, day, costs, cpu, *recipe);
}

TEST(ListeningPower, OfNothingIsRefused) {
  const auto power = power_of_figures(0, 2);
  ASSERT_FALSE(power.ok());
  EXPECT_EQ(power.error().message,
            "mine: with every figure of [system] and of the day at its low end, listening on the "
            "DSP adds 0 mW, expected more than 0, such as a microphone_mw with low = 0.4");
  EXPECT_EQ(power.error().kind, ErrorKind::BadInput);
}

TEST(ListeningPower, AMinuteHasAWakeUpWhereTheDayHasOne) {
  const auto with = power_of_figures(1, 2), without = power_of_figures(1, 0);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with->minute.size(), 7u);
  ASSERT_EQ(without->minute.size(), 3u);
  EXPECT_EQ(without->minute[1].name, "speech");
  for (const ListeningPower& power : {*with, *without}) {
    double seconds = 0;
    for (const MinuteState& state : power.minute) seconds += state.seconds;
    EXPECT_NEAR(seconds, 60, 1e-9);
  }
}

}  // namespace
}  // namespace hone
