#include "hone/targets/c_code/interface_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "hone/base/str.h"
#include "hone/base/version.h"
#include "hone/targets/c_code/c_words.h"

namespace hone::c_code {
namespace {

// Nothing but letters, digits and underscores; `change` is std::tolower or std::toupper.
std::string identifier(std::string_view name, int (*change)(int)) {
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    result += std::isalnum(byte) != 0 ? static_cast<char>(change(byte)) : '_';
  }
  return result;
}

// What C and C++ have, and what the header and the network have besides.
bool is_taken(std::string_view name) {
  constexpr std::string_view kTaken[] = {
      "memcpy",    "memset",   "memmove", "bool",     "class", "delete",   "new",
      "namespace", "operator", "private", "public",   "throw", "template", "this",
      "try",       "catch",    "using",   "virtual",  "true",  "false",    "friend",
      "explicit",  "export",   "mutable", "typename", "net",   "arena",    "rows",
      "constant",  "scratch",  "init",    "run",      "vtcm",  "part"};
  return is_word_of_c(name) || std::ranges::find(kTaken, name) != std::end(kTaken);
}

}  // namespace

std::string lower(std::string_view name) {
  return identifier(name, std::tolower);
}
std::string upper(std::string_view name) {
  return identifier(name, std::toupper);
}

std::string comment_text(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool plain = static_cast<unsigned char>(c) >= ' ' && c != '\\' && c != '?';
    const bool ends =
        !text.empty() && ((text.back() == '*' && c == '/') || (text.back() == '/' && c == '*'));
    text += ends ? str(" ", c) : std::string(1, plain ? c : '_');
  }
  return text;
}

std::vector<std::string> interface_names(const Plan& plan) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& given) {
    std::string name = lower(given);
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "t" + name;
    while (std::ranges::find(names, name) != names.end() || is_taken(name)) name += "_";
    names.push_back(std::move(name));
  };
  for (const Value* value : plan.graph.inputs()) add(value->name);
  for (const std::string& output : plan.output_names) add(output);
  return names;
}

std::vector<const Value*> interface_values(const Plan& plan) {
  std::vector<const Value*> values;
  values.insert(values.end(), plan.inputs.begin(), plan.inputs.end());
  values.insert(values.end(), plan.outputs.begin(), plan.outputs.end());
  return values;
}

bool inputs_in_arena(const Plan& plan) {
  return plan.options.firmware.inputs_in_arena;
}

std::string alignment_text(const Plan& plan) {
  const size_t bytes = plan.options.core.alignment();
  return bytes > 8 ? str(" __attribute__((aligned(", bytes, ")))") : "";
}

std::string parameters(const Plan& plan) {
  const std::vector<std::string> names = interface_names(plan);
  std::string text;
  for (size_t i = inputs_in_arena(plan) ? plan.inputs.size() : 0; i < names.size(); ++i) {
    text +=
        str(text.empty() ? "" : ", ", i < plan.inputs.size() ? "const " : "", "int8_t *", names[i]);
  }
  return text;
}

std::vector<std::string> accessors(const Plan& plan, const ProjectNames& names) {
  std::vector<std::string> texts;
  const std::vector<std::string> parts = interface_names(plan);
  for (size_t i = 0; inputs_in_arena(plan) && i < plan.inputs.size(); ++i) {
    texts.push_back(
        str("int8_t *", names.prefix, "_", parts[i], "_in_arena(const ", names.prefix, " *net)"));
  }
  return texts;
}

std::string made_by(const ProjectNames& names) {
  return str("/* ", comment_text(names.model), " for ", comment_text(names.device),
             ", made by hone ", version(), ". Not to be edited. */\n");
}

std::string shape_text(const TensorType& type) {
  std::string text;
  for (const int64_t extent : type.shape) text += str(text.empty() ? "" : ", ", extent);
  return str("int8 [", text, "]");
}

std::string interface_alignment(const Plan& plan) {
  return plan.options.core.hvx ? "; inputs to 8" : "";
}

std::string stamp_of(std::string_view text) {
  uint32_t hash = 2166136261u;  // FNV-1a.
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("0x{:08x}", hash);
}
std::string stamp_check(const std::string& macro, const std::string& stamp, std::string_view file) {
  return str("#if ", macro, " != ", stamp, "\n#error \"", file,
             " is of another project: write it again\"\n#endif\n");
}
std::string project_macro(const ProjectNames& names) {
  return upper(names.prefix) + "_PROJECT";
}

bool uses_vtcm(const Plan& plan) {
  return plan.vtcm.bytes > 0;
}

std::string init_declaration(const Plan& plan, const ProjectNames& names) {
  return str("int ", names.prefix, "_init(", names.prefix, " *net, void *arena, size_t bytes",
             uses_vtcm(plan) ? ", void *vtcm, size_t vtcm_bytes)" : ")");
}

}  // namespace hone::c_code
