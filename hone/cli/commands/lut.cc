#include <cmath>
#include <filesystem>
#include <functional>

#include "hone/base/file.h"
#include "hone/base/json_text.h"
#include "hone/base/output_file.h"
#include "hone/base/short_name.h"
#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/quantize/activation/emit_c.h"
#include "hone/quantize/activation/emit_hvx.h"
#include "hone/quantize/activation/error_plot.h"
#include "hone/report/results/compiled_function.h"
#include "hone/targets/c_code/c_words.h"

namespace hone {
namespace {

struct LutArguments {
  std::string expression;
  std::vector<std::string> parameters;
  std::string range;
  std::string in = "";
  std::string out = "";
  std::string in_type = "i8";
  std::string out_type = "i8";
  std::string kind = "lut";
  std::string emit = "c";
  double max_error = 1;
  std::string name = "activation";
  std::string output;
  JsonOutput json;
};

// What was made of the function, whichever way.
struct CompiledLut {
  std::function<int32_t(int32_t)> run;
  std::string c;
  CompiledFunction told;
};

Result<std::pair<double, double>> parse_pair(const std::string& text, const char* what) {
  double a = 0;
  double b = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lf,%lf%c", &a, &b, &rest) != 2) {
    return bad_input(what, " ", text, ": expected two numbers with a comma between them");
  }
  return std::pair(a, b);
}

Result<std::map<std::string, double>> parse_parameters(const std::vector<std::string>& given) {
  std::map<std::string, double> parameters;
  for (const std::string& text : given) {
    const size_t equals = text.find('=');
    double value = 0;
    char rest = 0;
    if (equals == std::string::npos || equals == 0 ||
        std::sscanf(text.c_str() + equals + 1, "%lf%c", &value, &rest) != 1) {
      return bad_input("--param ", text, ": expected NAME=NUMBER");
    }
    const std::string name = text.substr(0, equals);
    if (name == "x") return bad_input("--param ", text, ": x is what the function is of");
    if (!parameters.emplace(name, value).second) {
      return bad_input("--param ", text, ": ", name, " has a value already, ", parameters[name]);
    }
  }
  return parameters;
}

Result<CodeType> parse_type(const std::string& type, const std::string& params, const char* what) {
  const DType dtype = type == "u8" ? DType::U8 : type == "i16" ? DType::I16 : DType::I8;
  HONE_TRY(const auto pair, parse_pair(params, what));
  if (std::trunc(pair.second) != pair.second || std::abs(pair.second) > 1e9) {
    return bad_input(what, " ", params, ": the zero point is ", pair.second,
                     ", expected a whole number");
  }
  return CodeType{dtype, pair.first, static_cast<int32_t>(std::lround(pair.second))};
}

Status check_parameters_used(const Expression& expression,
                             const std::map<std::string, double>& parameters) {
  for (const auto& [name, value] : parameters) {
    if (expression.parameters().contains(name)) continue;
    return bad_input("--param ", name, "=", value, ": there is no ", name, " in '",
                     expression.text(), "'");
  }
  return Done{};
}

Result<QuantizedFunction> make_function(const LutArguments& options) {
  HONE_TRY(const auto parameters, parse_parameters(options.parameters));
  HONE_TRY(const Expression expression, Expression::parse(options.expression, parameters));
  HONE_RETURN_IF_ERROR(check_parameters_used(expression, parameters));
  HONE_TRY(const CodeType in, parse_type(options.in_type, options.in, "--in"));
  HONE_TRY(const CodeType out, parse_type(options.out_type, options.out, "--out"));
  std::optional<RealRange> range;
  if (!options.range.empty()) {
    HONE_TRY(const auto ends, parse_pair(options.range, "--range"));
    range = RealRange{ends.first, ends.second};
  }
  return QuantizedFunction::make(expression, in, out, range);
}

std::string about(const LutArguments& options, const CodeError& error) {
  return str(options.expression, ": ", options.in_type, " ", options.in, " -> ", options.out_type,
             " ", options.out, "\n   Worst error ", fixed(error.worst, 3),
             " units of the last place over all ", error.codes, " codes; made by hone ", version());
}

// Of what is written. HVX has a table of every code, whatever the function was made of.
std::string made_of(const LutArguments& options, const std::string& implementation) {
  const bool as_table = options.emit == "hvx" && options.kind != "lut";
  return as_table ? implementation + ", written as a table of 256 entries" : implementation;
}

template <class Implementation>
CompiledLut compiled(const LutArguments& options, const QuantizedFunction& function,
                     const Implementation& implementation, size_t bytes) {
  const CodeError error = check_every_code(function, implementation);
  const std::string comment = about(options, error);
  return {.run = implementation,
          .c = options.emit == "hvx"
                   ? emit_hvx(implementation, function.in(), function.out(), options.name, comment)
                   : emit_c(implementation, options.name, comment),
          .told = {.expression = options.expression,
                   .kind = options.kind,
                   .made_of = made_of(options, describe(implementation)),
                   .bytes = options.emit == "hvx" ? 256 : bytes,
                   .error = error,
                   .worst_x = function.in().real(error.worst_at),
                   .max_error = options.max_error,
                   .implementation = implementation_json(implementation)}};
}

Result<CompiledLut> compile(const LutArguments& options, const QuantizedFunction& function) {
  if (options.kind == "lut") {
    HONE_TRY(const LookupTable table, make_lookup_table(function, options.max_error));
    const size_t width = table.out.dtype == DType::I16 ? 2 : 1;
    return compiled(options, function, table, table.entries.size() * width);
  }
  const int degree = options.kind == "poly" ? 2 : 1;
  HONE_TRY(const PiecewiseFunction pieces, make_pieces(function, degree, options.max_error));
  return compiled(options, function, pieces, pieces.pieces.size() * (degree == 2 ? 16 : 12));
}

Status write_lut(const LutArguments& options, const QuantizedFunction& function,
                 const CompiledLut& compiled) {
  const std::vector<NamedText> files = {
      {options.name + ".c", compiled.c},
      {options.name + ".svg", error_plot(function, compiled.run, options.expression)},
      {options.name + ".json", json_text(compiled.told.implementation, 1) + "\n"}};
  return write_folder(options.output, [&] { return write_files(options.output, files); });
}

Status check_files(const LutArguments& options, const CommandContext& context) {
  std::vector<std::string> files;
  for (const char* extension : {".c", ".svg", ".json"}) files.push_back(options.name + extension);
  return check_output_folder(context, options.output, files, files[0]);
}

// C tells names of more letters apart no further.
constexpr size_t kLongestName = 63;

bool is_c_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || c == '_' || (c >= '0' && c <= '9');
  });
}

// The name becomes that of a function in C.
Status check_function_name(const LutArguments& options) {
  const std::string& name = options.name;
  const bool taken = name == "main" || c_code::is_word_of_c(name) ||
                     c_code::is_library_function(name) ||
                     (options.emit == "hvx" && is_taken_in_hvx(name));
  if (taken || !is_c_name(name)) {
    return bad_input("--name: '", name, "' is no name of a function in C, such as my_swish");
  }
  if (name.size() <= kLongestName) return Done{};
  return bad_input("--name: '", short_name(name), "' has ", name.size(),
                   " letters, expected at most ", kLongestName);
}

Result<Exit> run_lut(const LutArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_function_name(options));
  if (options.emit == "hvx" && options.output.empty()) {
    return bad_input("--emit hvx: nothing would be written, expected a folder for it (-o DIR)");
  }
  if (!options.output.empty()) HONE_RETURN_IF_ERROR(check_files(options, context));
  HONE_TRY(const QuantizedFunction function, make_function(options));
  if (options.emit == "hvx") {
    HONE_RETURN_IF_ERROR(check_hvx_types(function.in(), function.out()));
  }
  HONE_TRY(const CompiledLut compiled, compile(options, function));
  if (!options.output.empty()) {
    HONE_RETURN_IF_ERROR(write_lut(options, function, compiled));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", function_to_json(compiled.told)));
  }
  const Exit exit = compiled.told.holds() ? Exit::Pass : Exit::GateFailed;
  if (options.json.to_stdout()) return exit;
  context.out << function_text(compiled.told);
  if (!compiled.told.holds()) {
    context.out << "that is more than --max-error " << options.max_error << "\n";
  }
  if (!options.output.empty()) {
    context.notes() << "wrote " << options.name << ".c, .svg and .json to " << options.output
                    << "\n";
  }
  return exit;
}

CommandDef::Action declare_lut(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<LutArguments>();
  flags
      .text(
          "expression EXPR", options->expression,
          "a function of x: + - * / ^, comparisons, exp log tanh sigmoid sqrt erf abs min max ...")
      .required();
  flags.texts("--param NAME=NUMBER", options->parameters, "a value for a name in the expression");
  flags.text("--range LOW,HIGH", options->range,
             "x that the function is asked for; others give its ends");
  flags.text("--in SCALE,ZP", options->in, "scale and zero point of the input").required();
  flags.text("--out SCALE,ZP", options->out, "scale and zero point of the output").required();
  flags.text("--in-type", options->in_type, "codes of the input").one_of({"i8", "u8", "i16"});
  flags.text("--out-type", options->out_type, "codes of the output").one_of({"i8", "u8", "i16"});
  flags
      .text("--kind", options->kind,
            "`lut`: a table; `pwl`: fewest straight lines; `poly`: fewest parabolas")
      .one_of({"lut", "pwl", "poly"});
  flags.number("--max-error", options->max_error, "worst error in units of the output's last place")
      .range(0.5, 1e9);
  flags
      .text("--emit", options->emit,
            "`c`: a function of one code; `hvx`: of an array of 8-bit codes, by the vectors of a "
            "Hexagon DSP, with a test of every code; plain C elsewhere")
      .one_of({"c", "hvx"});
  flags.text("--name", options->name, "of the C function and the files");
  flags.text("-o,--output DIR", options->output, "folder for C code, picture and numbers");
  options->json.declare(flags);
  return [options, &context] { return run_lut(*options, context); };
}

}  // namespace

extern const CommandDef command_lut = {
    .name = "lut",
    .summary = "Compiles a function of x into integer code with a proven worst error.",
    .examples =
        {"hone lut 'x*sigmoid(beta*x)' --param beta=1.7 --in 0.0625,3 --out 0.05,-100 -o swish",
         "hone lut 'tanh(x)' --in 0.03,0 --out 0.0078125,0 --kind pwl --max-error 1",
         "hone lut 'x*sigmoid(x)' --in-type i16 --out-type i16 --in 2.5e-4,0 --out 2.5e-4,0 "
         "--kind poly --max-error 4",
         "hone lut 'x*sigmoid(x)' --in 0.0625,0 --out 0.05,-100 --emit hvx --name swish -o swish"},
    .declare = declare_lut,
};

}  // namespace hone
