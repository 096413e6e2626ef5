// Small result files for the tests of this folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "hone/profile/profile_json.h"
#include "hone/profile/result_file.h"
#include "hone/report/report.h"

namespace hone {

// One conv of `ms`, measured as often as a difference of two needs to be believed.
inline Profile example_profile(double ms) {
  Profile profile;
  profile.model = "net.onnx";
  profile.target = "cpu";
  profile.device = "Board, 1 thread";
  profile.latency = {{.name = "median", .value = ms, .unit = "ms", .n = 16, .low = ms, .high = ms}};
  profile.samples_ms = std::vector<double>(16, ms);
  profile.steps.emplace_back();
  profile.steps[0].name = "conv";
  profile.steps[0].op = "conv";
  profile.steps[0].kind = {.family = StepFamily::Product, .work = "gemm_f32", .variant = "neon"};
  profile.steps[0].us = 1e3 * ms;
  profile.steps[0].us_p10 = 1e3 * ms;
  profile.steps[0].share = 1;
  profile.steps[0].flops = 2000000;
  profile.steps[0].sources = {0, 1};
  profile.sources = {{"conv", "Conv"}, {"relu", "Relu"}, {"flat", "Flatten"}};
  profile.layers = {{"conv + 1", {0, 1}, {0}, 1e3 * ms, 1, ""}, {"flat", {2}, {}, 0, 0, "a view"}};
  return profile;
}

// A run of an accelerator: a conv that waits for its weights, and a softmax that its host has.
inline Profile engine_profile() {
  const auto simulated = [](const char* name, double value, const char* unit) {
    return Metric{.name = name, .value = value, .unit = unit, .mode = Mode::Simulated};
  };
  Profile profile = example_profile(1);
  profile.target = "ethos";
  profile.device = "ethos";
  profile.mode = Mode::Simulated;
  profile.samples_ms.clear();
  profile.latency = {simulated("median", 1, "ms")};
  profile.tracks = {"matrix", "vector", "host", "dma 0"};
  profile.steps[0].kind.work = "matrix";
  profile.steps[0].kind.variant = "engine";
  profile.steps[0].us = 900;
  profile.steps[0].share = 0.9;
  sim::EngineCounters& conv = profile.steps[0].engines.emplace();
  conv.cycles = 900;
  conv.busy.matrix = 540;
  conv.macs = 270;
  conv.possible_macs = 900;
  conv.stalls[sim::Stall::WeightsLate] = 360;
  conv.memories = {{"DRAM", 4096, 0}};
  profile.steps.emplace_back();
  profile.steps[1].name = "soft";
  profile.steps[1].op = "softmax";
  profile.steps[1].kind = {.work = "host", .on_host = true};
  profile.steps[1].us = 100;
  profile.steps[1].share = 0.1;
  profile.steps[1].sources = {2};
  sim::EngineCounters& soft = profile.steps[1].engines.emplace();
  soft.cycles = 100;
  soft.busy.host = 80;
  soft.possible_macs = 100;
  soft.stalls[sim::Stall::Dispatch] = 20;
  soft.memories = {{"DRAM", 0, 0}};
  profile.sources[2] = {"soft", "Softmax"};
  profile.layers[0].us = 900;
  profile.layers[0].share = 0.9;
  profile.layers[1] = {"soft", {2}, {1}, 100, 0.1, ""};
  sim::EngineCounters& whole = profile.engines.emplace();
  for (const StepProfile& step : profile.steps) add(*step.engines, whole);
  profile.memory = {{.name = "sram_activations", .value = 2048, .unit = "B", .mode = Mode::Exact}};
  profile.host = {{.name = "soft",
                   .op = "softmax",
                   .reason = "no engine has it",
                   .change = "leave it out",
                   .boundary_bytes = 1001,
                   .boundary_us = 12.5}};
  profile.timeline = {
      {0, 3, 0, 360, "weights 4.00 KiB"}, {0, 0, 360, 540, "8x8x16"}, {1, 2, 920, 80, "host"}};
  return profile;
}

inline nlohmann::ordered_json enveloped(nlohmann::ordered_json results) {
  return {{"schema_version", kResultSchema},
          {"tool", {{"name", "hone"}, {"version", "0.1.0"}}},
          {"command", "hone profile net.onnx"},
          {"model", {{"name", "net.onnx"}, {"format", "onnx"}}},
          {"results", std::move(results)}};
}

inline ReportInput profile_input(const std::string& path, double ms) {
  return {path, enveloped(profile_to_json(example_profile(ms)))};
}

inline ReportInput optimization_input() {
  nlohmann::ordered_json finding = {
      {"rule", "memory_bound"}, {"title", "Convs wait for memory"},
      {"bound", "memory"},      {"evidence", nlohmann::ordered_json::array()},
      {"steps", {0}},           {"fix", "store weights in 16 bits"},
      {"command", "--fp16"},    {"formula", "half the bytes"},
      {"confidence", "high"}};
  finding["gain"] = Metric{
      .name = "gain", .value = 0.5, .unit = "ms", .mode = Mode::Predicted, .low = 0.25, .high = 1};
  nlohmann::ordered_json entry = {{"rule", "memory_bound"}, {"title", "Convs wait for memory"},
                                  {"action", "--fp16"},     {"predicted_ms", 0.5},
                                  {"obtained_ms", nullptr}, {"error", 0.002},
                                  {"kept", true},           {"why", "faster"}};
  nlohmann::ordered_json results = {{"kind", "optimization"}};
  results["before"] = profile_to_json(example_profile(2));
  results["after"] = profile_to_json(example_profile(1));
  results["findings"] = nlohmann::ordered_json::array({finding});
  results["ledger"] = nlohmann::ordered_json::array({entry});
  return {"opt.json", enveloped(std::move(results))};
}

// A JSON file in the temporary folder for as long as this lives.
struct ExampleFile {
  ExampleFile(const char* name, const nlohmann::ordered_json& document)
      : path((std::filesystem::temp_directory_path() / name).string()) {
    std::ofstream(path) << document.dump();
  }
  ~ExampleFile() { std::filesystem::remove(path); }
  ExampleFile(const ExampleFile&) = delete;
  ExampleFile& operator=(const ExampleFile&) = delete;

  std::string path;
};

}  // namespace hone
