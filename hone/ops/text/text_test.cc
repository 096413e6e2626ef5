#include <algorithm>

#include "hone/ops/testing.h"
#include "hone/ops/text/regex.h"

namespace hone {
namespace {

Tensor strings(const Strings& values) {
  return vector_of<std::string>(values);
}

bool matches(std::string_view pattern, std::string_view text) {
  const Result<Regex> regex = Regex::compile(pattern);
  EXPECT_TRUE(regex.ok()) << pattern << ": " << regex.error().message;
  if (!regex.ok()) return false;
  const Result<bool> result = regex->matches_all_of(text);
  return result.ok() && *result;
}

TEST(Regex, MatchesWholeTextsInRe2sSyntax) {
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("a|bc|", "bc"));
  EXPECT_FALSE(matches("a|bc", "b"));
  EXPECT_FALSE(matches("a{2,3}", "aaaa"));
  EXPECT_TRUE(matches("(?P<n>[[:alpha:]]\\d){2}", "a1b2"));
  EXPECT_TRUE(matches("(?i)\\pL\\x{e9}[\\W]\\Q*\\E", "Z\xc3\xa9!*"));
  EXPECT_TRUE(matches(".", "\xc3\xa9"));
  EXPECT_FALSE(matches(".", "\n"));
}

TEST(Regex, MatchesNoTextThatIsNotUtf8) {
  EXPECT_EQ(Regex::compile(".*")->matches_all_of("a\xff").error().message, "the text is not UTF-8");
}

TEST(Regex, IsFoundInsideATextOfAnyBytes) {
  const auto found = [](const char* pattern, const std::string& text) {
    return Regex::compile(pattern)->found_in(text);
  };
  EXPECT_TRUE(found("b+c", "aabbcd"));
  EXPECT_FALSE(found("^b", "ab"));
  EXPECT_TRUE(found("b$", "ab"));
  EXPECT_TRUE(found("", ""));
  EXPECT_FALSE(found("a", ""));
  EXPECT_TRUE(found("^a.b$",
                    "a\xff"
                    "b"));
}

TEST(Regex, NamesAPatternThatIsNone) {
  const auto message = [](const std::string& pattern) {
    testing::internal::CaptureStderr();
    const Result<Regex> regex = Regex::compile(pattern);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << pattern;
    EXPECT_FALSE(regex.ok()) << pattern;
    EXPECT_EQ(regex.error().kind, ErrorKind::BadInput) << pattern;
    return regex.error().message;
  };
  EXPECT_EQ(message("(ab"), "pattern '(ab': missing )");
  EXPECT_EQ(message("a**"), "pattern 'a**': bad repetition operator: **");
  EXPECT_EQ(message("x[b-a]"), "pattern 'x[b-a]': invalid character class range: b-a");
  EXPECT_EQ(message("(?=a)"), "pattern '(?=a)': invalid perl operator: (?=");
  EXPECT_EQ(message("\xff"), "pattern '\\xff': invalid UTF-8");
  EXPECT_LT(message(std::string(5000, '(')).size(), 200u);
}

TEST(Regex, RefusesAPatternThatTakesTooMuchMemory) {
  expect_unsupported(Regex::compile("\\pL{1000}"));
}

TEST(RegexFullMatch, GivesOneAnswerPerString) {
  expect_tensor<bool>(run_op("regex_full_match", {strings({"www.a.com", "wwwXa"})},
                             {{"pattern", std::string("www\\.\\w+\\.com")}}),
                      {2}, {true, false});
}

TEST(StringConcat, Broadcasts) {
  expect_tensor<std::string>(
      run_op("string_concat", {strings({"a", "b"}), Tensor::scalar<std::string>("!")}), {2},
      {"a!", "b!"});
}

TEST(StringSplit, SplitsAsPythonDoes) {
  const auto split = [](const Strings& texts, Attrs attrs) {
    return run_op("string_split", {strings(texts)}, std::move(attrs), 2);
  };
  expect_tensor<std::string>(split({" a  b c ", ""}, {}), {2, 3}, {"a", "b", "c", "", "", ""});
  expect_tensor<std::string>(split({" a  b c "}, {{"maxsplit", int64_t{1}}}), {1, 2},
                             {"a", "b c "});
  expect_tensor<std::string>(split({"a,,b", ""}, {{"delimiter", std::string(",")}}), {2, 3},
                             {"a", "", "b", "", "", ""});
  expect_tensor<std::string>(
      split({"a--b--c"}, {{"delimiter", std::string("--")}, {"maxsplit", int64_t{1}}}), {1, 2},
      {"a", "b--c"});
  expect_tensor<std::string>(split({}, {}), {0, 0}, {});
  Strings uneven(5000);
  uneven[0] = std::string(5000, ',');
  expect_unsupported(split(uneven, {{"delimiter", std::string(",")}}));
}

TEST(StringNormalizer, RefusesLettersBeyondAscii) {
  const Attrs lower{{"case_change_action", std::string("LOWER")}};
  expect_unsupported(run_op("string_normalizer", {strings({"\xc3\x89"})}, lower));
  expect_tensor<std::string>(run_op("string_normalizer", {strings({"\xc3\x89"})}), {1},
                             {"\xc3\x89"});
  expect_bad_input(run_op("string_normalizer", {Tensor::of<std::string>({2, 1}, {"a", "b"})}));
  expect_bad_input(
      run_op("string_normalizer", {strings({"a"})}, {{"case_change_action", std::string("x")}}));
  expect_tensor<std::string>(
      run_op("string_normalizer", {strings({"The", "Cat"})}, {{"stopwords", Strings{"the"}}}), {1},
      {"Cat"});
}

Attrs grams(Ints counts, Ints indexes, Ints pool) {
  return {{"max_gram_length", int64_t{2}},     {"max_skip_count", int64_t{0}},
          {"min_gram_length", int64_t{1}},     {"mode", std::string("TF")},
          {"ngram_counts", std::move(counts)}, {"ngram_indexes", std::move(indexes)},
          {"pool_int64s", std::move(pool)}};
}

TEST(TfIdfVectorizer, RefusesAPoolThatDoesNotFit) {
  const Tensor x = vector_of<int64_t>({1, 2, 1, 2});
  expect_tensor<float>(run_op("tf_idf_vectorizer", {x}, grams({0, 1}, {0, 1}, {2, 1, 2})), {2},
                       {2, 2});
  for (const Ints& counts : {Ints{0, 2}, Ints{-1, 1}, Ints{0, 9}, Ints{2, 1}}) {
    expect_bad_input(run_op("tf_idf_vectorizer", {x}, grams(counts, {0, 1}, {2, 1, 2})));
  }
  expect_bad_input(run_op("tf_idf_vectorizer", {x}, grams({0, 1}, {0}, {2, 1, 2})));
  expect_bad_input(run_op("tf_idf_vectorizer", {x}, grams({0, 1}, {0, -1}, {2, 1, 2})));
  expect_bad_input(run_op("tf_idf_vectorizer", {x}, grams({0, 1}, {0, INT64_MAX}, {2, 1, 2})));
  Attrs endless = grams({0, 1}, {0, 1}, {2, 1, 2});
  endless["max_skip_count"] = INT64_MAX;
  expect_tensor<float>(run_op("tf_idf_vectorizer", {x}, endless), {2}, {2, 3});
}

TEST(TfIdfVectorizer, WeightsApplyOnlyInTheOrderOfTheColumns) {
  const Tensor x = vector_of<int64_t>({1, 2, 1, 2});
  Attrs attrs = grams({0, 1}, {0, 1}, {2, 1, 2});
  attrs["mode"] = std::string("TFIDF");
  attrs["weights"] = Floats{0.5, 3};
  expect_tensor<float>(run_op("tf_idf_vectorizer", {x}, attrs), {2}, {1, 6});
  attrs["ngram_indexes"] = Ints{1, 0};
  expect_unsupported(run_op("tf_idf_vectorizer", {x}, attrs));
}

}  // namespace
}  // namespace hone
