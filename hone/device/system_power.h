// What a machine that listens all day draws, part by part: a phone around a DSP.
#pragma once

#include <string>

namespace hone {

// The truth is expected between `low` and `high`.
struct PowerFigure {
  double value = 0;
  double low = 0;
  double high = 0;
  std::string source = {};  // One sentence; "assumed: ..." where nobody has published it.
};

struct SystemPower {
  std::string of = {};  // Which machine: "a phone like the Pixel 3, screen and radios off".
  // All of it asleep: cores off, memory refreshing itself.
  PowerFigure suspended_mw = {};
  // What is added while it is awake and its cores wait,
  PowerFigure idle_mw = {};
  // while one of them runs, with its caches and the memory,
  PowerFigure core_mw = {};
  // and while sound is brought to them.
  PowerFigure capture_mw = {};
  // How long a core runs for a piece of sound of 10 ms, what is done with it apart.
  PowerFigure interrupt_us = {};
  // Of waking and falling asleep again, besides what is drawn in that time.
  PowerFigure wake_mj = {};
  PowerFigure microphone_mw = {};
  // What is added while the DSP waits for sound, by itself,
  PowerFigure island_mw = {};
  // by the memory that keeps its program,
  PowerFigure memory_mw = {};
  // and while it computes.
  PowerFigure dsp_mw = {};
};

}  // namespace hone
