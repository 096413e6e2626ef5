// The scripts of pages have the pages' commands; those of docs/examples run, and what their pages
// claim holds.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Runs the scripts of one test in a folder of its own, with the hone that was built beside the
// test.
class Examples : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("HONE_BIN") == nullptr) GTEST_SKIP() << "HONE_BIN does not name hone's folder";
    folder_ = fs::path(testing::TempDir()) / str("hone_examples_", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void run(const std::string& name, const std::string& pages = "examples") {
    run_in_source(str("HONE_EXAMPLES='", folder_.string(), "' sh docs/", pages, "/", name, ".sh"),
                  name + ".log");
  }
  // Tells what the command printed when it fails.
  void run_in_source(const std::string& command, const std::string& log) {
    const fs::path path = folder_ / log;
    const std::string line =
        str("cd '", source_dir().string(), "' && ", command, " > '", path.string(), "' 2>&1");
    ASSERT_EQ(std::system(line.c_str()), 0) << text(path);
  }

  static std::string text(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  std::string output(const std::string& file) const { return text(folder_ / file); }
  Json results(const std::string& file) const {
    const Json document = Json::parse(output(file), nullptr, false);
    return document.is_object() && document.contains("results") ? document["results"] : Json();
  }
  double latency(const std::string& file) const {
    const Json all = results(file);
    const Json& found = all.contains("latency") ? all["latency"] : all;
    return (found.is_array() ? found[0] : found).value("value", 0.0);
  }

  fs::path folder_;
};

// "activations by tables   3.992   1.343   4.196".
struct Step {
  double predicted = 0;
  double run = 0;
  double obtained = 0;
};
std::vector<Step> steps_of(const std::string& table) {
  std::istringstream in(table);
  std::vector<Step> steps;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<double> numbers;
    for (std::string word; words >> word;) {
      char* end = nullptr;
      const double number = std::strtod(word.c_str(), &end);
      if (end != word.c_str() && *end == 0) numbers.push_back(number);
    }
    if (numbers.size() == 3) steps.push_back({numbers[0], numbers[1], numbers[2]});
  }
  return steps;
}

bool has_python() {
  return std::system("python3 -c '' 2> /dev/null") == 0;
}

TEST_F(Examples, PagesAndScriptsHaveTheSameCommands) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  run_in_source("scripts/examples --check", "check.log");
}

// Of the how-tos only this script is quick, and cannot end otherwise on a busy machine.
TEST_F(Examples, DevicesAreComparedAndFitted) {
  run("compare_devices", "howto");
  const std::string log = output("compare_devices.log");
  EXPECT_NE(log.find("npu, fitted to 3 measured points"), std::string::npos) << log;
  EXPECT_EQ(log.find("(not run)"), std::string::npos) << log;
}

TEST_F(Examples, LaunchesAndCopiesAreCutAsPredicted) {
  run("launches_and_copies");
  const std::vector<Step> steps = steps_of(output("launches/steps.txt"));
  ASSERT_EQ(steps.size(), 3u) << output("launches/steps.txt");
  for (const Step& step : steps) {
    EXPECT_GT(step.obtained, 0);
    EXPECT_NEAR(step.predicted, step.obtained, 0.25 * step.obtained + 0.001);
  }
  const double before = steps[0].run + steps[0].obtained;
  EXPECT_LT(steps[2].run, 0.8 * before);
  EXPECT_EQ(results("launches/after.json").value("nodes_on_host", -1), 0);
}

TEST_F(Examples, MobilenetV3TakesLessThanFiveMs) {
  run("mobilenet_v3_under_5_ms");
  for (const char* device : {"npu", "edge-tpu-usb"}) {
    const double ms = latency(str("mobilenet/", device, ".json"));
    EXPECT_GT(ms, 0) << device;
    EXPECT_LT(ms, 5) << device;
  }
}

// Qualcomm AI Hub has 1.57 ms for B0 on the same chip, with QNN and with TFLite.
TEST_F(Examples, EfficientNetsAreRankedOnAPhone) {
  run("efficientnet_on_a_phone");
  const Json all = results("efficientnet/phone.json");
  ASSERT_EQ(all["models"].size(), 4u);
  double before = 0;
  for (const Json& model : all["models"]) {
    const Json& latency = model["devices"][0]["latency"][0];
    EXPECT_EQ(latency["mode"], "predicted");
    EXPECT_GT(latency.value("value", 0.0), before) << model["model"];
    before = latency.value("value", 0.0);
  }
  const Json& smallest = all["models"][0]["devices"][0]["latency"][0];
  EXPECT_LT(smallest.value("low", 0.0), 1.57);
  EXPECT_GT(smallest.value("high", 0.0), 1.57);
  EXPECT_EQ(all["devices"][0]["choice"]["take"], "zoo:efficientnet_b0");
  EXPECT_EQ(all["devices"][0]["choice"]["take_probably"], "zoo:efficientnet_b2");
}

TEST_F(Examples, SwishBetaLeavesTheHost) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  run("swish_beta");
  EXPECT_GT(latency("swish/after.json"), 0);
  EXPECT_LT(latency("swish/after.json"), 0.5 * latency("swish/before.json"));
  EXPECT_GT(latency("swish/acme.json"), latency("swish/after.json")) << "4 cycles instead of 2";
  const Json placement = results("swish/placement.json");
  ASSERT_TRUE(placement.contains("host"));
  for (const Json& node : placement["host"]) {
    for (const char* activation : {"swish", "lookup", "mul", "sigmoid"}) {
      EXPECT_NE(node["op"], activation) << node.dump();
    }
  }
  const std::string log = output("swish_beta.log");
  EXPECT_NE(log.find("verdict: pass"), std::string::npos) << "within 1 pt of FP32\n" << log;
  EXPECT_NE(log.find("240 of 240 samples equal"), std::string::npos) << log;
}

ModelledRun modelled(const std::string& spec, const std::string& target,
                     const CompileOptions& options = {}) {
  Model model = *open_model(spec);
  const auto program = (*find_target(target))->open()->compile(std::move(model.graph), options);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *(*program)->modelled();
}

// The script takes longer than a test should: a thousand runs are asked for, and pictures judged.
TEST(ResNet50, WaitsForWeightsOnTheEdgeTpuAndTakesLessEnergyThanOnTheJetson) {
  const ModelledRun tpu = modelled("zoo:resnet50:int8", "edge-tpu-usb");
  EXPECT_GT(tpu.engines->stalls[sim::Stall::WeightsLate], 0.5 * tpu.engines->cycles);
  const ModelledRun jetson = modelled("zoo:resnet50", "jetson-nano", {.precision = Precision::F16});
  EXPECT_LT(*tpu.energy[0].high, *jetson.energy[0].low);
}

}  // namespace
}  // namespace hone
