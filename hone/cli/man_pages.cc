#include "hone/cli/man_pages.h"

#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/cli/command_def.h"

namespace hone {
namespace {

// Text that troff takes for nothing else: a dash stays a dash, and no line begins with a command.
std::string troff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins = escaped.empty() || escaped.back() == '\n';
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string heading(std::string_view name) {
  std::string title(name);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return str(".TH ", title, " 1 \"\" \"hone ", version(), "\" \"Hone\"\n");
}

std::string option_page(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(str("\\fB", troff(name), "\\fR"));
  const std::string value = option.value.empty() ? "" : str(" \\fI", troff(option.value), "\\fR");
  std::string text = str(".TP\n", join(names, ", "), value, "\n", troff(option.help), "\n");
  if (!option.choices.empty()) text += str("One of ", troff(join(option.choices, ", ")), ".\n");
  return text;
}

std::string examples_page(const std::vector<std::string_view>& examples) {
  if (examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string_view example : examples) text += troff(example) + "\n";
  return text + ".fi\n";
}

constexpr std::string_view kExits =
    ".SH EXIT STATUS\n0 pass, 1 gate failed, 2 inconclusive, 3 usage or bad input, 4 unsupported, "
    "5 resource or "
    "backend failure.\n";

std::string command_page(const CommandText& text) {
  const CommandDef& command = *text.command;
  const std::string name = str("hone-", command.name);
  std::string page = heading(name);
  page += str(".SH NAME\n", troff(name), " \\- ", troff(command.summary), "\n");
  page += str(".SH SYNOPSIS\n\\fBhone ", command.name, "\\fR [\\fIOPTIONS\\fR]");
  for (const std::string& positional : text.positionals)
    page += str(" \\fI", troff(positional), "\\fR");
  page += "\n.SH OPTIONS\n";
  for (const OptionText& option : text.options) page += option_page(option);
  page += examples_page(command.examples);
  return page + std::string(kExits) + ".SH SEE ALSO\n\\fBhone\\fR(1)\n";
}

std::string program_page(const std::vector<CommandText>& texts) {
  std::string page = heading("hone");
  page += ".SH NAME\nhone \\- sharpens neural networks for the hardware they will run on\n";
  page += ".SH SYNOPSIS\n\\fBhone\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const CommandText& text : texts) {
    page += str(".TP\n\\fBhone\\-", text.command->name, "\\fR(1)\n", troff(text.command->summary),
                "\n");
  }
  return page + std::string(kExits);
}

}  // namespace

std::vector<ReferencePage> man_pages() {
  const std::vector<CommandText> texts = command_texts();
  std::vector<ReferencePage> pages = {{"hone.1", program_page(texts)}};
  for (const CommandText& text : texts) {
    pages.push_back({str("hone-", text.command->name, ".1"), command_page(text)});
  }
  return pages;
}

}  // namespace hone
