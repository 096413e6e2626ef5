#include "hone/cli/usage_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>

#include "hone/base/text.h"
#include "hone/cli/flags.h"

namespace hone {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What nothing takes: the first that looks like an option, since a word behind it may be its value.
std::string unexpected_words(const CLI::App& app, const std::string& name) {
  std::vector<std::string> rest = app.remaining();
  const auto option = std::ranges::find_if(
      rest, [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (option != rest.end()) {
    const std::string given = option->substr(0, option->find('='));
    return str("no option '", unguard_bracket(given), "'",
               given.starts_with("--") ? did_you_mean(given, option_names(app)) : "", "; `", name,
               " --help` lists them");
  }
  const std::string first = rest.empty() ? "" : unguard_bracket(rest[0]);
  return str("'", first, "' is one argument too many; see `", name, " --help`");
}

// "0.000000" -> "0".
std::string plain_number(const std::string& number) {
  if (number.find('.') == std::string::npos) return number;
  const std::string trimmed = number.substr(0, number.find_last_not_of('0') + 1);
  return trimmed.ends_with('.') ? trimmed.substr(0, trimmed.size() - 1) : trimmed;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

// Of an argument that has its place, what stands there.
std::string required_words(const CLI::App& app, const std::string& name) {
  if (name.starts_with('-')) return name + " is required";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name(true) == name) return "expected " + option->get_type_name();
  }
  return name + " is required";
}

// The parser's sentences, by their form.
std::string in_own_words(const CLI::App& app, const std::string& said) {
  constexpr size_t kMostMatched = 1000;  // The library's matching takes stack for each letter.
  if (said.size() > kMostMatched) return said;
  std::smatch part;
  const auto is = [&](const char* form) {
    return std::regex_match(said, part, std::regex(form, std::regex::ECMAScript));
  };
  if (is("(\\S+): Value ([^]*) not in range (\\S+) to (\\S+)")) {
    const std::string value = part[2].str();
    return str(part[1].str(), ": '", value,
               is_number(value) ? "' is not between " : "' is no number, expected one between ",
               plain_number(part[3].str()), " and ", plain_number(part[4].str()));
  }
  if (is("(\\S+): ([^]*) not in \\{([^}]*)\\}")) {
    const std::vector<std::string> values = CLI::detail::split(part[3].str(), ',');
    return str(part[1].str(), ": '", part[2].str(), "' is none of ", join(values),
               did_you_mean(part[2].str(), values));
  }
  if (is("(\\S+): At Most 1 required but received (\\d+)")) {
    return str(part[1].str(), ": is given ", part[2].str(), " times, expected one");
  }
  if (is("(\\S+): \\d+ required ([^: ]*).* missing")) {
    return str(part[1].str(), ": expected a value, ", part[2].str());
  }
  if (is("Could not convert: (\\S+) = ([^]*)")) {
    return str(part[1].str(), ": '", part[2].str(), "' is no number");
  }
  if (is("(\\S+) requires (\\S+)")) return str(part[1].str(), " needs ", part[2].str());
  if (is("(\\S+) is required")) return required_words(app, part[1].str());
  return said;
}

}  // namespace

std::string usage_words(const CLI::App& app, const CLI::ParseError& error,
                        const std::string& name) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return unexpected_words(app, name);
  }
  std::string said = unguard_bracket(error.what());
  std::ranges::replace(said, '\n', ' ');
  return str(in_own_words(app, said), "; see `", name, " --help`");
}

}  // namespace hone
