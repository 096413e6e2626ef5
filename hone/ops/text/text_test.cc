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

TEST(Regex, MatchesWholeTexts) {
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("a|bc|", "bc"));
  EXPECT_FALSE(matches("a|bc", "b"));
  EXPECT_TRUE(matches("(ab)*c+?d?", "ababcc"));
  EXPECT_TRUE(matches("(?:a|b(?P<n>c|d))*", "abcbda"));
  EXPECT_TRUE(matches("a{2,3}", "aaa"));
  EXPECT_FALSE(matches("a{2,3}", "aaaa"));
  EXPECT_TRUE(matches("a{2,}b{1}", "aaaab"));
  EXPECT_TRUE(matches("a{0}", ""));
  EXPECT_TRUE(matches("a{x}", "a{x}"));
  EXPECT_TRUE(matches(".", "\xc3\xa9"));
  EXPECT_FALSE(matches(".", "\n"));
  EXPECT_TRUE(matches("[^a]", "\n"));
  EXPECT_TRUE(matches("[]a-c-]+", "]b-"));
  EXPECT_TRUE(matches("[^\\d_]+", "ab"));
  EXPECT_TRUE(matches("[[:alpha:][:digit:]]+", "a1"));
  EXPECT_TRUE(matches("\\w+\\s\\S\\.\\x41\\x{e9}", "a_1 !.A\xc3\xa9"));
  EXPECT_TRUE(matches("^\\Aab$\\z", "ab"));
  EXPECT_FALSE(matches("a^b", "ab"));
  EXPECT_TRUE(matches("a\\b b", "a b"));
  EXPECT_FALSE(matches("a\\bb", "ab"));
  EXPECT_TRUE(matches("a\\Bb", "ab"));
  EXPECT_TRUE(matches("()*|(a*)*", "aaaa"));
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
  EXPECT_TRUE(found("(x|y)*z", std::string(100'000, 'x') + "z"));
}

TEST(Regex, TakesLinearTime) {
  EXPECT_FALSE(matches("(a*)*(a*)*b", std::string(20'000, 'a')));
  EXPECT_FALSE(matches("(a?){500}a{500}", std::string(499, 'a')));
}

TEST(Regex, RefusesWrongPatternsAndWhatItDoesNotKnow) {
  for (const char* wrong : {"(", ")", "a)", "*", "a**", "a+{2}", "a{1001}", "a{3,2}", "[", "[b-a]",
                            "a\\", "\\x4", "(?P<a", "\xff"}) {
    const Result<Regex> regex = Regex::compile(wrong);
    ASSERT_FALSE(regex.ok()) << wrong;
    EXPECT_EQ(regex.error().kind, ErrorKind::BadInput) << wrong;
  }
  for (const char* strange : {"(?i)a", "(?=a)", "\\pL", "\\1", "\\Qa\\E", "[[:nope:]]", "[\\W]",
                              "((a{1000}){1000}){1000}"}) {
    const Result<Regex> regex = Regex::compile(strange);
    ASSERT_FALSE(regex.ok()) << strange;
    EXPECT_EQ(regex.error().kind, ErrorKind::Unsupported) << strange;
  }
  expect_unsupported(Regex::compile(std::string(1000, '(')));
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
