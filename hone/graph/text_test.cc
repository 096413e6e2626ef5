#include <gtest/gtest.h>

#include <cmath>

#include "hone/graph/graph.h"

namespace hone {
namespace {

std::string error_of(std::string_view text) {
  const Result<Graph> graph = parse_graph(text);
  if (graph.ok()) return "";
  EXPECT_EQ(graph.error().kind, ErrorKind::BadInput);
  return graph.error().message;
}

std::string reprinted(std::string_view text, const PrintOptions& options = {}) {
  const Result<Graph> graph = parse_graph(text);
  if (!graph.ok()) return graph.error().message;
  EXPECT_TRUE(verify(*graph).ok());
  return print(*graph, options);
}

// Wraps statements into a graph of one input %x and one output %y.
std::string around(std::string_view statements) {
  return str("graph(%x: f32[1,4]) -> (%y) {\n", statements, "\n}\n");
}

TEST(GraphText, PrintsWhatItReads) {
  const std::string_view texts[] = {
      "graph() -> () {\n}\n",
      "graph(%x: f32[1,4]) -> (%y) {\n"
      "  %y: f32[1,2] = gemm(%x, f32[2,4]{1 0 0 0 0 1 0 0}, _) activation=\"relu\" transB=1\n"
      "}\n",
      "graph(%x: f32[?,4]) -> (%a, %b, %x) {\n"
      "  const %w: f32[9] = {0 1 2 3 4 5 6 7 8}\n"
      "  %a: f32[?,2], %b: f32[?,2] = split(%x, %w) axis=1 name \"split it\"\n"
      "}\n",
      "graph(%s: sequence f32[...], %o: optional sequence ?, %t: optional i64[]) -> (%y) {\n"
      "  %y = sequence_at(%s, %t)\n"
      "}\n",
      "graph(%q: i8[1,4]<0.5:3>) -> (%y) {\n"
      "  %y: i32[2]<axis 0, 0.5:3 0.25:-1> = conv(%q, u4[3]<1:0>{0 7 15})\n"
      "}\n",
      "graph(%\"a/b:0\": bool[]) -> (%\"a/b:0\") {\n"
      "}\n",
      "graph(%c: bool[]) -> (%y) {\n"
      "  %y: ? = if(%c) else_branch=graph() -> (%k) {\n"
      "    const %k: i64[] = {1}\n"
      "  } then_branch=graph() -> (%z) {\n"
      "    %z: i64[] = abs(i64[]{2})\n"
      "  }\n"
      "}\n",
  };
  for (const std::string_view text : texts) {
    std::string expected(text);
    // An unknown result type is left out.
    if (const size_t at = expected.find("%y: ? ="); at != std::string::npos)
      expected.erase(at + 2, 3);
    EXPECT_EQ(reprinted(text), expected);
  }
}

TEST(GraphText, AttributesKeepTheirType) {
  const Result<Graph> graph = parse_graph(around(
      "%y = op(%x) a=3 b=3.0 c=-1e+30 d=\"q\\\"\\\\\\n\\x01\" e=f32 f=[1,-2] g=[1.5,inf]\n"
      "h=[\"a\",\"\"] i=ints[] j=floats[] k=strings[] l=i8[2]{1 -2} m=nan n=-inf \"o p\"=?"));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Node& node = *graph->node(0);
  EXPECT_EQ(*node.find_attr<int64_t>("a"), 3);
  EXPECT_EQ(*node.find_attr<double>("b"), 3.0);
  EXPECT_EQ(*node.find_attr<double>("c"), -1e30);
  EXPECT_EQ(*node.find_attr<std::string>("d"), "q\"\\\n\x01");
  EXPECT_EQ(*node.find_attr<DType>("e"), DType::F32);
  EXPECT_EQ(*node.find_attr<Ints>("f"), (Ints{1, -2}));
  EXPECT_EQ(*node.find_attr<Floats>("g"), (Floats{1.5, INFINITY}));
  EXPECT_EQ(*node.find_attr<Strings>("h"), (Strings{"a", ""}));
  EXPECT_TRUE(node.find_attr<Ints>("i")->empty());
  EXPECT_TRUE(node.find_attr<Floats>("j")->empty());
  EXPECT_TRUE(node.find_attr<Strings>("k")->empty());
  EXPECT_EQ(to_ints(*node.find_attr<Tensor>("l")), (Ints{1, -2}));
  EXPECT_TRUE(std::isnan(*node.find_attr<double>("m")));
  EXPECT_EQ(*node.find_attr<double>("n"), -INFINITY);
  EXPECT_EQ(*node.find_attr<DType>("o p"), DType::Undefined);
  const std::string text = print(*graph);
  EXPECT_EQ(reprinted(text), text);
}

TEST(GraphText, ElementsReadBackToTheBit) {
  Graph graph;
  graph.add_output(graph.add_constant(
      "f", Tensor::of<float>({6}, {0.1f, -0.0f, 1e-45f, 3.4028235e38f, INFINITY, -INFINITY})));
  graph.add_output(graph.add_constant("d", Tensor::of<double>({2}, {0.1, 5e-324})));
  graph.add_output(graph.add_constant("h", Tensor::of<Half>({2}, {Half(0.1f), Half(65504.0f)})));
  graph.add_output(graph.add_constant(
      "e", Tensor::of<Float8E5M2>({2}, {Float8E5M2(0.3f), Float8E5M2(57344.0f)})));
  graph.add_output(graph.add_constant("u", Tensor::of<uint64_t>({1}, {~uint64_t{0}})));
  graph.add_output(graph.add_constant("i", Tensor::of<int64_t>({1}, {INT64_MIN})));
  graph.add_output(graph.add_constant("b", Tensor::of<bool>({2}, {true, false})));
  graph.add_output(graph.add_constant("s", Tensor::of<std::string>({2}, {"a b", "\xc3\xa9\""})));
  const Result<Graph> copy = parse_graph(print(graph));
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Tensor& a = *graph.outputs()[i]->constant;
    const Tensor& b = *copy->outputs()[i]->constant;
    EXPECT_EQ(a.type(), b.type());
    EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes())) << a.type();
  }
  EXPECT_EQ(print(*copy), print(graph));
}

TEST(GraphText, AFloat8InfinityDoesNotSaturate) {
  const Result<Graph> graph = parse_graph("graph() -> %y { const %y: f8e5m2[1] = {-inf} }");
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(static_cast<float>(graph->outputs()[0]->constant->data<Float8E5M2>()[0]), -INFINITY);
}

TEST(GraphText, OriginsArePrintedWhenAskedFor) {
  const std::string text =
      "graph(%x: f32[1]) -> (%y) {\n"
      "  source \"conv_1\" Conv 0\n"
      "  source \"\" \"my op\" 1\n"
      "  source \"c\" Relu 2\n"
      "  vanished 1 \"fold_constants\"\n"
      "  %y: f32[1] = conv(%x) from [0,2]\n"
      "}\n";
  EXPECT_EQ(reprinted(text, {.origins = true}), text);
  EXPECT_EQ(reprinted(text), "graph(%x: f32[1]) -> (%y) {\n  %y: f32[1] = conv(%x)\n}\n");
}

TEST(GraphText, ReadsTheShortFormsToo) {
  EXPECT_EQ(reprinted("# a comment\n"
                      "graph(%x) -> %z, %y {  # another\n"
                      "  %y = relu(%x) %z=abs(%y)\n"
                      "}"),
            "graph(%x: ?) -> (%z, %y) {\n  %y = relu(%x)\n  %z = abs(%y)\n}\n");
}

TEST(GraphText, AConstantWithTwoUsesOrManyElementsHasALineOfItsOwn) {
  EXPECT_EQ(reprinted(around("const %w: f32[1] = {2} %y = add(%w, %w)")),
            "graph(%x: f32[1,4]) -> (%y) {\n  const %w: f32[1] = {2}\n  %y = add(%w, %w)\n}\n");
  EXPECT_EQ(reprinted(around("const %w: f32[1] = {2} %y = neg(%w)")),
            "graph(%x: f32[1,4]) -> (%y) {\n  %y = neg(f32[1]{2})\n}\n");
}

TEST(GraphText, NamesGivenToLiteralsMakeWay) {
  const Result<Graph> graph = parse_graph(around("%const = neg(f32[1]{1}) %y = neg(%const)"));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->find_value("const")->producer, graph->node(0));
}

TEST(GraphText, AConstantThatWasCutIsRefused) {
  Graph graph;
  graph.add_output(graph.add_constant("w", Tensor(TensorType{DType::F32, {65}})));
  const std::string text = print(graph);
  EXPECT_EQ(text, "graph() -> (%w) {\n  const %w: f32[65] = {...}\n}\n");
  EXPECT_EQ(error_of(text),
            "line 2: the elements of f32[65] were left out ({...}) when this text was printed, so "
            "it cannot be read");
  EXPECT_TRUE(parse_graph(print(graph, {.largest_constant = 65})).ok());
}

TEST(GraphText, ErrorsSayTheLineAndWhatWasExpected) {
  EXPECT_EQ(error_of(""), "line 1: expected 'graph', found the end of the text");
  EXPECT_EQ(error_of("graph(%x) -> %y {\n  %y = relu(%x\n}"), "line 3: expected ')', found '}'");
  EXPECT_EQ(error_of(around("%y = relu(%z)")), "line 2: %z is not defined before it is read");
  EXPECT_EQ(error_of(around("%y = a(%x) %y = b(%x)")), "line 2: %y is defined twice");
  EXPECT_EQ(error_of(around("%y = a(%x) k=1 k=2")), "line 2: attribute k is given twice");
  EXPECT_EQ(error_of(around("%y = a(%x) k=[]")),
            "line 2: expected an item (an empty list is ints[], floats[] or strings[]), found ']'");
  EXPECT_EQ(error_of(around("%y = a(i8[1]{128})")),
            "line 2: expected an integer that fits i8, found '128'");
  EXPECT_EQ(error_of(around("%y = a(i4[1]{8})")),
            "line 2: expected an integer from -8 to 7, found '8'");
  EXPECT_EQ(error_of(around("%y = a(f32[2]{1})")),
            "line 2: expected 2 elements for f32[2], found 1");
  EXPECT_EQ(error_of(around("%y = a(f32[?]{1})")),
            "line 2: elements need a type that is known, found f32[?]");
  EXPECT_EQ(error_of(around("%y: f99[1] = a()")), "line 2: expected a type, found 'f99'");
  EXPECT_EQ(error_of(around("%y = a() b=\"")), "line 2: string is not closed");
  EXPECT_EQ(error_of(around("%y = a() b=\"\\q\"")), "line 2: escape \"\\\\q\" is not known");
  EXPECT_EQ(error_of(around("%y = a() from [0]")),
            "line 2: expected one of the 0 sources, found '0'");
  EXPECT_EQ(error_of("graph() -> %y { }"), "line 1: %y is not defined before it is read");
  EXPECT_EQ(error_of("graph() -> () { } 7"), "line 1: expected the end of the text, found '7'");
  EXPECT_EQ(error_of("graph(@"), "line 1: character \"@\" begins nothing in a graph's text");
}

TEST(GraphText, SizesAreNotBelieved) {
  EXPECT_EQ(error_of(around("%y = a(f32[10000000000]{1})")),
            "line 2: expected 10000000000 elements for f32[10000000000], found 1");
  EXPECT_NE(error_of(around("%y: f32[9223372036854775807,9] = a()")).find("claims more"),
            std::string::npos);
  EXPECT_NE(error_of(around("%y: i8[2]<axis 0, 1:0> = a()")).find("1 scales for 2 channels"),
            std::string::npos);
  EXPECT_NE(error_of(around("%y: i8[2]<> = a()")).find("0 scales"), std::string::npos);
}

TEST(GraphText, DeepNestingIsRefused) {
  std::string text = "graph() -> () {";
  for (int i = 0; i < 100'000; ++i) text += "%y = a() b=graph() -> () {";
  EXPECT_EQ(error_of(text), "line 1: graphs are nested more than 64 deep");
}

// Every cut and many small changes of a text that has all there is: an error or a graph, no crash.
TEST(GraphText, DamagedTextIsSafe) {
  const std::string text =
      "graph(%x: i8[1,4]<0.5:3>, %s: sequence f32[...]) -> (%y) {\n"
      "  source \"a\" Conv 1\n"
      "  vanished 0 \"p\"\n"
      "  const %w: f32[2] = {1 -2.5e-3}\n"
      "  %y: u4[?]<axis 0, 1:0>, %\"z/\" = op(%x, _, bool[1]{true}) a=[1.5,nan] b=graph() -> () {\n"
      "  } c=ints[] name \"n\\x00\" from [0]\n"
      "}\n";
  for (size_t length = 0; length < text.size(); ++length) (void)parse_graph(text.substr(0, length));
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'"', '{', '}', '[', '<', '%', '9', '.', '-', '\n', '\0', '\\', 'e'}) {
      std::string damaged = text;
      damaged[i] = c;
      const Result<Graph> graph = parse_graph(damaged);
      if (graph.ok()) (void)print(*graph, {.origins = true});
    }
  }
}

}  // namespace
}  // namespace hone
