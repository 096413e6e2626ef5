// The log of TensorRT's trtexec, of one run or of several in a row:
//   &&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=net.onnx --fp16
//   [03/25/2024-09:34:23] [I] Model: net.onnx
//   [03/25/2024-09:34:23] [I] GPU Compute Time: min = 1.2 ms, ..., median = 1.23 ms, ...
// Versions before 8 print the last as a heading, "GPU Compute", and a line for each figure.

#include "hone/profile/import/rows.h"
#include "hone/workbench/points/printed_times.h"

namespace hone {
namespace {

constexpr std::string_view kModelOptions = "=== Model Options ===";

bool recognizes_trtexec_log(std::string_view text) {
  return text_after(text, kModelOptions) || text_after(text, "TensorRT.trtexec") ||
         text_after(text, "GPU Compute Time: ");
}

// Without "[date] [I] ".
std::string_view body_of(std::string_view line) {
  line = trimmed(line);
  while (line.starts_with('[') && line.find(']') != std::string_view::npos) {
    line = trimmed(line.substr(line.find(']') + 1));
  }
  return line;
}

// Of "FP32+FP16" the narrowest: what the engine computes in wherever it can.
std::string narrowest(std::string_view precisions) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"INT8", "int8"}, {"FP16", "fp16"}, {"BF16", "bf16"}, {"FP32", "fp32"}};
  for (const auto& [theirs, ours] : kNames) {
    if (text_after(precisions, theirs)) return std::string(ours);
  }
  return "";
}

class TrtexecReader {
 public:
  Status take(const Line& line) {
    const std::string_view body = body_of(line.text);
    if (const auto command = text_after(body, "&&&& RUNNING")) begin(*command);
    if (body == kModelOptions) run_ = {};
    take_model(body);
    take_sizes(body);
    if (body.starts_with("GPU Compute Time: min")) return take_time(line, "median = ");
    if (body == "GPU Compute") in_compute_ = true;
    if (in_compute_ && body.starts_with("median: ")) return take_time(line, "median: ");
    return Done{};
  }

  std::vector<PrintedTime> times() && { return std::move(times_); }

 private:
  void begin(std::string_view command) {
    run_ = {};
    from_command_.clear();
    for (const std::string_view flag : {"--onnx=", "--loadEngine="}) {
      const auto file = text_after(command, flag);
      if (file && from_command_.empty()) from_command_ = file->substr(0, file->find(' '));
    }
  }

  void take_model(std::string_view body) {
    if (body.starts_with("Model: ") && body != "Model: *") {
      run_.network = trimmed(*text_after(body, "Model: "));
    }
    if (body.starts_with("Load engine: ")) {
      engine_ = trimmed(*text_after(body, "Load engine: "));
    }
    if (body.starts_with("Precision: ")) run_.precision = narrowest(body);
  }

  void take_sizes(std::string_view body) {
    if (body.starts_with("Batch: ")) {
      // Engines that were loaded print 1 whatever they were built for.
      const int64_t batch = leading_count(*text_after(body, "Batch: ")).value_or(0);
      if (batch > 1) run_.batch = batch;
    }
    if (body.starts_with("Input inference shape") && text_after(body, "=") && run_.batch == 0) {
      run_.batch = leading_count(*text_after(body, "=")).value_or(0);
    }
    if (body.starts_with("Streams: ") || body.starts_with("Inference Streams: ")) {
      run_.at_once = leading_count(*text_after(body, "Streams: ")).value_or(1);
    }
  }

  Status take_time(const Line& line, std::string_view key) {
    HONE_TRY(run_.ms, printed_ms(line.text, line.number, key));
    run_.line = line.number;
    run_.on_gpu = true;
    if (run_.network.empty()) run_.network = engine_.empty() ? from_command_ : engine_;
    // An engine was built in a precision that its own log tells.
    if (!run_.network.ends_with(".onnx")) run_.precision.clear();
    times_.push_back(std::move(run_));
    run_ = {};
    engine_.clear();
    in_compute_ = false;
    return Done{};
  }

  PrintedTime run_ = {};
  std::string from_command_ = {};
  std::string engine_ = {};
  bool in_compute_ = false;
  std::vector<PrintedTime> times_ = {};
};

Result<std::vector<PrintedTime>> read_trtexec_log(std::string_view text) {
  TrtexecReader reader;
  for (const Line& line : lines_of(text)) HONE_RETURN_IF_ERROR(reader.take(line));
  return std::move(reader).times();
}

}  // namespace

extern const PrintedTimesDef printed_times_trtexec_log = {
    .tool = "TensorRT's trtexec",
    .taken = "the median GPU compute time, by the GPU's clock, without copies",
    .expected = "'GPU Compute Time: min = 1.2 ms, ..., median = 1.23 ms, ...'",
    .recognizes = recognizes_trtexec_log,
    .read = read_trtexec_log,
};

}  // namespace hone
