#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <sstream>

#include "hone/base/printable.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/cli/command_def.h"
#include "hone/cli/flags.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/printable_stream.h"
#include "hone/cli/shell_words.h"
#include "hone/cli/usage_words.h"
#include "hone/device/cpu_features.h"

namespace hone {
namespace {

// The parser with every command declared.
struct CommandLine {
  CLI::App app;
  // One per command, in the order of all_commands.
  std::vector<CommandDef::Action> actions = {};
  std::vector<Flags> flags = {};
};

std::string footer_of(const CommandDef& command) {
  std::string text;
  if (!command.examples.empty()) text += "\nexamples:\n";
  for (const std::string_view example : command.examples) text += str("  ", example, "\n");
  return text;
}

std::unique_ptr<CommandLine> make_command_line(CommandContext& context) {
  auto line = std::make_unique<CommandLine>();
  CLI::App& app = line->app;
  app.name("hone");
  app.description("Sharpens neural networks for the hardware they will run on.");
  app.set_version_flag("--version", str("hone ", version()));
  app.require_subcommand(1);
  app.footer(
      "\nexit codes: 0 pass, 1 gate failed, 2 inconclusive, 3 usage or bad input,\n"
      "            4 unsupported, 5 resource or backend failure");
  for (const CommandDef* command : all_commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
    sub->footer(footer_of(*command));
    Flags& flags = line->flags.emplace_back(*sub);
    line->actions.push_back(command->declare(flags, context));
    flags.toggle("--force", context.force,
                 "write over files that this command reads, or that hone did not write");
    flags.toggle(
        "-q,--quiet", context.quiet,
        "results and errors alone: no progress, no notes on what was written or how to go on");
  }
  return line;
}

int exit_code(const Error& error) {
  switch (error.kind) {
    case ErrorKind::BadInput:
      return static_cast<int>(Exit::BadInput);
    case ErrorKind::Unsupported:
      return static_cast<int>(Exit::Unsupported);
    case ErrorKind::Resource:
      break;
  }
  return static_cast<int>(Exit::Resource);
}

// The message of a parse error in one line, with the way to help.
int report_usage(const CLI::App& app, const CLI::ParseError& error,
                 const std::vector<std::string>& arguments, std::ostream& err) {
  const std::string first = arguments.empty() ? "" : arguments[0];
  std::vector<std::string> names;
  for (const CommandDef* command : all_commands()) names.emplace_back(command->name);
  if (std::ranges::find(names, first) != names.end()) {
    const std::string name = "hone " + first;
    err << name << ": " << printable(usage_words(*app.get_subcommand(first), error, name)) << "\n";
  } else if (first.empty()) {
    err << "hone: expected a command; `hone --help` lists them\n";
  } else {
    err << "hone: no " << (first.starts_with('-') ? "option '" : "command '") << printable(first)
        << "'" << did_you_mean(first, names) << "; `hone --help` lists them\n";
  }
  return static_cast<int>(Exit::BadInput);
}

// What is refused is refused before the work begins.
Status check_outputs(const Flags& flags, const CommandContext& context) {
  std::vector<std::string> named;
  for (const auto& [flag, path] : flags.outputs()) {
    if (path->empty()) continue;
    const bool stdout_named = *path == "-";
    if (std::ranges::find(named, *path) != named.end()) {
      return bad_input(stdout_named ? "standard output" : *path, ": is named for two outputs");
    }
    if (!stdout_named) {
      HONE_RETURN_IF_ERROR(check_folder(*path));
      HONE_RETURN_IF_ERROR(flag.given() ? check_output(context, *path)
                                        : check_unnamed_output(context, *path));
    }
    named.push_back(*path);
  }
  return Done{};
}

int report_error(const CommandDef& command, const Error& error, std::ostream& err) {
  err << "hone " << command.name << ": " << printable(message_of(error)) << "\n";
  return exit_code(error);
}

int run_action(const CommandLine& line, CommandContext& context) {
  for (size_t i = 0; i < line.actions.size(); ++i) {
    const CommandDef& command = *all_commands()[i];
    if (!line.app.get_subcommand(std::string(command.name))->parsed()) continue;
    context.inputs = line.flags[i].given_inputs();
    for (const auto& [flag, path] : line.flags[i].outputs()) {
      if (flag.given()) context.outputs.push_back(*path);
    }
    if (const Status outputs = check_outputs(line.flags[i], context); !outputs.ok()) {
      return report_error(command, outputs.error(), context.err);
    }
    be_quiet(context.quiet);
    const Result<Exit> result = line.actions[i]();
    if (result.ok()) return static_cast<int>(*result);
    return report_error(command, result.error(), context.err);
  }
  return static_cast<int>(Exit::BadInput);
}

std::vector<std::string> with_names_of_today(const CommandLine& line,
                                             std::vector<std::string> arguments) {
  for (size_t i = 0; i < line.flags.size(); ++i) {
    if (arguments.empty() || arguments[0] != all_commands()[i]->name) continue;
    for (std::string& argument : arguments) argument = line.flags[i].renamed(argument);
  }
  return arguments;
}

int parse_and_run(const std::vector<std::string>& arguments, CommandContext& context) {
  const auto line = make_command_line(context);
  std::vector<std::string> reversed = with_names_of_today(*line, arguments);
  std::ranges::reverse(reversed);  // As CLI11 wants them.
  for (std::string& argument : reversed) argument = guard_bracket(std::move(argument));
  try {
    line->app.parse(reversed);
    return run_action(*line, context);
  } catch (const CLI::Success& success) {  // --help and --version.
    return line->app.exit(success, context.out, context.err);
  } catch (const CLI::ParseError& error) {
    return report_usage(line->app, error, arguments, context.err);
  }
}

int run_command(const std::vector<std::string>& arguments, CommandContext& context) {
  try {
    return parse_and_run(arguments, context);
  } catch (const std::bad_alloc&) {
    context.err << "hone: out of memory\n";
  } catch (const std::exception& error) {
    context.err << "hone: bug in hone: nobody caught: " << printable(error.what()) << "\n";
  }
  return static_cast<int>(Exit::Resource);
}

// What the environment asks for is refused before anything is done.
int run_in_environment(const std::vector<std::string>& arguments, CommandContext& context) {
  if (const Result<CpuFeatures> taken = taken_cpu_features(); !taken.ok()) {
    context.err << "hone: " << printable(taken.error().message) << "\n";
    return exit_code(taken.error());
  }
  return run_command(arguments, context);
}

}  // namespace

std::ostream& CommandContext::notes() const {
  static std::ostream nowhere(nullptr);
  return quiet ? nowhere : out;
}

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  PrintableStream text(out), errors(err);
  std::vector<std::string> words = {"hone"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  CommandContext context{text, out, errors, shell_line(words)};
  int exit = run_in_environment(arguments, context);
  // Only now is it known whether there was room for what was printed.
  if (!text.flush() || !out.flush()) {
    errors << "hone: standard output cannot be written\n";
    exit = static_cast<int>(Exit::Resource);
  }
  errors.flush();
  return exit;
}

std::vector<std::string> command_helps() {
  std::ostringstream sink;
  CommandContext context{sink, sink, sink, ""};
  const auto line = make_command_line(context);
  std::vector<std::string> helps;
  for (const CommandDef* command : all_commands()) {
    helps.push_back(line->app.get_subcommand(std::string(command->name))->help("hone"));
  }
  return helps;
}

namespace {

// "TYPE:{fp32,fp16}" is what CLI11 makes of a value that is one of some, "INT:INT in [1 - 8]" of one in a range.
std::string value_in(const std::string& type) {
  const bool range = type.find(" in [") != std::string::npos;
  return type.substr(0, range ? type.find(':') : type.find(":{"));
}

std::vector<std::string> choices_in(const std::string& type) {
  const size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

OptionText text_of_option(const CLI::Option& option, bool output) {
  OptionText text{.help = unguard_bracket(option.get_description()), .output = output};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) return text;
  const std::string type = option.get_type_name();
  text.value = value_in(type);
  text.choices = choices_in(type);
  return text;
}

std::string positional_text(const CLI::Option& option) {
  const std::string name =
      option.get_name(true) + (option.get_items_expected_max() > 1 ? "..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

}  // namespace

std::vector<CommandText> command_texts() {
  std::ostringstream sink;
  CommandContext context{sink, sink, sink, ""};
  const auto line = make_command_line(context);
  std::vector<CommandText> texts;
  for (size_t i = 0; i < all_commands().size(); ++i) {
    CommandText text{.command = all_commands()[i]};
    const CLI::App* sub = line->app.get_subcommand(std::string(text.command->name));
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_positional()) text.positionals.push_back(positional_text(*option));
      if (!option->nonpositional()) continue;
      const bool output = std::ranges::any_of(line->flags[i].outputs(), [&](const auto& one) {
        return one.flag == Flag(const_cast<CLI::Option*>(option));
      });
      text.options.push_back(text_of_option(*option, output));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace hone
