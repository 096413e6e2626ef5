#include <gtest/gtest.h>

#include "hone/report/document/writers.h"
#include "hone/report/profile_text.h"
#include "hone/report/report_examples.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(EngineProfile, SpeaksOfEnginesInsteadOfRoofs) {
  const std::string text = profile_text(engine_profile());
  EXPECT_TRUE(text.starts_with("net.onnx on ethos, seed 0\n")) << text;
  EXPECT_TRUE(says(text, "MACs %  waits for          off chip")) << text;
  EXPECT_TRUE(says(text, "matrix engine  900.0     90.0    30.0  weights late 40 %  4.00 KiB"));
  EXPECT_TRUE(says(text, "host           100.0     10.0       -  dispatch 20 %             -"));
  EXPECT_FALSE(says(text, "GOP/s"));
  EXPECT_FALSE(says(text, "fp32"));
}

TEST(EngineProfile, SumsUpTheRun) {
  const std::string text = profile_text(engine_profile());
  EXPECT_TRUE(says(text, "matrix 54.0 % busy, doing 27.0 % of the MACs it could")) << text;
  EXPECT_TRUE(says(text, "waits     weights late 36.0 %, dispatch 2.0 % of the run (simulated)"));
  EXPECT_TRUE(says(text, "traffic   DRAM read 4.00 KiB (simulated)"));
  EXPECT_TRUE(says(text, "memory    sram activations 2.00 KiB (exact)"));
  EXPECT_TRUE(says(text,
                   "  soft (softmax), 1001 B over the border, 12.5 us (predicted)\n"
                   "    why     no engine has it\n    change  leave it out\n"));
}

TEST(EngineProfile, OperatorsOnTheHostForOneReasonStandTogether) {
  Profile profile = engine_profile();
  HostPlacement again = profile.host[0];
  again.name = "soft2";
  profile.host.push_back(again);
  EXPECT_TRUE(says(profile_text(profile),
                   "on the host: 2 operators\n"
                   "  soft, soft2 (2 softmax), 1.96 KiB over the border, 25.0 us (predicted)\n"
                   "    why     no engine has it\n    change  leave it out\n"))
      << profile_text(profile);
}

TEST(EngineProfile, WhatBeginsARunIsToldHoweverLongTheRest) {
  Profile profile = engine_profile();
  profile.latency[0].value = 1.002;
  EXPECT_TRUE(says(profile_text(profile), "to begin a run takes another 2.0 us"));
}

TEST(EngineProfile, WaitsAreNeitherCutNorToldOfNothing) {
  Profile profile = engine_profile();
  const std::string long_name = "a_layer_with_a_name_that_no_terminal_has_room_for_beside_it";
  for (LayerGroup& group : profile.layers) group.name += long_name;
  for (StepProfile& step : profile.steps) step.output = "f32[1,1024,1024,1024]";
  profile.steps[1].engines->stalls[sim::Stall::Dispatch] = 0.1;
  use_text_width(104);
  const std::string text = profile_text(profile);
  use_text_width(kTextWidth);
  EXPECT_TRUE(says(text, "  weights late 40 %")) << text;
  EXPECT_FALSE(says(text, "dispatch 0 %")) << text;
}

TEST(EngineProfile, CountersAreColumnsOfTheCsv) {
  const std::string csv = profile_csv(engine_profile());
  EXPECT_TRUE(says(csv,
                   "mode,layers,cycles,matrix_busy,vector_busy,dma_busy,host_busy,mac_utilisation,"
                   "commands,sram_bytes,stall_weights_late,stall_input_late,stall_output_blocked,"
                   "stall_dispatch,stall_dependency,stall_host,DRAM_read,DRAM_written,energy\n"))
      << csv;
  EXPECT_TRUE(says(csv, ",simulated,conv relu,900,60,0,0,0,30,0,0,360,0,0,0,0,0,4096,0,0\n"))
      << csv;
  EXPECT_TRUE(says(csv, ",simulated,soft,100,0,0,0,80,0,0,0,0,0,0,20,0,0,0,0,0\n")) << csv;
}

TEST(EngineProfile, TheTraceHasATrackForEachEngine) {
  const Json events = Json::parse(chrome_trace(engine_profile()));
  std::vector<std::string> tracks;
  std::string what;
  for (const Json& event : events) {
    if (event["name"] == "thread_name") tracks.push_back(event["args"]["name"]);
    if (event["ph"] == "X" && event["tid"] == 3) what = event["args"]["what"];
    if (event["name"] == "model_run") {
      EXPECT_EQ(event["tid"], 4);
      EXPECT_EQ(event["dur"], 1000);
    }
  }
  EXPECT_EQ(tracks, (std::vector<std::string>{"matrix", "vector", "host", "dma 0", "run"}));
  EXPECT_EQ(what, "weights 4.00 KiB");
}

}  // namespace
}  // namespace hone
