// The table of ncnn's benchncnn, in milliseconds:
//   num_threads = 4
//   gpu_device = -1
//   squeezenet  min =    2.70  max =    2.85  avg =    2.75
// Names are its own; "_int8" behind one is the network in 8 bits.

#include <algorithm>

#include "hone/profile/import/rows.h"
#include "hone/workbench/points/printed_times.h"

namespace hone {
namespace {

struct NcnnName {
  std::string_view ncnn;
  std::string_view here;
};

// Networks that have another name here; the same as in tools/class_facts.toml.
constexpr NcnnName kNcnnNames[] = {
    {"squeezenet", "squeezenet_caffe"},
    {"mobilenet", "mobilenet_v1"},
    {"mobilenet_v3", "mobilenet_v3_ncnn"},
    {"resnet50", "resnet50_v1"},
    {"mobilenet_ssd", "mobilenet_v1_ssd_voc"},
    {"yolov4-tiny", "yolov4_tiny"},
    {"yolo-fastest-1.1", "yolo_fastest"},
    {"yolo-fastestv2", "yolo_fastest_v2"},
    {"FastestDet", "fastest_det"},
};

constexpr std::string_view kLeast = " min =";
constexpr std::string_view kInt8Suffix = "_int8";

bool recognizes_benchncnn(std::string_view text) {
  return find_line(text, "loop_count = ") != std::string_view::npos ||
         (text_after(text, kLeast) && text_after(text, " max =") && text_after(text, " avg ="));
}

PrintedTime network_of(std::string_view name) {
  PrintedTime time;
  if (name.ends_with(kInt8Suffix)) {
    time.precision = "int8";
    name.remove_suffix(kInt8Suffix.size());
  }
  const auto found = std::ranges::find(kNcnnNames, name, &NcnnName::ncnn);
  time.network = name;
  if (found != std::end(kNcnnNames)) time.built_in = found->here;
  return time;
}

Result<std::vector<PrintedTime>> read_benchncnn(std::string_view text) {
  std::vector<PrintedTime> times;
  int64_t threads = 0;
  bool on_gpu = false;
  for (const Line& line : lines_of(text)) {
    if (const auto count = text_after(line.text, "num_threads =")) {
      threads = leading_count(*count).value_or(0);
    }
    // -1 is none.
    if (const auto gpu = text_after(line.text, "gpu_device =")) {
      on_gpu = !trimmed(*gpu).starts_with('-');
    }
    const size_t end = line.text.find(kLeast);
    if (end == std::string_view::npos) continue;
    PrintedTime time = network_of(trimmed(line.text.substr(0, end)));
    time.line = line.number;
    time.threads = threads;
    time.on_gpu = on_gpu;
    HONE_TRY(time.ms, printed_ms(line.text, line.number, kLeast));
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace

extern const PrintedTimesDef printed_times_benchncnn = {
    .tool = "ncnn's benchncnn",
    .taken = "the least of its loops, by the host's clock",
    .expected = "'squeezenet  min = 2.70  max = 2.85  avg = 2.75'",
    .recognizes = recognizes_benchncnn,
    .read = read_benchncnn,
};

}  // namespace hone
