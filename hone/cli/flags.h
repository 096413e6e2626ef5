// What a command takes on its command line. CLI11 does the parsing behind this; its headers cost 5
// s in every source that includes them, so commands see these few functions instead.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hone {

// An option that was declared, to say more about it:
//   flags.number("--threads", threads, "threads to compute with").range(0, 1024);
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  Flag& required(bool value = true);
  // Both ends are allowed.
  Flag& range(int low, int high);
  Flag& range(double low, double high);
  Flag& one_of(const std::vector<std::string>& values);
  // May be given only together with `other`.
  Flag& needs(const Flag& other);
  // For a value that means "not given".
  Flag& hide_default();

  // Known once the command line is parsed.
  bool given() const;
  std::string name() const;
  bool operator==(const Flag&) const = default;

 private:
  CLI::Option* option_;
};

// CLI11 takes an argument in brackets for a list and drops them: of the pattern "[0-9]" "0-9" would be
// left. So arguments are guarded before they are parsed; values and messages have the bracket again.
std::string guard_bracket(std::string argument);
std::string unguard_bracket(std::string text);

// The options of one command. `names` is what the help text begins with: "-o,--output FILE" for an
// option, "folder DIR" for a positional argument, "model,-m,--model MODEL" for both; without a
// second word the type of the value stands there. A value stays as it is when its option is not
// given, and the help text shows it unless it is empty; it must outlive the parsing.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  Flag text(const std::string& names, std::string& value, const std::string& help);
  // One or more values.
  Flag texts(const std::string& names, std::vector<std::string>& values, const std::string& help);
  // The path of something to write. It must be no file that another option names, and where it is
  // not given, what its value names must be of hone's making; see output_paths.
  Flag output(const std::string& names, std::string& value, const std::string& help);
  Flag number(const std::string& names, int& value, const std::string& help);
  Flag number(const std::string& names, uint64_t& value, const std::string& help);
  Flag number(const std::string& names, double& value, const std::string& help);
  // A time in seconds: "5", "500ms", "2min".
  Flag seconds(const std::string& names, double& value, const std::string& help);
  // A part of a whole: "5%" or "0.05".
  Flag part(const std::string& names, double& value, const std::string& help);
  Flag toggle(const std::string& names, bool& value, const std::string& help);
  // Does something else than the command does; the program ends after it with exit code 0.
  Flag action(const std::string& names, std::function<void()> act, const std::string& help);

  // A name that an option had before: it works as ever, and no help tells of it.
  void old_name(const Flag& flag, const std::string& name);
  // The argument with the name that it has today.
  std::string renamed(const std::string& argument) const;

  // Every option so far but --help.
  std::vector<Flag> declared() const;
  // Paths to write: the option, and its value once the command line is parsed.
  struct Output {
    Flag flag;
    const std::string* path;
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  // What was given to the other options.
  std::vector<std::string> given_inputs() const;
  // One that was declared, by one of its names.
  Flag find(const std::string& name) const;

 private:
  CLI::App& app_;
  std::vector<Output> outputs_ = {};
  std::map<std::string, std::string> old_names_ = {};
};

}  // namespace hone
