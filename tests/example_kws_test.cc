// The trained example: what its README says is so, and the features that it was trained on are
// those that `hone mfcc` makes today.

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "hone/audio/mfcc.h"
#include "hone/audio/wav.h"
#include "hone/wire/npy.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kYes = 9;          // The class.
constexpr size_t kYesSample = 181;   // Where yes.wav is in eval/.
constexpr double kTolerance = 2e-3;  // Less than one clip of 240.

fs::path example() {
  return source_dir() / "examples/kws";
}

// The number behind "top1" in the README's transcript.
double stated_accuracy() {
  std::ostringstream text;
  text << std::ifstream(example() / "README.md").rdbuf();
  const std::string readme = text.str();
  std::smatch match;
  if (!std::regex_search(readme, match, std::regex("top1  ([0-9.]+)  measured, n 240"))) {
    return -1;
  }
  return std::stod(match[1]);
}

class ExampleKws : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto model = open_model((example() / "kws.onnx").string());
    ASSERT_TRUE(model.ok()) << model.error().message;
    model_ = *std::move(model);
    auto program = (*find_target(GetParam()))
                       ->open()
                       ->compile(std::move(*model_.graph.clone()), {.threads = 1});
    ASSERT_TRUE(program.ok()) << program.error().message;
    program_ = *std::move(program);
  }

  Model model_;
  std::unique_ptr<Program> program_;
};

TEST_P(ExampleKws, IsAsAccurateAsItsReadmeSays) {
  const auto data = read_data_set(example() / "eval", model_.graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->samples, 240);
  const auto outputs = predict(*program_, model_.graph, *data, 0);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const auto metric = evaluate("top1", *outputs, *data, model_.graph);
  ASSERT_TRUE(metric.ok()) << metric.error().message;
  EXPECT_NEAR(*metric->value, stated_accuracy(), kTolerance);
}

TEST_P(ExampleKws, HearsYes) {
  const auto sound = read_wav(example() / "yes.wav");
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  const auto features = (*Mfcc::make())(sound->samples);
  ASSERT_TRUE(features.ok()) << features.error().message;
  const auto data =
      data_set_of(Tensor::of<float>({1, 49, 10, 1}, *features), model_.graph, "yes.wav");
  ASSERT_TRUE(data.ok()) << data.error().message;
  const auto outputs = predict(*program_, model_.graph, *data, 1);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const std::vector<double> scores = to_doubles(outputs->samples[0][0]);
  EXPECT_EQ(std::ranges::max_element(scores) - scores.begin(), kYes);
}

INSTANTIATE_TEST_SUITE_P(Targets, ExampleKws, testing::Values("ref", "cpu"),
                         [](const auto& test) { return std::string(test.param); });

TEST(ExampleKwsFeatures, AreWhatTheFrontEndMakesOfTheSound) {
  const auto sound = read_wav(example() / "yes.wav");
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  const auto features = (*Mfcc::make())(sound->samples);
  ASSERT_TRUE(features.ok()) << features.error().message;
  const auto inputs = read_npy(example() / "eval/inputs.npy");
  const auto labels = read_npy(example() / "eval/labels.npy");
  ASSERT_TRUE(inputs.ok() && labels.ok());
  EXPECT_EQ(to_ints(*labels)[kYesSample], kYes);
  const auto row = inputs->data<float>().subspan(kYesSample * 490, 490);
  for (size_t i = 0; i < row.size(); ++i) EXPECT_NEAR((*features)[i], row[i], 1e-4) << i;
}

}  // namespace
}  // namespace hone
