// Text -> graph. The text may be anything: every size is checked before it is believed.
//
//   graph     = "graph" "(" [input {"," input}] ")" "->" outputs "{" {statement} "}"
//   input     = value [":" type]
//   outputs   = "(" [value {"," value}] ")" | value {"," value}
//   statement = "source" string word integer | "vanished" integer string
//             | "const" value ":" tensor "=" elements
//             | input {"," input} "=" word "(" [operand {"," operand}] ")" {suffix}
//   operand   = value | "_" | literal
//   suffix    = word "=" attribute | "name" string | "from" "[" [integer {"," integer}] "]"
//   type      = ["optional"] ["sequence"] tensor
//   tensor    = dtype "[" ("..." | [extent {"," extent}]) "]" [quant] | "?"
//   quant     = "<" ["axis" integer ","] {scale ":" zero_point} ">"
//   literal   = tensor elements
//   elements  = "{" {element} "}"

#include <algorithm>
#include <unordered_map>

#include "hone/graph/graph.h"
#include "hone/graph/lexer.h"
#include "hone/graph/literal.h"

namespace hone {
namespace {

constexpr int kDeepest = 64;

struct Scope {
  Graph graph;
  std::unordered_map<std::string, Value*> values;
};

// A result of a node before the node is made.
struct Declared {
  Token name;
  ValueType type;
};

struct Suffixes {
  Attrs attrs;
  std::string name;
  std::vector<int> origins;
};

std::string name_in(const Token& value) {
  const std::string_view name = value.text.substr(1);
  return name.starts_with('"') ? unquote(name) : std::string(name);
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Graph> run() {
    HONE_TRY(Graph graph, parse_graph(0));
    if (peek().kind != Token::Kind::End) return expected("the end of the text", peek());
    return graph;
  }

 private:
  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token next() {
    const Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool accept(std::string_view sign) {
    if (!peek().is_sign(sign)) return false;
    next();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!peek().is_word(word)) return false;
    next();
    return true;
  }
  Status expect(std::string_view sign) {
    if (accept(sign)) return Done{};
    return expected(str("'", sign, "'"), peek());
  }
  Result<Token> expect_kind(Token::Kind kind, std::string_view what) {
    if (peek().kind == kind) return next();
    return expected(what, peek());
  }
  template <class T>
  Result<T> number() {
    HONE_TRY(const T value, read_number<T>(peek()));
    next();
    return value;
  }
  // Fn reads one item; items are separated by commas and end before `end`.
  template <class Fn>
  Status list(std::string_view end, const Fn& fn) {
    if (accept(end)) return Done{};
    do {
      HONE_RETURN_IF_ERROR(fn());
    } while (accept(","));
    return expect(end);
  }

  Result<Graph> parse_graph(int depth);
  Result<std::vector<Token>> parse_outputs();
  Result<Declared> parse_declared();
  Status parse_input(Scope& scope);
  Status parse_statement(Scope& scope, int depth);
  Status parse_source(Graph& graph);
  Status parse_vanished(Graph& graph);
  Status parse_constant(Scope& scope);
  Status parse_node(Scope& scope, int depth);
  Result<Value*> parse_operand(Scope& scope);
  Result<Suffixes> parse_suffixes(const Graph& graph, int depth);
  Result<std::vector<int>> parse_origins(const Graph& graph);
  Result<Attr> parse_attr(int depth);
  Result<Attr> parse_list();
  Result<ValueType> parse_type();
  Result<TensorType> parse_tensor_type();
  Status parse_extents(TensorType& type);
  Result<Quantization> parse_quantization();
  Result<Tensor> parse_literal();
  Result<Tensor> parse_elements(const TensorType& type);

  static Status define(Scope& scope, const Token& name, Value* value);
  static Result<Value*> find(const Scope& scope, const Token& name);

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

Status Parser::define(Scope& scope, const Token& token, Value* value) {
  const std::string name = name_in(token);
  if (!scope.values.emplace(name, value).second) {
    return bad_input("line ", token.line, ": ", token.text, " is defined twice");
  }
  scope.graph.rename(value, name);  // Constants without a name make way.
  return Done{};
}

Result<Value*> Parser::find(const Scope& scope, const Token& token) {
  const auto found = scope.values.find(name_in(token));
  if (found != scope.values.end()) return found->second;
  return bad_input("line ", token.line, ": ", token.text, " is not defined before it is read");
}

Result<Graph> Parser::parse_graph(int depth) {
  if (depth > kDeepest) {
    return bad_input("line ", peek().line, ": graphs are nested more than ", kDeepest, " deep");
  }
  if (!accept_word("graph")) return expected("'graph'", peek());
  Scope scope;
  HONE_RETURN_IF_ERROR(expect("("));
  HONE_RETURN_IF_ERROR(list(")", [&] { return parse_input(scope); }));
  HONE_RETURN_IF_ERROR(expect("->"));
  HONE_TRY(const std::vector<Token> outputs, parse_outputs());
  HONE_RETURN_IF_ERROR(expect("{"));
  while (!accept("}")) HONE_RETURN_IF_ERROR(parse_statement(scope, depth));
  for (const Token& output : outputs) {
    HONE_TRY(Value * value, find(scope, output));
    scope.graph.add_output(value);
  }
  return std::move(scope.graph);
}

Result<std::vector<Token>> Parser::parse_outputs() {
  std::vector<Token> outputs;
  const auto one = [&]() -> Status {
    HONE_TRY(const Token name, expect_kind(Token::Kind::Value, "a value"));
    outputs.push_back(name);
    return Done{};
  };
  if (accept("(")) {
    HONE_RETURN_IF_ERROR(list(")", one));
    return outputs;
  }
  do {
    HONE_RETURN_IF_ERROR(one());
  } while (accept(","));
  return outputs;
}

Result<Declared> Parser::parse_declared() {
  HONE_TRY(const Token name, expect_kind(Token::Kind::Value, "a value"));
  if (!accept(":")) return Declared{name, {}};
  HONE_TRY(ValueType type, parse_type());
  return Declared{name, std::move(type)};
}

Status Parser::parse_input(Scope& scope) {
  HONE_TRY(Declared input, parse_declared());
  return define(scope, input.name, scope.graph.add_input("input", std::move(input.type)));
}

Status Parser::parse_statement(Scope& scope, int depth) {
  if (peek().kind == Token::Kind::Value) return parse_node(scope, depth);
  if (accept_word("const")) return parse_constant(scope);
  if (accept_word("source")) return parse_source(scope.graph);
  if (accept_word("vanished")) return parse_vanished(scope.graph);
  return expected("a node, a constant or '}'", peek());
}

Status Parser::parse_source(Graph& graph) {
  HONE_TRY(const Token name, expect_kind(Token::Kind::String, "the name of a layer in quotes"));
  const Token op = next();
  if (op.kind != Token::Kind::Word && op.kind != Token::Kind::String) {
    return expected("the operator of a layer", op);
  }
  HONE_TRY(const int32_t position, number<int32_t>());
  const bool is_quoted = op.kind == Token::Kind::String;
  graph.sources.push_back(
      {unquote(name.text), is_quoted ? unquote(op.text) : std::string(op.text), position});
  return Done{};
}

Status Parser::parse_vanished(Graph& graph) {
  const Token token = peek();
  HONE_TRY(const int32_t source, number<int32_t>());
  if (source < 0 || source >= static_cast<int32_t>(graph.sources.size())) {
    return expected(str("one of the ", graph.sources.size(), " sources"), token);
  }
  HONE_TRY(const Token pass, expect_kind(Token::Kind::String, "the name of a pass in quotes"));
  graph.vanished.push_back({source, unquote(pass.text)});
  return Done{};
}

Status Parser::parse_constant(Scope& scope) {
  HONE_TRY(const Token name, expect_kind(Token::Kind::Value, "a value"));
  HONE_RETURN_IF_ERROR(expect(":"));
  HONE_TRY(const TensorType type, parse_tensor_type());
  HONE_RETURN_IF_ERROR(expect("="));
  HONE_TRY(Tensor tensor, parse_elements(type));
  return define(scope, name, scope.graph.add_constant("const", std::move(tensor)));
}

Status Parser::parse_node(Scope& scope, int depth) {
  std::vector<Token> names;
  std::vector<ValueType> types;
  do {
    HONE_TRY(Declared result, parse_declared());
    names.push_back(result.name);
    types.push_back(std::move(result.type));
  } while (accept(","));
  HONE_RETURN_IF_ERROR(expect("="));
  const Token op = next();
  if (op.kind != Token::Kind::Word && op.kind != Token::Kind::String) {
    return expected("an operator", op);
  }
  std::vector<Value*> operands;
  HONE_RETURN_IF_ERROR(expect("("));
  HONE_RETURN_IF_ERROR(list(")", [&]() -> Status {
    HONE_TRY(Value * operand, parse_operand(scope));
    operands.push_back(operand);
    return Done{};
  }));
  HONE_TRY(Suffixes suffixes, parse_suffixes(scope.graph, depth));
  const bool is_quoted = op.kind == Token::Kind::String;
  Node* node =
      scope.graph.add_node(is_quoted ? unquote(op.text) : std::string(op.text), std::move(operands),
                           std::move(types), std::move(suffixes.attrs), suffixes.name);
  scope.graph.set_origins(node, std::move(suffixes.origins));
  for (size_t i = 0; i < names.size(); ++i) {
    HONE_RETURN_IF_ERROR(define(scope, names[i], node->outputs[i]));
  }
  return Done{};
}

Result<Value*> Parser::parse_operand(Scope& scope) {
  if (accept_word("_")) return nullptr;
  if (peek().kind == Token::Kind::Value) return find(scope, next());
  if (peek().kind != Token::Kind::Word) return expected("a value, a literal or '_'", peek());
  HONE_TRY(Tensor tensor, parse_literal());
  return scope.graph.add_constant("const", std::move(tensor));
}

Result<Suffixes> Parser::parse_suffixes(const Graph& graph, int depth) {
  Suffixes suffixes;
  while (true) {
    const Token token = peek();
    const bool is_quoted = token.kind == Token::Kind::String;
    if ((is_quoted || token.kind == Token::Kind::Word) && peek(1).is_sign("=")) {
      at_ += 2;
      HONE_TRY(Attr attr, parse_attr(depth));
      std::string key = is_quoted ? unquote(token.text) : std::string(token.text);
      if (!suffixes.attrs.emplace(std::move(key), std::move(attr)).second) {
        return bad_input("line ", token.line, ": attribute ", token.text, " is given twice");
      }
    } else if (accept_word("name")) {
      HONE_TRY(const Token name, expect_kind(Token::Kind::String, "a name in quotes"));
      suffixes.name = unquote(name.text);
    } else if (accept_word("from")) {
      HONE_TRY(suffixes.origins, parse_origins(graph));
    } else {
      return suffixes;
    }
  }
}

Result<std::vector<int>> Parser::parse_origins(const Graph& graph) {
  std::vector<int> origins;
  HONE_RETURN_IF_ERROR(expect("["));
  HONE_RETURN_IF_ERROR(list("]", [&]() -> Status {
    const Token token = peek();
    HONE_TRY(const int32_t source, number<int32_t>());
    if (source < 0 || source >= static_cast<int32_t>(graph.sources.size())) {
      return expected(str("one of the ", graph.sources.size(), " sources"), token);
    }
    if (!origins.empty() && source <= origins.back()) {
      return expected(str("a source after ", origins.back()), token);
    }
    origins.push_back(source);
    return Done{};
  }));
  return origins;
}

Result<Attr> Parser::parse_attr(int depth) {
  const Token token = peek();
  if (token.is_sign("[")) return parse_list();
  if (looks_like_float(token)) {
    HONE_TRY(const double value, number<double>());
    return Attr(value);
  }
  if (token.kind == Token::Kind::Number) {
    HONE_TRY(const int64_t value, number<int64_t>());
    return Attr(value);
  }
  if (token.kind == Token::Kind::String) return Attr(unquote(next().text));
  if (token.is_word("graph")) {
    HONE_TRY(Graph body, parse_graph(depth + 1));
    return Attr(std::make_shared<Graph>(std::move(body)));
  }
  for (const Attr& empty : {Attr(Ints()), Attr(Floats()), Attr(Strings())}) {
    if (!accept_word(kind_of(empty))) continue;
    HONE_RETURN_IF_ERROR(expect("["));
    HONE_RETURN_IF_ERROR(expect("]"));
    return empty;
  }
  const std::optional<DType> dtype = dtype_named(token.text);
  if (!dtype) return expected("the value of an attribute", token);
  if (!peek(1).is_sign("[")) {
    next();
    return Attr(*dtype);
  }
  HONE_TRY(Tensor tensor, parse_literal());
  return Attr(std::move(tensor));
}

// The first item decides the type.
Result<Attr> Parser::parse_list() {
  HONE_RETURN_IF_ERROR(expect("["));
  if (peek().kind == Token::Kind::String) {
    Strings strings;
    HONE_RETURN_IF_ERROR(list("]", [&]() -> Status {
      HONE_TRY(const Token item, expect_kind(Token::Kind::String, "a string in quotes"));
      strings.push_back(unquote(item.text));
      return Done{};
    }));
    return Attr(std::move(strings));
  }
  if (looks_like_float(peek())) {
    Floats floats;
    HONE_RETURN_IF_ERROR(list("]", [&]() -> Status {
      HONE_TRY(const double item, number<double>());
      floats.push_back(item);
      return Done{};
    }));
    return Attr(std::move(floats));
  }
  if (peek().kind != Token::Kind::Number) {
    return expected("an item (an empty list is ints[], floats[] or strings[])", peek());
  }
  Ints ints;
  HONE_RETURN_IF_ERROR(list("]", [&]() -> Status {
    HONE_TRY(const int64_t item, number<int64_t>());
    ints.push_back(item);
    return Done{};
  }));
  return Attr(std::move(ints));
}

Result<ValueType> Parser::parse_type() {
  const bool optional = accept_word("optional");
  const bool sequence = accept_word("sequence");
  HONE_TRY(TensorType tensor, parse_tensor_type());
  ValueType type(std::move(tensor));
  type.optional = optional;
  type.sequence = sequence;
  return type;
}

Result<TensorType> Parser::parse_tensor_type() {
  const Token token = peek();
  const std::optional<DType> dtype = dtype_named(token.text);
  if (!dtype) return expected("a type", token);
  next();
  TensorType type = TensorType::unranked(*dtype);
  if (*dtype != DType::Undefined || peek().is_sign("[")) {
    HONE_RETURN_IF_ERROR(parse_extents(type));
  }
  if (accept("<")) {
    HONE_TRY(Quantization quant, parse_quantization());
    type.quant = std::make_shared<const Quantization>(std::move(quant));
  }
  HONE_RETURN_IF_ERROR(type.check().in(str("line ", token.line)));
  return type;
}

Status Parser::parse_extents(TensorType& type) {
  HONE_RETURN_IF_ERROR(expect("["));
  if (accept("...")) return expect("]");
  type.ranked = true;
  return list("]", [&]() -> Status {
    if (accept("?")) {
      type.shape.push_back(kUnknown);
      return Done{};
    }
    const Token token = peek();
    HONE_TRY(const int64_t extent, number<int64_t>());
    if (extent < 0) return expected("an extent, or '?' for one that is not known", token);
    type.shape.push_back(extent);
    return Done{};
  });
}

Result<Quantization> Parser::parse_quantization() {
  Quantization quant;
  if (accept_word("axis")) {
    HONE_TRY(quant.axis, number<int32_t>());
    HONE_RETURN_IF_ERROR(expect(","));
  }
  while (!accept(">")) {
    HONE_TRY(const float scale, number<float>());
    HONE_RETURN_IF_ERROR(expect(":"));
    HONE_TRY(const int32_t zero_point, number<int32_t>());
    quant.scales.push_back(scale);
    quant.zero_points.push_back(zero_point);
  }
  return quant;
}

Result<Tensor> Parser::parse_literal() {
  HONE_TRY(const TensorType type, parse_tensor_type());
  return parse_elements(type);
}

Result<Tensor> Parser::parse_elements(const TensorType& type) {
  const int line = peek().line;
  if (!type.known()) {
    return bad_input("line ", line, ": elements need a type that is known, found ", type);
  }
  HONE_RETURN_IF_ERROR(expect("{"));
  if (peek().is_sign("...")) {
    return bad_input("line ", line, ": the elements of ", type,
                     " were left out ({...}) when this text was printed, so it cannot be read");
  }
  const size_t first = at_;
  while (!peek().is_sign("}")) {
    if (peek().kind == Token::Kind::End) return expected("an element or '}'", peek());
    next();
  }
  const size_t count = at_ - first;
  next();
  return read_elements(type, std::span(tokens_).subspan(first, count), line);
}

}  // namespace

Result<Graph> parse_graph(std::string_view text) {
  HONE_TRY(std::vector<Token> tokens, tokenize(text));
  return Parser(std::move(tokens)).run();
}

}  // namespace hone
