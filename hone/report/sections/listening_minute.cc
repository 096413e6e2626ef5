#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/listening_text.h"

namespace hone {
namespace {

struct MinuteWords {
  const char* title;
  const char* caption;
};
MinuteWords words_of_minute(const ListeningPower& power) {
  if (power.figure(PowerInput::Keywords) > 0) {
    return {"A minute with one keyword in it", "silence, speech, a keyword, and silence again"};
  }
  if (power.figure(PowerInput::FalseAccepts) > 0) {
    return {"A minute with one false accept in it",
            "silence, speech, a false accept, and silence again; the day has no keywords"};
  }
  return {"A minute in which nothing wakes the CPU",
          "silence, speech, and silence again; the day has neither keywords nor false accepts"};
}

StepChart chart_of_minute(const ListeningPower& power) {
  const MinuteWords words = words_of_minute(power);
  StepChart chart{.title = words.title,
                  .caption = str(words.caption, "; predicted"),
                  .x_axis = "seconds",
                  .y_axis = "mW",
                  .lines = {{.name = "on the CPU"}, {.name = "on " + power.device}}};
  for (const MinuteState& state : power.minute) {
    chart.lines[0].steps.emplace_back(chart.end, state.cpu_mw);
    chart.lines[1].steps.emplace_back(chart.end, state.dsp_mw);
    chart.end += state.seconds;
  }
  return chart;
}

Blocks listening_minute_blocks(const ListeningPower& power, const ShowOptions&) {
  DataTable table{.columns = {{"state"},
                              {"seconds", true},
                              {"mW on the CPU", true},
                              {str("mW on ", power.device), true}}};
  for (const MinuteState& state : power.minute) {
    table.rows.push_back({state.name, fixed(state.seconds, 1), short_figure(state.cpu_mw),
                          short_figure(state.dsp_mw)});
  }
  return {chart_of_minute(power), table};
}

}  // namespace

extern const SectionDef section_listening_minute = {.title = "A minute",
                                                    .of_listening = listening_minute_blocks};

}  // namespace hone
