#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/validate/validation_json.h"

namespace hone {
namespace {

Validation example() {
  Validation validation;
  validation.model = "int8.tflite";
  validation.reference = "fp32.tflite";
  validation.target = "cpu";
  validation.device = "Board, 1 thread";
  validation.metric = Metric{.name = "top1", .value = 0.9, .n = 100};
  validation.reference_metric = Metric{.name = "top1", .value = 0.95, .n = 100};
  validation.agreement = Metric{.name = "agreement", .value = 0.93, .n = 100};
  LayerErrors errors;
  errors.samples = 8;
  errors.layers = {{.name = "a/conv;b", .op = "conv", .step = 0.5},
                   {.name = "soft|max", .op = "softmax"}};
  errors.layers[0].local.add({10, 0}, {10.5, 0});
  errors.layers[0].propagated.add({10, 0}, {11, 0});
  errors.layers[1].local.add({1}, {1});
  errors.layers[1].propagated.add({1.25}, {1});
  validation.layers = errors;
  validation.broken = find_break(errors, validation.breaks);
  validation.gate = {{.what = "accuracy",
                      .asked = "drop of top1 at most 1%",
                      .reached = "5.26 % (0.9500 -> 0.9000)",
                      .from = "measured, n 100",
                      .verdict = Verdict::Fail},
                     {.what = "latency",
                      .asked = "median at most 5.00 ms",
                      .reached = "4.90 ms (4.80 ms to 5.10 ms)",
                      .from = "measured, n 50",
                      .verdict = Verdict::Inconclusive,
                      .why = "too noisy"}};
  return validation;
}

std::string text_of(const Validation& validation, size_t rows = 0) {
  return document_text(document_of(validation, {}, {.rows = rows}));
}

TEST(ValidationText, TellsMetricsLayersAndVerdicts) {
  EXPECT_EQ(text_of(example()),
            R"(what                  value  from
-------------------  ------  -----------------------
top1                 0.9000  measured, n 100
top1 of fp32.tflite  0.9500  measured, n 100
drop                 0.0500  5.26 % of the reference
agreement            0.9300  measured, n 100

layer     op       local dB   cosine  LSB  propagated dB   cosine  LSB
--------  -------  --------  -------  ---  -------------  -------  ---
a/conv    conv         26.4  1.00000  1.0           20.8  1.00000  2.0
soft|max  softmax       inf  1.00000    -           12.0  1.00000    -
measured against fp32.tflite with the operators' references, n 8; 0 nodes have no counterpart
no layer breaks: the lowest local SQNR is 26.4 dB, at 'a/conv'

what      asked                    reached                       from             verdict
--------  -----------------------  ----------------------------  ---------------  ------------
accuracy  drop of top1 at most 1%  5.26 % (0.9500 -> 0.9000)     measured, n 100  fail
latency   median at most 5.00 ms   4.90 ms (4.80 ms to 5.10 ms)  measured, n 50   inconclusive
latency: too noisy
verdict: fail
)");
}

TEST(ValidationText, ShowsTheWorstLayersWhenNotAllAreWanted) {
  const std::string text = text_of(example(), 1);
  EXPECT_NE(text.find("a/conv"), std::string::npos);
  EXPECT_EQ(text.find("soft|max"), std::string::npos);
  EXPECT_NE(text.find("the 1 worst of 2 layers by local SQNR, in the order they run in\n"),
            std::string::npos);
}

TEST(ValidationText, SaysHowToSeeAllInTheWordsOfWhoShowsIt) {
  const ShowOptions show{.rows = 1, .words = [](const Hint& hint) {
                           EXPECT_EQ(hint, Hint{HintKind::AllRows});
                           return std::string("press a");
                         }};
  const std::string text = document_text(document_of(example(), {}, show));
  EXPECT_NE(text.find(", in the order they run in (press a)\n"), std::string::npos) << text;
}

TEST(ValidationText, TellsWhichSamplesOtherArithmeticChanges) {
  Validation validation;
  validation.arithmetic = ArithmeticChange{.name = "u8s8-saturating",
                                           .samples = 100,
                                           .answers = {3, 7},
                                           .outputs = {3, 5, 7},
                                           .example = 3,
                                           .layer = "conv",
                                           .different = 10,
                                           .elements = 50};
  EXPECT_EQ(text_of(validation),
            "u8s8-saturating against tflite-reference, measured on target cpu: of 100 samples 2 "
            "answers and 3 outputs change\n"
            "answers change of samples 3, 7\n"
            "on sample 3 'conv' differs first, in 10 of 50 elements\n");
}

TEST(ValidationMarkdown, EscapesWhatFilesSay) {
  const std::string text = document_markdown(document_of(example(), {}));
  EXPECT_EQ(
      text.find("# Validation of int8.tflite on cpu\n\n**fail, on Board, 1 thread: accuracy 5.26 % "
                "(0.9500 -> 0.9000), asked drop of top1 at most 1%**\n\n## Accuracy\n"),
      0u)
      << text;
  EXPECT_NE(text.find("| soft\\|max |"), std::string::npos);
  EXPECT_NE(text.find("| accuracy | drop of top1 at most 1% |"), std::string::npos);
  EXPECT_NE(text.find("- verdict: fail\n"), std::string::npos);
}

TEST(ValidationPage, IsHtmlThatLoadsNothing) {
  Validation validation = example();
  validation.model = "a<b>.onnx";
  const std::string page = document_page(
      {document_of(validation, {.command = "hone validate a<b>.onnx"}, {.page = true})});
  EXPECT_TRUE(page.starts_with("<!doctype html>")) << page.substr(0, 40);
  EXPECT_NE(page.find("<h1>Validation of a&lt;b&gt;.onnx on cpu</h1>"), std::string::npos);
  EXPECT_NE(page.find("<p class=\"verdict state bad\">fail, on Board, 1 thread: accuracy "),
            std::string::npos);
  EXPECT_NE(page.find("<td>5.26 % (0.9500 → 0.9000)</td>"), std::string::npos) << page;
  EXPECT_NE(page.find("<span class=\"verdict_chip bad\">fail</span>"), std::string::npos);
  EXPECT_NE(page.find("<li>latency: too noisy</li>"), std::string::npos);
  EXPECT_NE(page.find("hone validate a&lt;b&gt;.onnx"), std::string::npos);
  for (const char* loads : {"<script src", "https://", "src=", "a<b>"}) {
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  }
  // The name of SVG, which scripts make elements by, is no address.
  const size_t named = page.find("http://www.w3.org/2000/svg");
  EXPECT_EQ(page.find("http://"), named);
  EXPECT_EQ(page.find("http://", named + 1), std::string::npos);
}

// What is read from a file says what was said when it was written.
TEST(ValidationJson, ReadsBackWhatDocumentsShow) {
  Validation validation = example();
  validation.layers->layers.push_back({.name = "lost", .op = "conv"});
  validation.layers->layers.back().local.add({1}, {0});
  validation.layers->layers.back().propagated.add({1, 0}, {1, 0});
  validation.broken = find_break(*validation.layers, validation.breaks);
  validation.metric_why = "it was asked for";
  validation.data_how = "4 pictures, rgb / 255; nchw";
  validation.expected = ExpectedOutputs{.samples = 3, .equal = 2, .max_error = 0.25};
  validation.arithmetic = ArithmeticChange{.name = "per-tensor", .samples = 9, .outputs = {1}};
  const Result<Validation> back = validation_from_json(validation_to_json(validation));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(text_of(*back), text_of(validation));
  EXPECT_NE(text_of(*back).find("layer 'lost' breaks first"), std::string::npos);
}

TEST(ValidationJson, NamesWhatIsWrong) {
  nlohmann::ordered_json json = validation_to_json(example());
  json["gate"][0]["verdict"] = "perhaps";
  EXPECT_EQ(validation_from_json(json).error().message,
            "results.gate holds the verdict 'perhaps', expected pass, fail or inconclusive");
  json = validation_to_json(example());
  json["layers"]["layers"][0]["local"]["cosine"] = "1";
  EXPECT_EQ(validation_from_json(json).error().message,
            "results.layers.layers[0].local.cosine is string, expected a number");
}

// Files of hone 0.1 name the metric and do not say which way is up.
TEST(ValidationJson, OfAnOlderFileKnowsWhichWayIsUp) {
  Validation validation;
  validation.metric = Metric{.name = "mse", .value = 0.2};
  validation.reference_metric = Metric{.name = "mse", .value = 0.1};
  validation.more_is_better = false;
  nlohmann::ordered_json json = validation_to_json(validation);
  json.erase("more_is_better");
  const Result<Validation> back = validation_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE(back->more_is_better);
}

}  // namespace
}  // namespace hone
