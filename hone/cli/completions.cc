#include "hone/cli/completions.h"

#include "hone/base/text.h"
#include "hone/cli/command_def.h"
#include "hone/targets/devices.h"
#include "hone/targets/target.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr std::string_view kMade = "# Made by `hone docs` from the definitions of the commands.\n";

bool has_name(const OptionText& option, std::string_view name) {
  return std::ranges::find(option.names, name) != option.names.end();
}

std::vector<std::string> target_words() {
  std::vector<std::string> names;
  for (const TargetDef* target : all_targets()) names.emplace_back(target->name);
  for (const Device& device : device_catalog()) names.push_back(device.name);
  return names;
}

std::vector<std::string> network_words() {
  std::vector<std::string> names;
  for (const NetworkDef* network : all_networks()) names.push_back(str("zoo:", network->name));
  return names;
}

// Words that may stand behind an option; none: a file.
std::vector<std::string> values_of(const OptionText& option) {
  if (!option.choices.empty()) return option.choices;
  return has_name(option, "-d") ? target_words() : std::vector<std::string>();
}

// In single quotes, for any shell.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string all_names(const CommandText& text) {
  std::vector<std::string> names;
  for (const OptionText& option : text.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return join(names, " ");
}

std::string command_names(const std::vector<CommandText>& texts) {
  std::vector<std::string> names;
  for (const CommandText& text : texts) names.emplace_back(text.command->name);
  return join(names, " ");
}

// --- bash

std::string bash_case(const CommandText& text) {
  std::string cases;
  for (const OptionText& option : text.options) {
    const std::vector<std::string> values = values_of(option);
    if (option.value.empty() || values.empty()) continue;
    cases +=
        str("        ", join(option.names, "|"), ") words=", in_quotes(join(values, " ")), " ;;\n");
  }
  std::string body =
      str("    ", text.command->name, ")\n      options=", in_quotes(all_names(text)), "\n");
  if (!cases.empty()) body += str("      case $before in\n", cases, "      esac\n");
  return body + "      ;;\n";
}

std::string bash_page(const std::vector<CommandText>& texts) {
  std::string cases;
  for (const CommandText& text : texts) cases += bash_case(text);
  return str(
      kMade, "_hone() {\n",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options='' "
      "words=''\n",
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W ",
      in_quotes(command_names(texts) + " --help --version"),
      " -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", cases, "  esac\n",
      "  if [ -n \"$words\" ]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n",
      "  elif [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n",
      "  elif [[ $word == zoo* ]]; then\n    COMPREPLY=($(compgen -W ",
      in_quotes(join(network_words(), " ")),
      " -- \"$word\"))\n    __ltrim_colon_completions \"$word\" 2>/dev/null\n",
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\ncomplete -o filenames -F _hone "
      "hone\n");
}

// --- zsh

// What _arguments takes for the parts of a description.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_option(const OptionText& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    std::string word = str(name, "[", zsh_text(option.help), "]");
    if (!option.value.empty()) {
      const std::vector<std::string> values = values_of(option);
      const std::string action =
          values.empty() ? "_files" : str("(", zsh_text(join(values, " ")), ")");
      word += str(":", zsh_text(option.value), ":", action);
    }
    lines += str(" \\\n        ", in_quotes(word));
  }
  return lines;
}

std::string zsh_page(const std::vector<CommandText>& texts) {
  std::string commands, cases;
  for (const CommandText& text : texts) {
    commands +=
        str("    ", in_quotes(str(text.command->name, ":", zsh_text(text.command->summary))), "\n");
    cases += str("    ", text.command->name, ")\n      _arguments");
    for (const OptionText& option : text.options) cases += zsh_option(option);
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return str("#compdef hone\n", kMade, "_hone() {\n  local -a commands=(\n", commands, "  )\n",
             "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n",
             "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name in\n", cases,
             "  esac\n}\n_hone \"$@\"\n");
}

// --- fish

std::string fish_option(std::string_view command, const OptionText& option) {
  std::string line = str("complete -c hone -n '__fish_seen_subcommand_from ", command, "'");
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? str(" -l ", name.substr(2)) : str(" -s ", name.substr(1));
  }
  if (!option.value.empty()) {
    const std::vector<std::string> values = values_of(option);
    line += values.empty() ? " -r" : str(" -x -a ", in_quotes(join(values, " ")));
  }
  return str(line, " -d ", in_quotes(option.help), "\n");
}

std::string fish_page(const std::vector<CommandText>& texts) {
  std::string page(kMade);
  for (const CommandText& text : texts) {
    page += str("complete -c hone -n __fish_use_subcommand -f -a ", text.command->name, " -d ",
                in_quotes(text.command->summary), "\n");
    for (const OptionText& option : text.options) page += fish_option(text.command->name, option);
  }
  return page;
}

}  // namespace

std::vector<ReferencePage> completions() {
  const std::vector<CommandText> texts = command_texts();
  return {
      {"hone.bash", bash_page(texts)}, {"_hone", zsh_page(texts)}, {"hone.fish", fish_page(texts)}};
}

}  // namespace hone
