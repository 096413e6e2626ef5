#include "hone/targets/analytic/learned_program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/device/class_file.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/targets/analytic/learned_costs.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

constexpr std::string_view kLearnedNetwork = R"(graph(%x: f32[1,2,1024,1024]) -> (%y) {
  const %w: f32[3,2,1,1] = {1 2 3 4 5 6}
  %a = conv(%x, %w)
  %y = relu(%a)
})";

Device board(std::string_view of_class = "arm-cpu") {
  Device device{.name = "board", .summary = "A board.", .kind = "cpu"};
  const std::string precision = (*find_class(of_class))->precision;
  device.spec =
      AnalyticSpec{.membership = ClassMembership{.threads = 4,
                                                 .group = "cortex-a72",
                                                 .runs = precision,
                                                 .classes = {{precision, std::string(of_class)}}},
                   .peak_ops = {{"fp32", 48e9}, {"fp16", 96e9}},
                   .bytes_per_second = 1e10,
                   .memory_bytes = 1 << 30,
                   .power = {.typical_watts = 5}};
  return device;
}

ModelledRun run_on(const Device& device, std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto program = make_analytic_target(device)->compile(*std::move(graph), {});
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *(*program)->modelled();
}

FamilyWork network_work_of(std::string_view text) {
  return work_of(*device_program(*parse_graph(text)));
}

TEST(LearnedProgram, TakesWhatItsClassSays) {
  const Device device = board();
  const ModelledRun run = run_on(device, kLearnedNetwork);
  const LearnedCosts learned = learned_costs(*device.analytic(), "fp32");
  const FamilyWork work = network_work_of(kLearnedNetwork);
  const CostPrediction expected = predict_costs(learned.costs, work, {.sigma = learned.of->sigma});
  EXPECT_NEAR(*run.latency.value, expected.ms, 1e-9);
  const double factor = std::exp(log_width_of(learned, work, expected.deviation));
  EXPECT_NEAR(*run.latency.high, expected.ms * factor, 1e-9);
  FamilyWork alone = work;
  alone[family_index("run")] = 0;
  const double least =
      predict_costs(learned.costs, alone, {.sigma = learned.of->sigma}).ms / factor;
  EXPECT_NEAR(*run.latency.low, least, 1e-9);
  EXPECT_NEAR(*run.energy[0].value, 5 * expected.ms, 1e-9);
  EXPECT_EQ(run.latency.note,
            "nine of ten expected within; class arm-cpu, learned from 34 devices, points of this "
            "device: 0; what begins a run is not known of one operator alone");
}

TEST(LearnedProgram, IsOfTheClassOfWhatMostOfItRunsIn) {
  Device device = board();
  device.analytic()->membership->classes.emplace("int8", "arm-cpu-int8");
  const ModelledRun run =
      run_on(device,
             "graph(%x: i8[1,1,4,4]<0.1:0>) -> (%y) {\n  %y: i8[1,1,4,4]<0.1:0> = conv(%x, "
             "i8[1,1,1,1]<0.1:0>{1})\n}");
  EXPECT_NE(run.latency.note.find("class arm-cpu-int8, "), std::string::npos) << run.latency.note;
}

TEST(LearnedProgram, AMeasuredPointMovesItAndNarrowsTheInterval) {
  const ModelledRun before = run_on(board(), kLearnedNetwork);
  Device device = board();
  const FamilyWork work = network_work_of(kLearnedNetwork);
  device.analytic()->membership->points = {
      {"some.onnx", "fp32", 2 * *before.latency.value, {work.begin(), work.end()}}};
  const ModelledRun after = run_on(device, kLearnedNetwork);
  EXPECT_GT(*after.latency.value, 1.6 * *before.latency.value);
  EXPECT_LT(*after.latency.value, 2 * *before.latency.value);
  EXPECT_LT(*after.latency.high / *after.latency.value,
            *before.latency.high / *before.latency.value);
}

bool has_note(const ModelledRun& run, std::string_view text) {
  return std::ranges::any_of(
      run.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// A chip that is slow in one precision is slow in another: by the root of what was measured there.
TEST(LearnedProgram, PointsInAnotherPrecisionMoveItInPart) {
  Device device = board();
  AnalyticSpec& spec = *device.analytic();
  spec.membership->classes.emplace("int8", "arm-cpu-int8");
  const FamilyWork work = network_work_of(kLearnedNetwork);
  const double before = *run_on(device, kLearnedNetwork).latency.value;
  const LearnedCosts integers = learned_costs(spec, "int8");
  for (const ClassNetwork& network : integers.of->networks) {
    const double ms = predict_costs(integers.costs, network.work, network.effect).ms;
    spec.membership->points.push_back(
        {network.name, "int8", 4 * ms, {network.work.begin(), network.work.end()}});
  }
  const ModelledRun shared = run_on(device, kLearnedNetwork);
  EXPECT_GT(*shared.latency.value, 1.8 * before);
  EXPECT_LT(*shared.latency.value, 2.1 * before);
  EXPECT_TRUE(has_note(shared, "no points in fp32: its times are "));
  // Points of its own count alone.
  spec.membership->points.push_back({"some.onnx", "fp32", before, {work.begin(), work.end()}});
  const ModelledRun own = run_on(device, kLearnedNetwork);
  EXPECT_NEAR(*own.latency.value, before, 0.05 * before);
  EXPECT_FALSE(has_note(own, "no points in fp32"));
}

// No class was learned from single operators: the data sheet holds their times from below.
TEST(LearnedProgram, OneOperatorIsNoFasterThanPeakAndMemory) {
  const Device device = **find_device("t4");
  const auto latency = [&](const std::string& rows, const char* op) {
    return run_on(device, str("graph(%a: f32[", rows, "], %b: f32[", rows,
                              "]) -> (%y) {\n  %y = ", op, "(%a, %b)\n}"))
        .latency;
  };
  const double peak_ms = 1e3 * 2 * 4096.0 * 4096 * 4096 / 65e12;  // Its users run fp16.
  const Metric product = latency("4096,4096", "matmul");
  EXPECT_GE(*product.low, 0.999 * peak_ms);
  EXPECT_LT(*product.value, 10 * peak_ms);
  const double memory_ms = 1e3 * 3 * 2 * 8192.0 * 8192 / 320e9;
  EXPECT_GE(*latency("8192,8192", "add").low, 0.999 * memory_ms);
}

// Nor do networks tell what begins a run of one: the lower end is without it.
TEST(LearnedProgram, OneSmallOperatorMayTakeLessThanRunsTakeToBegin) {
  const std::string begin = "graph(%a: f32[64,64], %b: f32[64,64]) -> (%y) {\n";
  const Device device = **find_device("t4");
  const Metric alone = run_on(device, begin + "  %y = matmul(%a, %b)\n}").latency;
  const Metric two =
      run_on(device, begin + "  %c = matmul(%a, %b)\n  %y = matmul(%a, %c)\n}").latency;
  EXPECT_LT(*alone.low, 0.1 * *two.low);
  EXPECT_GT(*alone.value, 0.5 * *two.value);
  EXPECT_NE(alone.note.find("what begins a run is not known"), std::string::npos);
  EXPECT_EQ(two.note.find("what begins a run is not known"), std::string::npos);
}

TEST(LearnedProgram, TellsWhatWasMeasuredOfTheSameNetwork) {
  Device device = board();
  const FamilyWork work = network_work_of(kLearnedNetwork);
  const double ms = 1.1 * *run_on(device, kLearnedNetwork).latency.value;
  EXPECT_FALSE(
      has_note(run_on(device, kLearnedNetwork), "measured, of a network with these layers: "));
  MeasuredPoint point{"some.onnx", "fp32", ms, {work.begin(), work.end()}};
  device.analytic()->membership->points = {point};
  EXPECT_TRUE(
      has_note(run_on(device, kLearnedNetwork), "measured, of a network with these layers: "));
  for (double& each : device.analytic()->membership->points[0].work) each *= 2;
  EXPECT_FALSE(
      has_note(run_on(device, kLearnedNetwork), "measured, of a network with these layers: "));
}

TEST(LearnedProgram, PointsThatDisagreeWidenTheIntervalAndSaySo) {
  Device device = board();
  const FamilyWork work = network_work_of(kLearnedNetwork);
  const double ms = *run_on(device, kLearnedNetwork).latency.value;
  const auto width_with = [&](const std::vector<double>& factors) {
    device.analytic()->membership->points.clear();
    for (const double factor : factors) {
      device.analytic()->membership->points.push_back(
          {"some.onnx", "fp32", factor * ms, {work.begin(), work.end()}});
    }
    const ModelledRun run = run_on(device, kLearnedNetwork);
    const bool told = run.latency.note.find("agree less") != std::string::npos;
    return std::pair(std::log(*run.latency.high / *run.latency.value), told);
  };
  const auto [narrow, said] = width_with({1, 1.1, 0.9, 1, 1.05, 0.95});
  const auto [wide, told] = width_with({1, 2, 0.5, 2.2, 0.45, 1});
  EXPECT_FALSE(said);
  EXPECT_TRUE(told);
  EXPECT_GT(wide, 1.5 * narrow);
}

TEST(LearnedProgram, TellsThatAPeakIsFarBeyondItsClass) {
  Device device = board();
  const auto width = [](const ModelledRun& run) {
    return std::log(*run.latency.high / *run.latency.value);
  };
  const ModelledRun usual = run_on(device, kLearnedNetwork);
  EXPECT_FALSE(has_note(usual, "its peak of"));
  device.analytic()->peak_ops["fp32"] = 48e12;
  const ModelledRun fast = run_on(device, kLearnedNetwork);
  EXPECT_TRUE(has_note(fast, "its peak of 48000.0 GOP/s is "));
  EXPECT_GT(width(fast), 2 * width(usual));
  device.analytic()->peak_ops["fp32"] = 48e15;
  EXPECT_FALSE(run_on(device, kLearnedNetwork).latency.value) << "a factor of more than ten";
}

TEST(LearnedProgram, TellsThatItWasFitted) {
  Device device = board();
  device.fit = CalibrationFit{.points = 3, .date = "2026-11-17"};
  device.path = "pi.toml";
  EXPECT_TRUE(has_note(run_on(device, kLearnedNetwork),
                       "fitted to 3 points of yours on 2026-11-17 (pi.toml)"));
}

TEST(LearnedProgram, DoesNotGuessAtFamiliesNobodyMeasured) {
  ASSERT_TRUE((*find_class("arm-cpu-int8"))->unseen.contains("attention"));
  const ModelledRun run = run_on(board("arm-cpu-int8"), R"(graph(%x: f32[2048,2048]) -> (%y) {
  %a = matmul(%x, %x)
  %b = matmul(%a, %x)
  %y = matmul(%b, %a)
})");
  EXPECT_FALSE(run.latency.value);
  EXPECT_FALSE(run.energy[0].value);
  EXPECT_TRUE(run.latency.note.starts_with(
      "nothing measured on such devices tells what attention layers take, "))
      << run.latency.note;
}

// Cells of NAS-Bench-201, all about as large, do not tell what an element costs from what a step
// does.
TEST(LearnedProgram, DoesNotGuessFarBeyondWhatWasMeasured) {
  const ModelledRun run = run_on(board("eager-gpu"), R"(graph(%x: f32[1,64,512,512]) -> (%y) {
  %a = relu(%x)
  %y = relu(%a)
})");
  EXPECT_FALSE(run.latency.value);
  EXPECT_TRUE(run.latency.note.starts_with("it is far larger than ")) << run.latency.note;
}

TEST(LearnedProgram, SaysWhereAnotherPrecisionIsPriced) {
  const ModelledRun run = run_on(board(), R"(graph(%x: f16[1,2,8,8]) -> (%y) { %y = relu(%x) })");
  EXPECT_EQ(
      std::ranges::count(
          run.notes,
          "such devices were not measured in fp16: its steps are priced by the peak, from what "
          "fp32 takes"),
      1);
  EXPECT_EQ(run_on(board(), kLearnedNetwork).notes.size(), 1u);
  const ModelledRun mixed = run_on(board(), R"(graph(%x: f16[1,2,8,8]) -> (%y) {
  %a = relu(%x)
  %b = cast(%a) to=f32
  %y = relu(%b)
})");
  EXPECT_TRUE(std::ranges::any_of(mixed.notes, [](const std::string& note) {
    return note.find(" of its ") != std::string::npos &&
           note.find("priced by the peak") != std::string::npos;
  }));
}

TEST(LearnedProgram, TimesIntegersWithoutARateAsFp32AndSaysSoOnce) {
  const Device nano = **find_device("jetson-nano");
  const AnalyticSpec& spec = *nano.analytic();
  for (const ClassNetwork& network : (*find_class("nvidia"))->networks) {
    EXPECT_EQ(predict_costs(learned_costs(spec, "int8").costs, network.work).ms,
              predict_costs(learned_costs(spec, "fp32").costs, network.work).ms)
        << network.name;
  }
  const ModelledRun run =
      run_on(nano, R"(graph(%x: i8[1,2,64,64]<0.1:0>) -> (%y) { %y = relu(%x) })");
  EXPECT_EQ(std::ranges::count(
                run.notes, "its device file has no int8 rate: integers are timed at that of fp32"),
            1);
  for (const std::string& note : run.notes) {
    EXPECT_EQ(note.find("priced by the peak"), std::string::npos) << note;
    EXPECT_EQ(note.find("than in fp32"), std::string::npos) << note;
    EXPECT_EQ(note.find("nvidia, nvidia"), std::string::npos) << note;
  }
}

double ms_in(const AnalyticSpec& spec, std::string_view precision, const ClassNetwork& network) {
  return predict_costs(learned_costs(spec, precision).costs, network.work, network.effect).ms;
}

// Where one class prices all precisions, by the peak of each.
TEST(LearnedCosts, NarrowerArithmeticAndHigherPeaksAreNotSlower) {
  const std::vector<ClassNetwork>& networks = (*find_class("nvidia"))->networks;
  for (const std::string_view name : {"t4", "a100", "h100", "jetson-orin-nano"}) {
    SCOPED_TRACE(name);
    const AnalyticSpec& spec = *(*find_device(name))->analytic();
    AnalyticSpec faster = spec;
    for (auto& [precision, ops] : faster.peak_ops) ops *= 4;
    for (const ClassNetwork& network : networks) {
      EXPECT_LE(ms_in(spec, "int8", network), ms_in(spec, "fp16", network)) << network.name;
      EXPECT_LE(ms_in(spec, "fp16", network), ms_in(spec, "fp32", network)) << network.name;
      EXPECT_LE(ms_in(faster, "int8", network), ms_in(spec, "int8", network)) << network.name;
    }
  }
}

TEST(LearnedProgram, SaysWhereWiderArithmeticIsFaster) {
  constexpr std::string_view kIntegers =
      R"(graph(%x: i8[1,2,64,64]<0.1:0>) -> (%y) { %y = relu(%x) })";
  Device device = board("arm-cpu-int8");
  AnalyticSpec& spec = *device.analytic();
  spec.membership->classes.emplace("fp32", "arm-cpu");
  const auto notes_with = [&] {
    return std::ranges::count_if(run_on(device, kIntegers).notes, [](const std::string& note) {
      return note.starts_with("slower in int8 than in fp32, which would take ");
    });
  };
  const ModelledRun run = run_on(device, kIntegers);
  EXPECT_EQ(notes_with(), 0);
  // On this one it takes ten times as long.
  const FamilyWork work = work_of(*device_program(*parse_graph(kIntegers)));
  spec.membership->points = {
      {"some.onnx", "int8", 10 * *run.latency.value, {work.begin(), work.end()}}};
  EXPECT_EQ(notes_with(), 1);
}

TEST(LearnedProgram, ComesBackFromItsFile) {
  Device device = board();
  device.sources = {{"class", "somewhere"}};
  const FamilyWork work = network_work_of(kLearnedNetwork);
  device.analytic()->membership->points = {{"some.onnx", "fp32", 1.5, {work.begin(), work.end()}}};
  const std::string text = device_text(device);
  const auto read = parse_device(text, "board.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(device_text(*read), text);
  EXPECT_EQ(*run_on(*read, kLearnedNetwork).latency.value,
            *run_on(device, kLearnedNetwork).latency.value);
}

TEST(LearnedProgram, ItsFileNamesAClassThatThereIs) {
  std::string text = device_text(board());
  text.replace(text.find("\"arm-cpu\""), 9, "\"arm-npu\"");
  const auto read = parse_device(text, "board.toml");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("class.fp32: expected one of arm-cpu"), std::string::npos)
      << read.error().message;
}

}  // namespace
}  // namespace hone
