#include "hone/report/document/writers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "hone/report/document/charts.h"

namespace hone {
namespace {

Document example() {
  Document document{.title = "a<b> | c",
                    .headline = "it *holds*",
                    .tone = Tone::Good,
                    .lead = "a<b>",
                    .from = {.tool = "hone 1", .command = "hone \"x\"", .model = {{"name", "n"}}}};
  document.sections.push_back(
      {.title = "First",
       .blocks = {Facts{{{"nodes", "3"}, {"long word", "4"}}},
                  DataTable{.columns = {{"name"}, {"ms", true}},
                            .rows = {{"a|b", "1.5"}, {"c\n", Cell("12", Tone::Bad)}}}}});
  document.sections.push_back(
      {.title = "Second",
       .blocks = {Paragraph{"words & words"}, Sentences{{"one", "two"}},
                  BarChart{.title = "bars",
                           .bars = {{.name = "<x>", .value = 1}, {.name = "y", .value = 4}},
                           .limit = 2}}});
  return document;
}

TEST(DocumentText, IsForATerminal) {
  EXPECT_EQ(document_text(example()),
            "a<b>\n"
            "nodes      3\n"
            "long word  4\n"
            "name   ms\n"
            "----  ---\n"
            "a|b   1.5\n"
            "c\\n    12\n"
            "\n"
            "words & words\n"
            "one\n"
            "two\n");
}

TEST(DocumentText, NumbersWhatIsInOrder) {
  Document document;
  document.sections.push_back(
      {.blocks = {NumberedList{.heading = "Options:",
                               .first = 3,
                               .items = {{"a thing", {{{"gain", "2 ms"}, {"fix", "it"}}}}}}}});
  EXPECT_EQ(document_text(document),
            "Options:\n"
            "3. a thing\n"
            "    gain      2 ms\n"
            "    fix       it\n");
  EXPECT_NE(document_markdown(document).find("Options:\n\n3. **a thing**\n   - gain: 2 ms\n"),
            std::string::npos);
}

TEST(DocumentText, FactsOfItemsGoOnAsFacts) {
  Document document;
  document.sections.push_back(
      {.blocks = {ItemList{.heading = "on the host: 1 operator",
                           .items = {{"soft", {{{"why", "no engine"}}}}}}}});
  document.sections.push_back({.blocks = {Facts{{{"energy", "1 mJ"}}}}});
  EXPECT_EQ(document_text(document),
            "on the host: 1 operator\n"
            "  soft\n"
            "    why     no engine\n"
            "energy    1 mJ\n");
  EXPECT_NE(document_markdown(document).find("- **soft**\n   - why: no engine\n"),
            std::string::npos);
  EXPECT_NE(document_page({document}).find("<h3>soft</h3>"), std::string::npos);
}

TEST(Document, LongNamesLoseTheirMiddleOnATerminalAlone) {
  const std::string name = "features." + std::string(1 << 11, 'x') + ".conv";
  DataTable table{.columns = {{"layer"}, {"why"}}};
  table.rows.push_back(
      {name, str("'", name, "' has no integers, and neither has the one behind it")});
  Document document;
  document.sections.push_back({.title = "Layers", .blocks = {table}});
  const std::string text = document_text(document);
  EXPECT_LT(text.size(), 1000u);
  EXPECT_NE(text.find("features.xxx"), std::string::npos) << text;
  EXPECT_NE(text.find("...xxx"), std::string::npos) << text;
  EXPECT_NE(text.find(".conv' has no integers"), std::string::npos) << text;
  EXPECT_NE(document_page({document}).find(name), std::string::npos);
}

TEST(DocumentText, ANarrowTableIsNoWiderThanATerminal) {
  const std::string name = "model/stage_2/block_7/depthwise_conv/kernel";
  Document document{.sections = {{"Layers",
                                  {DataTable{.columns = {{"layer"}, {"us", true}, {"output"}},
                                             .rows = {{name, "12.5", "f32[1,112,112,32]"}},
                                             .narrow = true}}}}};
  const auto text_at = [&](size_t columns) {
    use_text_width(columns);
    const std::string text = document_text(document);
    use_text_width(kTextWidth);
    return text;
  };
  const auto widest = [](const std::string& text) {
    std::istringstream lines(text);
    size_t most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
  };
  EXPECT_NE(text_at(kTextWidth).find(name), std::string::npos);
  EXPECT_EQ(widest(text_at(50)), 50u) << text_at(50);
  EXPECT_NE(text_at(50).find("f32[1,112,112,32]"), std::string::npos) << text_at(50);
  EXPECT_LE(widest(text_at(40)), 40u) << text_at(40);
  EXPECT_NE(text_at(40).find("no room for: output"), std::string::npos) << text_at(40);
}

TEST(Document, AListingStaysAsItIs) {
  Document document{.title = "t"};
  document.sections.push_back({.title = "Figures", .blocks = {Listing{"a = 1\n\n[b*]\n"}}});
  EXPECT_EQ(document_text(document), "a = 1\n\n[b*]\n");
  EXPECT_EQ(document_markdown(document), "# t\n\n## Figures\n\n    a = 1\n    \n    [b*]\n\n");
  EXPECT_NE(document_page({document}).find("<pre>a = 1\n\n[b*]\n</pre>"), std::string::npos);
}

TEST(DocumentMarkdown, EscapesAndAligns) {
  EXPECT_EQ(document_markdown(example()),
            "# a&lt;b> \\| c\n\n"
            "**it \\*holds\\***\n\n"
            "## First\n\n"
            "|  |  |\n| --- | --- |\n| nodes | 3 |\n| long word | 4 |\n\n"
            "| name | ms |\n| --- | ---: |\n| a\\|b | 1.5 |\n| c\\\\n | 12 |\n\n"
            "## Second\n\n"
            "words &amp; words\n\n"
            "- one\n- two\n\n"
            "<details><summary>Environment and provenance</summary>\n\n"
            "|  |  |\n| --- | --- |\n| command | hone \"x\" |\n| tool | hone 1 |\n"
            "| model name | n |\n\n"
            "</details>\n\n");
}

TEST(DocumentPage, HoldsEverythingAndLoadsNothing) {
  Document second = example();
  second.title = "@VERSION@ @DOCUMENTS@";  // What a file says is never a mark of the page.
  const std::string page = document_page({example(), second});
  for (const char* part :
       {"<h1>a&lt;b&gt; | c</h1>", "<p class=\"verdict state good\">it *holds*</p>",
        "<h1>@VERSION@ @DOCUMENTS@</h1>", "<section class=\"doc\" id=\"d0_0\" data-nav=\"First\">",
        "<section class=\"doc\" id=\"d1_1\" data-nav=\"Second\">",
        "<th scope=\"col\" class=\"num\">ms</th>",
        "<td class=\"num\"><span class=\"verdict_chip bad\">12</span></td>", "<li>two</li>",
        "<dt>long word</dt><dd>4</dd>", "hone &quot;x&quot;", "default-src 'none'"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  for (const char* loads : {"<link", "<script src", "https://", "src=", "a<b>", "<x>"}) {
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  }
  // The name of SVG, which scripts make elements by, is no address.
  const size_t named = page.find("http://www.w3.org/2000/svg");
  EXPECT_EQ(page.find("http://"), named);
  EXPECT_EQ(page.find("http://", named + 1), std::string::npos);
}

TEST(DocumentPage, CommandsCanBeCopied) {
  Document document = example();
  document.next = {{"go on:", "hone <x>"}};
  EXPECT_NE(document_page({document})
                .find("<li>go on:<div class=\"copyable\"><code>hone &lt;x&gt;</code><button"),
            std::string::npos);
  EXPECT_NE(document_markdown(document).find("\n\n    hone <x>\n\n"), std::string::npos);
}

TEST(DocumentPage, TurnsTablesThatCompareMoreThanAFewColumns) {
  DataTable table{.columns = {{""}, {"npu"}, {"cpu"}},
                  .rows = {{"ms", "1", "2"}, {"mJ", "3", "4"}},
                  .turned = true};
  const auto page_of = [&] {
    Document document;
    document.sections.push_back({.title = "t", .blocks = {table}});
    return document_page({document});
  };
  EXPECT_NE(page_of().find("<th scope=\"row\">mJ</th><td>3</td><td>4</td>"), std::string::npos);
  for (const char* device : {"a", "b", "c"}) {
    table.columns.push_back({device});
    for (TableRow& row : table.rows) row.push_back("0");
  }
  EXPECT_NE(page_of().find("<th scope=\"row\">cpu</th><td>2</td><td>4</td>"), std::string::npos);
  Document document;
  document.sections.push_back({.title = "t", .blocks = {table}});
  EXPECT_NE(document_markdown(document).find("| ms | 1 | 2 |"), std::string::npos);
}

TEST(DocumentPage, SaysWhatACellIsShortFor) {
  Document document;
  document.sections.push_back(
      {.title = "t",
       .blocks = {DataTable{.columns = {{"network"}, {"same"}},
                            .rows = {{Cell::short_for("net.onnx", "a/\"b\"/net.onnx"),
                                      Cell::short_for("x", "x")}}}}});
  EXPECT_NE(
      document_page({document})
          .find("<th scope=\"row\" title=\"a/&quot;b&quot;/net.onnx\">net.onnx</th><td>x</td>"),
      std::string::npos);
}

TEST(DocumentPage, HoldsLogarithmicChartsOnLinearAxesToo) {
  Document document;
  document.sections.push_back(
      {.title = "t",
       .blocks = {BarChart{.title = "bars",
                           .bars = {{.name = "a", .value = 1}, {.name = "b", .value = 4}},
                           .logarithmic = true}}});
  const std::string page = document_page({document});
  EXPECT_NE(page.find("<div data-scale=\"linear\" hidden>"), std::string::npos);
  EXPECT_NE(page.find("width=\"25.00%\""), std::string::npos);
}

TEST(Charts, BarsArePartsOfTheWidth) {
  const std::string svg = svg_of(std::get<BarChart>(example().sections[1].blocks[2]));
  EXPECT_NE(svg.find("width=\"25.00%\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("width=\"100.00%\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("class=\"limit\" x1=\"50.00%\""), std::string::npos) << svg;
  EXPECT_EQ(svg_of(BarChart{}), "");
}

// An axis without a value above zero has no logarithm.
TEST(Charts, NothingOnALogarithmicAxisIsNothing) {
  const std::string svg =
      svg_of(BarChart{.bars = {{.name = "a"}, {.name = "b"}}, .logarithmic = true});
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  EXPECT_NE(svg.find("width=\"0.00%\""), std::string::npos) << svg;
}

TEST(Charts, WhatIsNoNumberIsNotDrawn) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  BarChart bars{.title = "bars",
                .bars = {{.name = "a", .value = 1},
                         {.name = "b", .value = kInfinity, .low = 1, .high = kInfinity},
                         {.name = "c", .value = nan, .low = nan, .high = nan}},
                .limit = kInfinity};
  for (const bool logarithmic : {false, true}) {
    bars.logarithmic = logarithmic;
    EXPECT_EQ(svg_of(bars).find("nan"), std::string::npos) << svg_of(bars);
    EXPECT_EQ(svg_of(bars).find("inf"), std::string::npos);
  }
  const auto point = [](std::string name, double x, double y) {
    return ScatterPoint{
        .name = std::move(name), .x = {.value = x, .high = 2 * x}, .y = {.value = y}};
  };
  const ScatterChart scatter{
      .title = "points",
      .points = {point("a", 1, 2), point("b", 2, 1), point("c", kInfinity, 1), point("d", 1, nan)},
      .limit = kInfinity};
  const std::string svg = svg_of(scatter);
  EXPECT_NE(svg.find(">b<"), std::string::npos) << svg;
  EXPECT_EQ(svg.find(">c<"), std::string::npos);
  EXPECT_EQ(svg.find(">d<"), std::string::npos);
}

TEST(Charts, StacksShareOneScale) {
  const StackedChart chart{.title = "stacks",
                           .parts = {"a", "b"},
                           .bars = {{.name = "one", .values = {3, 1}, .low = 2, .high = 8},
                                    {.name = "two", .values = {2, 0}}}};
  const std::string svg = svg_of(chart);
  EXPECT_NE(svg.find("part0\" x=\"0.00%\" y=\"22\" width=\"37.50%\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("part1\" x=\"37.50%\" y=\"22\" width=\"12.50%\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("part0\" x=\"0.00%\" y=\"76\" width=\"25.00%\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("x1=\"25.00%\""), std::string::npos) << svg;
  EXPECT_EQ(svg_of(StackedChart{.bars = {{.values = {0, 0}}}}), "");
}

TEST(Charts, StepsLastUntilTheNext) {
  const StepChart chart{
      .title = "steps", .end = 10, .lines = {{.name = "a", .steps = {{0, 1}, {4, 100}, {5, 1}}}}};
  const std::string svg = svg_of(chart);
  // From 0 to 4 and from 5 to 10 below, between them above.
  EXPECT_NE(svg.find("points=\"70.0,238.3 338.0,238.3 338.0,71.7 405.0,71.7 405.0,238.3 "
                     "740.0,238.3\""),
            std::string::npos)
      << svg;
  EXPECT_EQ(svg_of(StepChart{.end = 10}), "");
}

TEST(Charts, PartsAddUp) {
  const std::string svg =
      svg_of(PartsChart{.parts = {{.name = "a", .value = 3}, {.name = "b", .value = 1}}});
  EXPECT_NE(svg.find("x=\"75.00%\" y=\"2\" width=\"25.00%\""), std::string::npos) << svg;
  EXPECT_EQ(svg_of(PartsChart{.parts = {{.name = "a"}}}), "");
}

}  // namespace
}  // namespace hone
