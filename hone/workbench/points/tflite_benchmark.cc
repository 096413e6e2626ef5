// The log of TensorFlow Lite's benchmark_model, of one run or of several in a row:
//   Num threads: [4]
//   Graph: [/data/local/tmp/net.tflite]
//   Inference timings in us: Init: 4000, ..., Inference (avg): 4321.5
// Lines may begin with "INFO: " or with what logcat puts there.

#include "hone/profile/import/rows.h"
#include "hone/workbench/points/printed_times.h"

namespace hone {
namespace {

constexpr std::string_view kTimings = "nference timings in us: ";
constexpr double kUsPerMs = 1e3;

bool recognizes_benchmark_model(std::string_view text) {
  for (const std::string_view words :
       {kTimings, std::string_view("Graph: ["), std::string_view("Initialized session in ")}) {
    if (text.find(words) != std::string_view::npos) return true;
  }
  return false;
}

// Older versions name it otherwise.
std::string_view key_of_average(std::string_view line) {
  for (const std::string_view key : {"Inference: ", "no stats: "}) {
    if (text_after(line, key)) return key;
  }
  return "Inference (avg): ";
}

// How the runs that follow are made.
struct BenchmarkModelSettings {
  std::string network = {};
  int64_t threads = 0;
  bool on_gpu = false;

  void take(std::string_view line) {
    if (text_after(line, "STARTING!")) *this = {};
    if (const auto graph = text_after(line, "Graph: [")) {
      network = graph->substr(0, graph->find(']'));
    } else if (const auto loaded = text_after(line, "Loaded model ")) {
      network = trimmed(*loaded);
    }
    for (const std::string_view key : {"Num threads: [", "#threads used for CPU inference: ["}) {
      if (const auto count = text_after(line, key)) threads = leading_count(*count).value_or(0);
    }
    if (const auto gpu = text_after(line, "Use gpu: [")) on_gpu = gpu->starts_with('1');
  }
};

Result<std::vector<PrintedTime>> read_benchmark_model(std::string_view text) {
  std::vector<PrintedTime> times;
  BenchmarkModelSettings settings;
  for (const Line& line : lines_of(text)) {
    settings.take(line.text);
    const auto timings = text_after(line.text, kTimings);
    if (!timings) continue;
    PrintedTime time{.line = line.number,
                     .network = settings.network,
                     .threads = settings.threads,
                     .on_gpu = settings.on_gpu};
    HONE_TRY(time.ms, printed_ms(*timings, line.number, key_of_average(*timings), kUsPerMs));
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace

extern const PrintedTimesDef printed_times_tflite_benchmark = {
    .tool = "TensorFlow Lite's benchmark_model",
    .taken = "the average of the runs after the warm-up, by the host's clock",
    .expected = "'Inference timings in us: ..., Inference (avg): 4321.5'",
    .recognizes = recognizes_benchmark_model,
    .read = read_benchmark_model,
};

}  // namespace hone
