// The verbs are the commands, run here: what they say and write is what the program does.

#include <sstream>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/base/temporary_folder.h"
#include "hone/cli/command_def.h"
#include "hone/library/inside.h"
#include "hone/library/state.h"

namespace hone::v1 {
namespace {

// "hone profile: m.onnx: no such file" without the command.
std::string reason_in(const std::string& errors) {
  std::string_view line = errors;
  line = line.substr(0, line.find('\n'));
  if (line.starts_with("hone")) line.remove_prefix(std::min(line.size(), line.find(": ") + 2));
  return std::string(line);
}

struct Ran {
  int exit = 0;
  std::string text;
};

Ran run_words(const Words& words) {
  std::ostringstream text, errors;
  const int exit = run_cli(words, text, errors);
  // What does not fit a device is told by the result, without an error.
  if (errors.str().empty()) return {exit, text.str()};
  throw Error(static_cast<Fault>(exit), reason_in(errors.str()));
}

// Without the line that names a file nobody asked for.
std::string without_line(std::string text, const std::string& line) {
  const size_t at = text.find(line + "\n");
  if (at != std::string::npos) text.erase(at, line.size() + 1);
  return text;
}

Words plus(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words words_of(const std::vector<Model>& models) {
  Words words, shapes;
  for (const Model& model : models) {
    words.push_back(model.spec());
    shapes = plus(std::move(shapes), model.shapes());
  }
  if (!shapes.empty()) words = plus(plus(std::move(words), {"--shapes"}), shapes);
  return words;
}

Words words_of(const RunOptions& options) {
  Words words = {"-d", options.target};
  if (options.threads != 0) words = plus(words, {"--threads", std::to_string(options.threads)});
  if (!options.precision.empty()) words = plus(words, {"--precision", options.precision});
  return words;
}

Report run_on(const std::string& name, const Model& model, const Words& words, const Words& more) {
  return command(name, plus(plus(words_of({model}), words), more));
}

}  // namespace

void on_progress(std::function<void(const std::string& line)> view) {
  show_progress_by(std::move(view));
}

Report command(const std::string& name, const Words& words) {
  const TemporaryFolder folder = unwrap(TemporaryFolder::make("hone_library"));
  const std::string file = (folder.path() / "result.json").string();
  const Ran ran = run_words(plus(plus({name}, words), {"--json", file}));
  return {ran.exit, without_line(ran.text, "wrote " + file), unwrap(read_text(file))};
}

std::string Report::html() const {
  const TemporaryFolder folder = unwrap(TemporaryFolder::make("hone_library"));
  const std::string file = (folder.path() / "result.json").string();
  const std::string page = (folder.path() / "page.html").string();
  unwrap(write_file(file, json_));
  run_words({"report", file, "-o", page});
  return unwrap(read_text(page));
}

Report inspect(const Model& model, const Words& more) {
  return run_on("inspect", model, {}, more);
}

Report profile(const Model& model, const RunOptions& options, const Words& more) {
  return run_on("profile", model, words_of(options), more);
}

Report diagnose(const Model& model, const RunOptions& options, const Words& more) {
  return run_on("diagnose", model, words_of(options), more);
}

Report optimize(const Model& model, const std::string& output, const RunOptions& options,
                const Words& more) {
  return run_on("optimize", model, plus(words_of(options), {"-o", output}), more);
}

Report quantize(const Model& model, const std::string& data, const std::string& output,
                const Words& more) {
  return run_on("quantize", model, {"--data", data, "-o", output}, more);
}

Report validate(const Model& model, const Words& more) {
  return run_on("validate", model, {}, more);
}

Report compile(const Model& model, const std::string& target, const std::string& folder,
               const Words& more) {
  return run_on("compile", model, {"-d", target, "-o", folder}, more);
}

Report compare(const std::vector<Model>& models, const std::vector<std::string>& devices,
               const Words& more) {
  return command("compare", plus(plus(words_of(models), {"-d", join(devices, ",")}), more));
}

Report convert(const Model& model, const std::string& output, const Words& more) {
  return run_on("convert", model, {"-o", output}, more);
}

}  // namespace hone::v1
