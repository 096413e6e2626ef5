// What OpenVINO's benchmark_app prints, of one run or of several in a row:
//   benchmark_app -m net.xml -hint latency
//   [ INFO ] Model batch size: 1
//   [ INFO ] Latency:
//   [ INFO ]    Median:        3.21 ms
// It does not print the model's file: the command line does, where it is in the log, and otherwise
// the network's name is all there is. Before 2022 the median stands behind "Latency:".

#include "hone/profile/import/rows.h"
#include "hone/workbench/points/printed_times.h"

namespace hone {
namespace {

bool recognizes_benchmark_app(std::string_view text) {
  return text_after(text, "benchmark_app") || text_after(text, "[Step 1/11]") ||
         text_after(text, "[Step 11/11]") ||
         (text_after(text, "Latency:") && text_after(text, "Throughput:"));
}

std::string_view without_level(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("[ INFO ]")) line.remove_prefix(std::string_view("[ INFO ]").size());
  return trimmed(line);
}

// The file behind -m; empty where the line is no command line.
std::string model_of_command(std::string_view line) {
  if (!text_after(line, "benchmark_app")) return "";
  for (const std::string_view flag : {" -m ", " --path_to_model "}) {
    const auto rest = text_after(line, flag);
    if (!rest) continue;
    const std::string_view path = trimmed(*rest);
    const bool quoted = path.starts_with('"');
    const std::string_view open = path.substr(quoted ? 1 : 0);
    return std::string(open.substr(0, open.find(quoted ? '"' : ' ')));
  }
  return "";
}

// Of "(Start inference asynchronously, 4 inference requests, limits: ...)".
int64_t requests_of(std::string_view line) {
  const size_t end = line.find(" inference requests");
  if (end == std::string_view::npos) return 1;
  const size_t space = line.find_last_of(" (", end - (end > 0 ? 1 : 0));
  const size_t begin = space == std::string_view::npos ? 0 : space + 1;
  return leading_count(line.substr(begin, end - begin)).value_or(1);
}

class BenchmarkAppReader {
 public:
  Status take(const Line& line) {
    const std::string_view body = without_level(line.text);
    if (const std::string model = model_of_command(body); !model.empty()) from_command_ = model;
    if (body.starts_with("[Step 1/11]")) {
      run_ = {.network = from_command_};
      from_command_.clear();
    }
    take_model(body);
    if (body.starts_with("Latency:")) {
      in_latency_ = true;
      if (body != "Latency:") return take_time(line, "Latency:");
    }
    if (in_latency_ && body.starts_with("Median:")) return take_time(line, "Median:");
    return Done{};
  }

  std::vector<PrintedTime> times() && { return std::move(times_); }

 private:
  void take_model(std::string_view body) {
    if (body.starts_with("NETWORK_NAME: ") && run_.network.empty()) {
      run_.network = trimmed(*text_after(body, "NETWORK_NAME: "));
    }
    for (const std::string_view key : {"Model batch size: ", "Network batch size: "}) {
      if (body.starts_with(key)) {
        run_.batch = leading_count(*text_after(body, key)).value_or(run_.batch);
      }
    }
    if (requests_of(body) > 1) run_.at_once = requests_of(body);
  }

  Status take_time(const Line& line, std::string_view key) {
    HONE_TRY(run_.ms, printed_ms(line.text, line.number, key));
    run_.line = line.number;
    if (!from_command_.empty()) run_.network = std::move(from_command_);
    times_.push_back(std::move(run_));
    run_ = {};
    from_command_.clear();
    in_latency_ = false;
    return Done{};
  }

  PrintedTime run_ = {};
  std::string from_command_ = {};
  bool in_latency_ = false;
  std::vector<PrintedTime> times_ = {};
};

Result<std::vector<PrintedTime>> read_benchmark_app(std::string_view text) {
  BenchmarkAppReader reader;
  for (const Line& line : lines_of(text)) HONE_RETURN_IF_ERROR(reader.take(line));
  return std::move(reader).times();
}

}  // namespace

extern const PrintedTimesDef printed_times_benchmark_app = {
    .tool = "OpenVINO's benchmark_app",
    .taken = "the median latency of a request, by the host's clock",
    .expected = "'Median: 3.21 ms' below 'Latency:'",
    .recognizes = recognizes_benchmark_app,
    .read = read_benchmark_app,
};

}  // namespace hone
