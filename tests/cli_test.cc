// Runs the transcripts in tests/cli: each file is a list of commands with the output they must
// print.
//   $ hone targets
//   <expected standard output and error, interleaved as written>
//   exit 0
// Before `hone` may stand values of the environment, as in a shell.
// A line `...` stands for any number of lines, `...` inside a line for any text. {tmp} is a folder
// made for the file and removed after it, {source} the repository. In {tmp}/theirs are files that
// hone did not write. `exit 0` may be left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>

#include "hone/cli/command_def.h"
#include "hone/cli/hint_words.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct Step {
  std::string command;
  std::vector<std::string> expected;
  int exit = 0;
};

std::vector<Step> read_steps(const fs::path& path) {
  std::ifstream in(path);
  std::vector<Step> steps;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("$ ")) {
      steps.push_back({line.substr(2), {}, 0});
    } else if (line.starts_with("exit ")) {
      steps.back().exit = std::stoi(line.substr(5));
    } else if (!steps.empty() && !line.empty()) {
      steps.back().expected.push_back(line);
    }
  }
  return steps;
}

bool line_matches(std::string_view expected, std::string_view actual) {
  const size_t gap = expected.find("...");
  if (gap == std::string_view::npos) return expected == actual;
  if (!actual.starts_with(expected.substr(0, gap))) return false;
  const std::string_view rest = expected.substr(gap + 3);
  actual.remove_prefix(gap);
  for (size_t i = 0; i <= actual.size(); ++i) {
    if (line_matches(rest, actual.substr(i))) return true;
  }
  return false;
}

bool lines_match(std::span<const std::string> expected, std::span<const std::string> actual) {
  if (expected.empty()) return actual.empty();
  if (expected[0] == "...") {
    for (size_t i = 0; i <= actual.size(); ++i) {
      if (lines_match(expected.subspan(1), actual.subspan(i))) return true;
    }
    return false;
  }
  return !actual.empty() && line_matches(expected[0], actual[0]) &&
         lines_match(expected.subspan(1), actual.subspan(1));
}

std::string replace_all(std::string text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<std::string> words(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) result.push_back(line);
  }
  return result;
}

// Sets what stands before the program's name, and takes it away again.
class CommandEnvironment {
 public:
  // Leaves in `arguments` what follows it.
  explicit CommandEnvironment(std::vector<std::string>& arguments) {
    while (!arguments.empty() && arguments[0].find('=') != std::string::npos) {
      const size_t equals = arguments[0].find('=');
      names_.push_back(arguments[0].substr(0, equals));
      setenv(names_.back().c_str(), arguments[0].substr(equals + 1).c_str(), 1);
      arguments.erase(arguments.begin());
    }
  }
  ~CommandEnvironment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  CommandEnvironment(const CommandEnvironment&) = delete;
  CommandEnvironment& operator=(const CommandEnvironment&) = delete;

 private:
  std::vector<std::string> names_;
};

void write_theirs(const fs::path& folder) {
  fs::create_directories(folder);
  for (const char* name :
       {"a", "a.csv", "a.json", "a.npy", "a.svg", "a.toml", "a.txt", "memory.txt", "output.npy"}) {
    std::ofstream(folder / name) << "of somebody\n";
  }
}

class CliTest : public testing::TestWithParam<fs::path> {};

TEST_P(CliTest, PrintsWhatTheTranscriptSays) {
  const fs::path tmp = fs::temp_directory_path() / ("hone_cli_" + GetParam().stem().string());
  fs::remove_all(tmp);
  write_theirs(tmp / "theirs");
  for (const Step& step : read_steps(GetParam())) {
    const std::string command = replace_all(step.command, "{source}", source_dir().string());
    std::vector<std::string> arguments = words(replace_all(command, "{tmp}", tmp.string()));
    const CommandEnvironment environment(arguments);
    ASSERT_EQ(arguments[0], "hone");
    arguments.erase(arguments.begin());
    std::ostringstream output;
    const int exit = run_cli(arguments, output, output);
    EXPECT_EQ(exit, step.exit) << step.command << "\n" << output.str();
    // The folder may lie below the repository.
    const std::string plain = replace_all(output.str(), tmp.string(), "{tmp}");
    const std::vector<std::string> actual =
        lines(replace_all(plain, source_dir().string(), "{source}"));
    EXPECT_TRUE(lines_match(step.expected, actual)) << "$ " << step.command << "\n" << output.str();
  }
  fs::remove_all(tmp);
}

// "`--op" and "5ms," are a flag and a word with what stands around them.
std::string without_punctuation(const std::string& word) {
  const size_t first = word.find_first_not_of("`(");
  const size_t last = word.find_last_not_of("`),.");
  return first == std::string::npos || last < first ? "" : word.substr(first, last + 1 - first);
}

TEST(HintWords, NameFlagsThatThereAre) {
  std::string helps;
  for (const std::string& help : command_helps()) helps += help;
  for (int kind = 1; kind <= static_cast<int>(HintKind::OperatorsOfNpus); ++kind) {
    const std::string text = hint_words({static_cast<HintKind>(kind), "it"});
    EXPECT_FALSE(text.empty()) << kind;
    for (const std::string& word : words(text)) {
      const std::string flag = without_punctuation(word);
      if (!flag.starts_with("-")) continue;
      EXPECT_TRUE(helps.find(flag + " ") != std::string::npos ||
                  helps.find(flag + ",") != std::string::npos)
          << flag << " of: " << text;
    }
  }
}

TEST(HintWords, SayWhatTheHintIsOf) {
  EXPECT_EQ(hint_words({HintKind::Threads, "2"}), "--threads 2");
  EXPECT_EQ(hint_words({HintKind::Extents}), "--shapes NAME:1x3x224x224");
  EXPECT_EQ(message_of(bad_input("open").needs({HintKind::Extents, "x:1x8 y:2x128"})),
            "open (--shapes x:1x8 y:2x128)");
}

std::vector<fs::path> transcripts() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(source_dir() / "tests/cli")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Transcripts, CliTest, testing::ValuesIn(transcripts()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace hone
