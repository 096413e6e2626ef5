#include "hone/cli/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "hone/validate/limits.h"

namespace hone {
namespace {

// Declares an option that "-o,--output FILE" names.
template <class T>
CLI::Option* add(CLI::App& app, const std::string& names, T& value, const std::string& help) {
  const size_t space = names.find(' ');
  CLI::Option* option = app.add_option(names.substr(0, space), value, help);
  if (space != std::string::npos) option->type_name(names.substr(space + 1));
  return option;
}

constexpr char kGuard = '\x01';

// A number alone is one already; what is no number is refused as such.
template <class Parse>
std::string as_number(const std::string& text, const Parse& parse) {
  double number = 0;
  if (CLI::detail::lexical_cast(text, number)) return text;
  const Result<double> parsed = parse(text);
  return parsed.ok() ? fmt::format("{}", *parsed) : text;
}

std::string in_seconds(const std::string& text) {
  return as_number(text, parse_seconds);
}

std::string of_one(const std::string& text) {
  return as_number(text, parse_part);
}

}  // namespace

std::string guard_bracket(std::string argument) {
  if (argument.starts_with('[') && argument.ends_with(']')) argument[0] = kGuard;
  return argument;
}

std::string unguard_bracket(std::string text) {
  std::ranges::replace(text, kGuard, '[');
  return text;
}

Flag& Flag::required(bool value) {
  option_->required(value);
  return *this;
}

Flag& Flag::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Flag& Flag::range(double low, double high) {
  option_->check(CLI::Range(low, high));
  // NaN is neither below nor above.
  option_->check([](const std::string& text) {
    double value = 0;
    const bool is_number = CLI::detail::lexical_cast(text, value);
    return is_number && std::isnan(value) ? text + " is no number" : std::string();
  });
  return *this;
}

Flag& Flag::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Flag& Flag::needs(const Flag& other) {
  option_->needs(other.option_);
  return *this;
}

Flag& Flag::hide_default() {
  option_->default_str("");
  return *this;
}

bool Flag::given() const {
  return option_->count() > 0;
}

std::string Flag::name() const {
  return option_->get_name();
}

Flag Flags::text(const std::string& names, std::string& value, const std::string& help) {
  CLI::Option* option = add(app_, names, value, help)->capture_default_str();
  // An unset variable of a script, most likely: a limit must not vanish with it.
  option->check([](const std::string& given) {
    return given.empty() ? std::string("expected a value, got an empty text") : std::string();
  });
  return Flag(option->transform(unguard_bracket));
}

Flag Flags::texts(const std::string& names, std::vector<std::string>& values,
                  const std::string& help) {
  return Flag(add(app_, names, values, help)->transform(unguard_bracket));
}

Flag Flags::output(const std::string& names, std::string& value, const std::string& help) {
  outputs_.push_back({text(names, value, help), &value});
  return outputs_.back().flag;
}

Flag Flags::number(const std::string& names, int& value, const std::string& help) {
  return Flag(add(app_, names, value, help)->capture_default_str());
}

Flag Flags::number(const std::string& names, uint64_t& value, const std::string& help) {
  const auto whole = [](const std::string& given) -> std::string {
    uint64_t read = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), read);
    if (error == std::errc() && end == given.data() + given.size()) return "";
    return str("'", given, "' is no whole number from 0 to ", std::numeric_limits<uint64_t>::max());
  };
  return Flag(add(app_, names, value, help)->check(whole)->capture_default_str());
}

Flag Flags::number(const std::string& names, double& value, const std::string& help) {
  return Flag(add(app_, names, value, help)->capture_default_str());
}

Flag Flags::seconds(const std::string& names, double& value, const std::string& help) {
  return Flag(add(app_, names, value, help)->capture_default_str()->transform(in_seconds));
}

Flag Flags::part(const std::string& names, double& value, const std::string& help) {
  return Flag(add(app_, names, value, help)->capture_default_str()->transform(of_one));
}

Flag Flags::toggle(const std::string& names, bool& value, const std::string& help) {
  return Flag(app_.add_flag(names, value, help));
}

Flag Flags::action(const std::string& names, std::function<void()> act, const std::string& help) {
  const auto act_and_end = [act = std::move(act)] {
    act();
    throw CLI::Success();
  };
  return Flag(app_.add_flag_callback(names, act_and_end, help));
}

void Flags::old_name(const Flag& flag, const std::string& name) {
  old_names_[name] = flag.name();
}

std::string Flags::renamed(const std::string& argument) const {
  const size_t end = std::min(argument.find('='), argument.size());
  const auto found = old_names_.find(argument.substr(0, end));
  return found == old_names_.end() ? argument : found->second + argument.substr(end);
}

std::vector<Flag> Flags::declared() const {
  std::vector<Flag> flags;
  for (CLI::Option* option : app_.get_options()) {
    if (option != app_.get_help_ptr()) flags.emplace_back(option);
  }
  return flags;
}

std::vector<std::string> Flags::given_inputs() const {
  std::vector<std::string> values;
  for (CLI::Option* option : app_.get_options()) {
    const auto writes = [&](const Output& output) { return output.flag == Flag(option); };
    if (std::ranges::any_of(outputs_, writes)) continue;
    for (const std::string& value : option->results()) {
      values.push_back(value);
      // The file of NAME:FILE.
      for (size_t at = value.find(':'); at != value.npos; at = value.find(':', at + 1)) {
        values.push_back(value.substr(at + 1));
      }
    }
  }
  return values;
}

Flag Flags::find(const std::string& name) const {
  return Flag(app_.get_option(name));
}

}  // namespace hone
