#include "hone/stream/day.h"

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/device/toml_text.h"

namespace hone {
namespace {

constexpr double kMostPerHour = 3600;
constexpr double kMostMs = 600000;
constexpr int kSecondsAnHour = 3600;

// "silence = 0.7", or a table of value, low and high; what is there already when the key is missing.
Status read_figure(const TomlSection& in, std::string_view key, double most, PowerFigure& figure) {
  if (!in.has(key)) return Done{};
  const Result<TomlSection> table = in.section(key);
  if (!table.ok()) {
    HONE_TRY(const double value, in.number_in(key, 0, most));
    figure = {value, value, value, kSourceOfDay};
    return Done{};
  }
  figure.source = kSourceOfDay;
  HONE_TRY(figure.value, table->number_in("value", 0, most));
  HONE_TRY(figure.low, table->number_in("low", 0, figure.value));
  HONE_TRY(figure.high, table->number_in("high", figure.value, most));
  return table->no_other_keys();
}

Status read_wake(const TomlSection& in, Day& day) {
  HONE_RETURN_IF_ERROR(read_figure(in, "wake_ms", kMostMs, day.wake_ms));
  HONE_RETURN_IF_ERROR(read_figure(in, "act_ms", kMostMs, day.act_ms));
  HONE_RETURN_IF_ERROR(read_figure(in, "false_act_ms", kMostMs, day.false_act_ms));
  HONE_RETURN_IF_ERROR(read_figure(in, "sleep_ms", kMostMs, day.sleep_ms));
  return in.no_other_keys();
}

// What wakes the CPU has to leave it time to sleep.
Status check_hour(const TomlSection& in, const Day& day) {
  const double around = day.wake_ms.value + day.sleep_ms.value;
  const double keywords = day.keywords_per_hour.value * (around + day.act_ms.value) / 1e3;
  const double false_accepts =
      day.false_accepts_per_hour.value * (around + day.false_act_ms.value) / 1e3;
  const double awake = keywords + false_accepts;
  if (awake <= kSecondsAnHour) return Done{};
  return in.wrong(keywords >= false_accepts ? "keywords_per_hour" : "false_accepts_per_hour",
                  str("the CPU would be awake for ", fixed(awake, 0), " s of an hour, expected ",
                      kSecondsAnHour, " at most with what a wake-up takes"));
}

Result<Day> read_fields_of_day(const TomlSection& in) {
  Day day = usual_day();
  HONE_RETURN_IF_ERROR(read_figure(in, "silence", 1, day.silence));
  HONE_RETURN_IF_ERROR(read_figure(in, "keywords_per_hour", kMostPerHour, day.keywords_per_hour));
  HONE_RETURN_IF_ERROR(
      read_figure(in, "false_accepts_per_hour", kMostPerHour, day.false_accepts_per_hour));
  if (in.has("battery_mwh")) {
    HONE_TRY(day.battery_mwh, in.positive("battery_mwh"));
  }
  if (in.has("cpu")) {
    HONE_TRY(const TomlSection cpu, in.section("cpu"));
    HONE_RETURN_IF_ERROR(read_wake(cpu, day));
  }
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  HONE_RETURN_IF_ERROR(check_hour(in, day));
  return day;
}

}  // namespace

Day usual_day() {
  const auto usual = [](double value, double low, double high) {
    return PowerFigure{value, low, high, "assumed"};
  };
  return {.silence = usual(0.7, 0.4, 0.9),
          .keywords_per_hour = usual(2, 0.5, 6),
          .false_accepts_per_hour = usual(1.7, 0.7, 3.6),
          .wake_ms = usual(300, 100, 800),
          .act_ms = usual(3000, 1000, 8000),
          .false_act_ms = usual(1000, 500, 3000),
          .sleep_ms = usual(500, 200, 2000),
          .battery_mwh = 11200};
}

Result<Day> parse_day(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read_fields_of_day);
}

Result<Day> read_day(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  return parse_day({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()},
                   path.string());
}

}  // namespace hone
