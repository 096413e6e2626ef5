#include "hone/cli/next_commands.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "hone/base/str.h"
#include "hone/report/read_document.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

// As one word of a shell: a name from a file that nobody checked is no command.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "_./:=,@%+-";
  const auto is_plain = [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '-' && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// The command that made a result, and what of it others need.
class Made {
 public:
  Made(const Provenance& from, std::string target) : target_(std::move(target)) {
    std::istringstream words(from.command);
    for (std::string word; words >> word;) words_.push_back(word);
    for (const auto& [key, value] : from.model) {
      if (key == "name") model_ = shell_word(path_of(value));
    }
  }

  bool has_model() const { return !model_.empty(); }
  const std::string& model() const { return model_; }
  // " -d npu"; nothing for the target that is taken without it.
  std::string on(const std::string& device) const {
    return device.empty() || device == "cpu" ? "" : " -d " + shell_word(device);
  }
  std::string on_target() const { return on(target_); }
  // "hone diagnose model.onnx -d npu".
  std::string command(std::string_view name) const {
    return str("hone ", name, " ", model_, on_target());
  }
  // A file of the command line by its name, or another word, for a shell.
  std::string word(const std::string& name) const { return shell_word(path_of(name)); }
  std::string data() const { return behind("--data", "DIR"); }
  std::string behind(std::string_view flag, std::string_view otherwise) const {
    const auto found = std::ranges::find(words_, flag);
    const bool has = found != words_.end() && found + 1 != words_.end();
    return has ? shell_word(*(found + 1)) : std::string(otherwise);
  }

 private:
  // The file as it was given: result files hold its name alone.
  std::string path_of(const std::string& name) const {
    for (const std::string& word : words_) {
      if (word.ends_with("/" + name)) return word;
    }
    return name;
  }

  std::vector<std::string> words_;
  std::string model_;
  std::string target_;
};

// What a finding says in flags, or in words with a place for the model, as a whole command.
std::string whole_command(const ReportFinding& finding, const Made& made) {
  const std::string& words = finding.command;
  if (words.starts_with("-")) return str(made.command("profile"), " ", words);
  if (words.starts_with("hone ")) {
    std::string command = words;
    const size_t at = command.find(" MODEL");
    if (at != std::string::npos) command.replace(at + 1, 5, made.model());
    return command;
  }
  if (!words.empty()) return words;
  if (!finding.gain || !finding.gain->value) return made.command("diagnose");
  return str(made.command("optimize"), finding.option ? " --data " + made.data() : "",
             " -o optimized.onnx");
}

void add_to_run(ReportRun& run) {
  const Made made(run.from, run.profile.target);
  if (!made.has_model() || run.profile.tool != "hone") return;
  for (ReportFinding& finding : run.findings) finding.command = whole_command(finding, made);
  if (!run.diagnosed && run.findings.empty() && run.compared.after_ms == 0) {
    run.next = {
        {"Why it takes that long, and what would help:", made.command("diagnose")},
        {"Make it faster and keep its answers:", made.command("optimize") + " -o optimized.onnx"}};
  }
}

// Floats run as they were measured: a file does not say how.
std::string precision_of(const Profile& profile) {
  const bool plain = profile.precision.empty() || profile.precision == "fp32";
  return plain ? "" : " --precision " + shell_word(profile.precision);
}

// What was written is to be held to what it was made of.
void add_to_optimized(Report& report) {
  ReportRun& after = report.runs[1];
  const Made made(after.from, after.profile.target);
  const std::string file = shell_word(report.outcome->file);
  const std::string how = made.on_target() + precision_of(after.profile);
  after.next = {{"Hold it to the model it was made of:",
                 str("hone validate ", file, " --reference ", made.model(), " --data ", made.data(),
                     " --max-drop 1pt", how)},
                {"See what is left of its time:", str("hone diagnose ", file, how)}};
}

std::string text_in(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

std::vector<NextStep> after_quantization(const Json& results, const Made& made) {
  if (text_in(results, "file").empty()) return {};
  const std::string file = shell_word(text_in(results, "file"));
  return {{"Hold it to the model it was made of:",
           str("hone validate ", file, " --reference ", made.model(), " --data ", made.data(),
               " --max-drop 1pt", made.on_target())},
          {"See what is left of its time:", str("hone diagnose ", file, made.on_target())}};
}

// The fastest of those that ran.
std::string best_device(const Json& results) {
  const Result<DeviceComparison> comparison = comparison_from_json(results);
  if (!comparison.ok()) return "";
  const DeviceFigures* best = nullptr;
  for (const DeviceFigures& device : comparison->devices) {
    const Metric* waited = device.waited();
    if (waited == nullptr || !waited->value) continue;
    if (best == nullptr || *waited->value < *best->waited()->value) best = &device;
  }
  return best == nullptr ? "" : best->device;
}

// On the first device; empty where none runs.
std::string fastest_model(const ModelComparison& comparison) {
  std::string best;
  double least = 0;
  for (const DeviceComparison& model : comparison.models) {
    const Metric* latency = model.devices[0].typical();
    if (latency == nullptr || !latency->value) continue;
    if (!best.empty() && *latency->value >= least) continue;
    best = model.model;
    least = *latency->value;
  }
  return best;
}

// Of the model that is taken on the first device, or is the fastest there.
std::vector<NextStep> after_models(const Json& results, const Made& made) {
  const Result<ModelComparison> comparison = models_from_json(results);
  if (!comparison.ok() || comparison->devices.empty()) return {};
  const ModelRanking& ranking = comparison->devices[0];
  std::string best = ranking.choice ? ranking.choice->take : "";
  if (best.empty()) best = fastest_model(*comparison);
  if (best.empty()) return {};
  return {{str("What holds ", best, " back on ", ranking.device, ":"),
           str("hone diagnose ", made.word(best), made.on(ranking.device))}};
}

std::vector<NextStep> after_comparison(const Json& results, const Made& made) {
  const std::string device = best_device(results);
  if (device.empty()) return {};
  return {{str("What holds it back on ", device, ":"),
           str("hone diagnose ", made.model(), made.on(device))}};
}

std::vector<NextStep> after_validation(const Json& results, const Made& made) {
  const NextStep faster = {"What would make it faster:", made.command("diagnose")};
  if (text_in(results, "reference").empty()) return {faster};
  if (results.contains("layers")) {
    return {{"See in the network where it differs, with this result:",
             made.command("profile") + " --json profile.json"},
            faster};
  }
  return {{"Which layers differ from the reference:",
           str(made.command("validate"), " --reference ", made.behind("--reference", "MODEL"),
               " --data ", made.data(), " --layers")},
          faster};
}

std::vector<NextStep> steps_after(const std::string& kind, const Json& results,
                                  const Provenance& from) {
  const Made made(from, text_in(results, "target"));
  if (kind == "listening_power") {
    return {{"Write the program that listens:",
             str("hone stream ", made.has_model() ? made.model() : "MODEL", " --config ",
                 made.behind("--config", "stream.toml"), made.on(text_in(results, "device")),
                 " -o program")}};
  }
  if (kind == "model_comparison") return after_models(results, made);
  if (!made.has_model()) return {};
  if (kind == "quantization") return after_quantization(results, made);
  if (kind == "comparison") return after_comparison(results, made);
  if (kind == "validation") return after_validation(results, made);
  if (kind == "placement") {
    return {
        {"What holds it back there:", made.command("diagnose")},
        {"What it takes on other devices:", str("hone compare ", made.model(), " -d ",
                                                shell_word("cpu," + text_in(results, "target")))}};
  }
  return {};
}

}  // namespace

void add_next_commands(const Json& results, Document& document) {
  document.next = steps_after(text_in(results, "kind"), results, document.from);
}

void add_next_commands(const std::vector<ReportInput>& inputs, Report& report) {
  for (ReportRun& run : report.runs) add_to_run(run);
  if (report.outcome && !report.outcome->file.empty()) add_to_optimized(report);
  auto document = report.documents.begin();
  for (const ReportInput& input : inputs) {
    const std::string kind = kind_of_result(input.document);
    if (!has_document(kind)) continue;
    document->next = steps_after(kind, input.document["results"], document->from);
    ++document;
  }
}

}  // namespace hone
