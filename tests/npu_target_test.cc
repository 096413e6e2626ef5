// Networks compiled for NPUs of several geometries, run command by command: the same bits as the
// references, and times that keep to what physics allows.

#include <gtest/gtest.h>

#include <random>

#include "hone/quantize/quantize.h"
#include "hone/sim/hazards.h"
#include "hone/targets/devices.h"
#include "hone/targets/npu/npu_program.h"
#include "hone/targets/npu/npu_target.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

Device device(std::string_view name) {
  const auto found = find_device(name);
  EXPECT_TRUE(found.ok()) << found.error().message;
  return **found;
}

NpuSpec& spec_of(Device& device) {
  return *device.npu();
}

// So little SRAM that tensors spill, layers are cut and weights come in blocks.
Device cramped(std::string_view name, int64_t sram_bytes) {
  Device small = device(name);
  small.name = str(name, "_cramped");
  spec_of(small).sram.bytes = sram_bytes;
  return small;
}

Device on_vector() {
  Device other = cramped("npu", 96 << 10);
  other.name = "depthwise_on_vector";
  spec_of(other).matrix.depthwise = DepthwiseOn::Vector;
  spec_of(other).matrix.dataflow = Dataflow::OutputStationary;
  spec_of(other).dma.channels = 1;
  return other;
}

// So slow that all that can run on the NPU does.
Device with_slow_host(Device device) {
  HostCore& host = spec_of(device).host;
  host.device.clear();
  host.macs_per_second = host.flops_per_second = host.bytes_per_second = 1e3;
  return device;
}

std::vector<Device> geometries() {
  return {device("npu"),
          device("ethos-u55-32"),
          device("ethos-u65-256"),
          device("edge-tpu-usb"),
          cramped("npu", 64 << 10),
          cramped("ethos-u55-128", 48 << 10),
          on_vector(),
          cramped("edge-tpu-usb", 512 << 10)};
}

// A small input keeps the test short.
Graph quantized(const std::string& spec) {
  auto model = open_model(spec);
  EXPECT_TRUE(model.ok()) << model.error().message;
  std::vector<std::vector<Item>> samples;
  for (uint64_t seed = 1; seed <= 2; ++seed)
    samples.push_back(*make_inputs(model->graph, {}, seed));
  const Status status = quantize_static(model->graph, samples);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return std::move(model->graph);
}

std::vector<Item> reference(const Graph& graph, const CompileOptions& options,
                            const std::vector<Item>& inputs) {
  // The cpu target is held to the reference bit for bit elsewhere, and takes seconds less.
  auto program = (*find_target("cpu"))->open()->compile(std::move(*graph.clone()), options);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *(*program)->run(inputs);
}

std::shared_ptr<const npu::NpuPlan> plan_for(const Device& device, const Graph& graph,
                                             const CompileOptions& options = {}) {
  auto plan = npu::make_npu_plan(std::move(*graph.clone()), device, options);
  EXPECT_TRUE(plan.ok()) << device.name << ": " << plan.error().message;
  return plan.ok() ? *plan : nullptr;
}

void expect_same_bits(const Graph& graph, const Device& device, const std::vector<Item>& inputs,
                      const std::vector<Item>& expected, const CompileOptions& options = {}) {
  SCOPED_TRACE(device.name);
  const auto plan = plan_for(device, graph, options);
  ASSERT_NE(plan, nullptr);
  const bool vector = plan->npu().matrix.depthwise == DepthwiseOn::Vector;
  EXPECT_EQ(sim::find_hazards(plan->schedule.stream, vector), std::vector<std::string>());
  const auto session = npu::open_session(plan);
  for (int run = 0; run < 2; ++run) {  // What a run leaves behind must not change the next.
    std::vector<Item> outputs;
    const Status status = session->run(inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.error().message;
    ASSERT_EQ(outputs.size(), expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Difference difference = compare(outputs[i].tensor, expected[i].tensor);
      EXPECT_TRUE(difference.comparable) << difference.what;
      EXPECT_EQ(difference.max_abs, 0) << "output " << i << " of run " << run;
    }
  }
}

// --- whole networks

class Networks : public testing::TestWithParam<const char*> {};

TEST_P(Networks, GiveTheSameBitsOnEveryGeometry) {
  const Graph graph = quantized(GetParam());
  const auto inputs = make_inputs(graph, {}, 7);
  ASSERT_TRUE(inputs.ok());
  const auto expected = reference(graph, {}, *inputs);
  for (const Device& device : geometries()) expect_same_bits(graph, device, *inputs, expected);
}
INSTANTIATE_TEST_SUITE_P(Zoo, Networks,
                         testing::Values("zoo:ds_cnn_kws", "zoo:resnet8", "zoo:mobilenet_v1_025_96",
                                         "zoo:autoencoder", "zoo:squeezenet",
                                         "zoo:mobilenet_v3_small"),
                         [](const auto& test) { return std::string(test.param).substr(4); });

class SharedModels : public testing::TestWithParam<const char*> {};

TEST_P(SharedModels, GiveTheSameBitsOnEveryGeometry) {
  const auto path = shared_dir() / "models" / GetParam();
  HONE_SKIP_WITHOUT(path);
  const auto model = open_model(path.string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto inputs = make_inputs(model->graph, {}, 7);
  // Each geometry with another rounding, all with the first.
  constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single, Rounding::DoubleUpward};
  for (size_t r = 0; r < std::size(kRoundings); ++r) {
    CompileOptions options;
    options.eval.rounding = kRoundings[r];
    const auto expected = reference(model->graph, options, *inputs);
    const std::vector<Device> devices = geometries();
    for (size_t d = 0; d < devices.size(); ++d) {
      if (r > 0 && d % 3 != r) continue;
      expect_same_bits(model->graph, devices[d], *inputs, expected, options);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    Models, SharedModels,
    testing::Values("mlperf_tiny/kws_int8.tflite", "mlperf_tiny/ad_int8.tflite",
                    "mlperf_tiny/ic_int8.tflite", "mlperf_tiny/vww_int8.tflite",
                    "coral/mobilenet_v1_025_128_uint8.tflite", "coral/mobilenet_v2_uint8.tflite",
                    "coral/mobilenet_v2_ptq_int8.tflite"),
    [](const auto& test) {
      std::string name = std::string(test.param).substr(std::string(test.param).find('/') + 1);
      return name.substr(0, name.find('.'));
    });

// --- single operators on random shapes

class Rng {
 public:
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  bool coin() { return between(0, 1) == 1; }
  std::string values(int64_t count, int64_t low, int64_t high) {
    std::string text;
    for (int64_t i = 0; i < count; ++i) text += str(between(low, high), " ");
    return text;
  }

 private:
  std::mt19937 engine_{3};
};

// Two layers of it, so that something lies between.
std::string conv_graph(Rng& rng) {
  const bool depthwise = rng.coin();
  const int64_t height = rng.between(1, 23), width = rng.between(1, 17);
  const int64_t in = rng.between(1, 40), out = depthwise ? in : rng.between(1, 70);
  const int64_t kernel_h = rng.between(1, std::min<int64_t>(5, height));
  const int64_t kernel_w = rng.between(1, std::min<int64_t>(5, width));
  const int64_t pad = rng.between(0, 1), stride = rng.between(1, 3);
  const int64_t depth = depthwise ? 1 : in;
  const std::string type = rng.coin() ? "i8" : "u8";
  const int64_t zero = type == "i8" ? rng.between(-20, 20) : rng.between(100, 140);
  const int64_t low = type == "i8" ? -128 : 0;
  const std::string y =
      str(type, "[1,", (height + 2 * pad - kernel_h) / stride + 1, ",",
          (width + 2 * pad - kernel_w) / stride + 1, ",", out, "]<0.1:", zero, ">");
  return str("graph(%x: ", type, "[1,", height, ",", width, ",", in, "]<0.05:", zero,
             ">) -> (%y) {\n  %a: ", y, " = conv(%x, ", type, "[", out, ",", kernel_h, ",",
             kernel_w, ",", depth, "]<0.01:", type == "i8" ? 0 : 120, ">{",
             rng.values(out * kernel_h * kernel_w * depth, low, low + 255), "}, i32[", out, "]{",
             rng.values(out, -5000, 5000), "}) layout=\"nhwc\" group=", depthwise ? in : 1,
             " pads=[", pad, ",", pad, ",", pad, ",", pad, "] strides=[", stride, ",", stride,
             "]\n  %y: ", y, " = add(%a, %a)\n}");
}

void expect_same_on_all(const std::string& text, uint64_t seed) {
  SCOPED_TRACE(text.substr(0, 400));
  const auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto inputs = make_inputs(*graph, {}, seed);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const auto expected = reference(*graph, {}, *inputs);
  size_t on_npu = 0, nodes = 0;
  for (const Device& device :
       {device("npu"), cramped("npu", 24 << 10), device("ethos-u55-128"), device("edge-tpu-usb"),
        cramped("edge-tpu-usb", 32 << 10), on_vector()}) {
    const Device busy = with_slow_host(device);
    expect_same_bits(*graph, busy, *inputs, expected);
    on_npu += plan_for(busy, *graph)->placed.npu_nodes.size();
    nodes += graph->node_count();
  }
  // Some do not fit into the smallest SRAMs; most must be where they are to be tested.
  EXPECT_GT(on_npu, nodes * 2 / 3);
}

TEST(NpuOperators, ConvolutionsGiveTheSameBits) {
  Rng rng;
  for (uint64_t i = 0; i < 40; ++i) expect_same_on_all(conv_graph(rng), i);
}

// A node between two sums, so that it is worth while to have it on the NPU.
std::string between(const std::string& x, const std::string& y, const std::string& node) {
  return str("graph(%x: ", x, ") -> (%y) {\n  %a: ", x, " = add(%x, %x)\n  %b: ", y, " = ", node,
             "\n  %y: ", y, " = add(%b, %b)\n}");
}

std::string image(Rng& rng, const std::string& type, int64_t height, int64_t width,
                  int64_t channels) {
  const int64_t zero = type == "i8" ? rng.between(-20, 20) : rng.between(100, 140);
  return str(type, "[1,", height, ",", width, ",", channels, "]<0.05:", zero, ">");
}

TEST(NpuOperators, PoolsMeansAndResizesGiveTheSameBits) {
  Rng rng;
  for (uint64_t i = 0; i < 24; ++i) {
    const std::string type = rng.coin() ? "i8" : "u8";
    const int64_t height = rng.between(3, 30), width = rng.between(3, 20);
    const int64_t channels = rng.between(1, 90), kernel = rng.between(2, 3);
    const std::string x = image(rng, type, height, width, channels);
    const std::string quant = x.substr(x.find('<'));
    const auto out = [&](int64_t h, int64_t w) {
      return str(type, "[1,", h, ",", w, ",", channels, "]", quant);
    };
    for (const char* op : {"max_pool", "average_pool"}) {
      const std::string y = out((height - kernel) / 2 + 1, (width - kernel) / 2 + 1);
      expect_same_on_all(between(x, y,
                                 str(op, "(%a) kernel_shape=[", kernel, ",", kernel,
                                     "] strides=[2,2] layout=\"nhwc\"")),
                         i);
    }
    expect_same_on_all(between(x, out(1, 1), "reduce_mean(%a, i64[2]{1 2}) keepdims=1"), i);
    expect_same_on_all(between(x, out(2 * height, 2 * width),
                               str("resize(%a, _, _, i64[4]{1 ", 2 * height, " ", 2 * width, " ",
                                   channels, "}) mode=\"nearest\"")),
                       i);
  }
}

TEST(NpuOperators, SumsProductsAndFunctionsGiveTheSameBits) {
  Rng rng;
  for (uint64_t i = 0; i < 16; ++i) {
    const std::string type = rng.coin() ? "i8" : "u8";
    const int64_t height = rng.between(1, 30), width = rng.between(1, 20);
    const int64_t channels = rng.between(1, 90);
    const std::string x = image(rng, type, height, width, channels);
    const std::string constant =
        str(type, "[1,1,1,", channels, "]<0.02:3>{", rng.values(channels, 0, 127), "}");
    for (const std::string& node :
         {std::string("sub(%a, %x)"), std::string("mul(%a, %x)"), str("mul(%a, ", constant, ")"),
          str("add(%a, ", constant, ")"), std::string("hard_swish(%a)")}) {
      expect_same_on_all(between(x, x, node), i);
    }
    const std::string soft = str(type, "[1,", height, ",", width, ",", channels,
                                 "]<0.00390625:", type == "i8" ? -128 : 0, ">");
    expect_same_on_all(str("graph(%x: ", x, ") -> (%y) {\n  %a: ", x,
                           " = add(%x, %x)\n  %y: ", soft, " = softmax(%a) axis=-1\n}"),
                       i);
    const std::string two =
        str(type, "[1,", height, ",", width, ",", 2 * channels, "]", x.substr(x.find('<')));
    expect_same_on_all(between(x, two, "concat(%a, %x) axis=-1"), i);
  }
}

// --- time

double cycles_on(const Device& device, const Graph& graph) {
  return plan_for(device, graph)->simulation.cycles;
}

// Bytes and MACs are those of the graph, however it was cut.
TEST(NpuTime, MovesAndMultipliesWhatThePlanSays) {
  const Graph graph = quantized("zoo:mobilenet_v1_025_96");
  for (const Device& device : geometries()) {
    SCOPED_TRACE(device.name);
    const auto plan = plan_for(device, graph);
    int64_t wanted = 0;
    double macs = 0, read = 0, transferred = 0, streamed = 0, least_weights = 0;
    for (const sim::StepTime& step : plan->simulation.steps) {
      macs += step.macs;
      for (const sim::MemoryTraffic& memory : step.memories) read += memory.read_bytes;
    }
    for (size_t s = 0; s < plan->program.steps.size(); ++s) {
      if (!plan->program.steps[s].on_npu) continue;
      wanted += plan->costs[s].macs;
      if (!plan->schedule.kept[s])
        least_weights += static_cast<double>(plan->costs[s].weight_bytes);
    }
    for (const sim::Command& command : plan->schedule.stream.commands) {
      if (const auto* move = std::get_if<sim::Transfer>(&command.work)) {
        if (!move->from.in_sram()) transferred += static_cast<double>(move->bytes());
      } else if (const auto* product = std::get_if<sim::Product>(&command.work)) {
        streamed += sim::streamed_bytes(plan->npu(), *product);
      }
    }
    EXPECT_EQ(macs, static_cast<double>(wanted));
    EXPECT_DOUBLE_EQ(read, transferred + streamed);
    EXPECT_GE(read, least_weights);
  }
}

TEST(NpuTime, IsNeverLessThanPeakAndBandwidthAllow) {
  for (const char* name : {"zoo:ds_cnn_kws", "zoo:resnet8", "zoo:squeezenet"}) {
    const Graph graph = quantized(name);
    for (const Device& device : geometries()) {
      SCOPED_TRACE(str(name, " on ", device.name));
      const auto plan = plan_for(device, graph);
      const NpuSpec& npu = plan->npu();
      double macs = 0;
      std::vector<double> moved(npu.memories.size());
      for (const sim::StepTime& step : plan->simulation.steps) {
        macs += step.macs;
        for (size_t m = 0; m < moved.size(); ++m) {
          moved[m] += step.memories[m].read_bytes + step.memories[m].written_bytes;
        }
      }
      EXPECT_GE(plan->simulation.cycles, macs / static_cast<double>(npu.matrix.macs_per_cycle()));
      for (size_t m = 0; m < moved.size(); ++m) {
        const double rate =
            std::max(npu.memories[m].read_bytes_per_second, npu.memories[m].write_bytes_per_second);
        EXPECT_GE(plan->simulation.cycles, npu.clock_hz * moved[m] / rate);
      }
    }
  }
}

TEST(NpuTime, IsTheSameEveryTime) {
  const Graph graph = quantized("zoo:ds_cnn_kws");
  for (const Device& device : geometries()) {
    EXPECT_EQ(cycles_on(device, graph), cycles_on(device, graph));
  }
}

double estimated_ms(const Device& device, const Graph& graph) {
  const auto plan = npu::make_npu_plan(std::move(*graph.clone()), device, {.estimate_only = true});
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return *npu::estimated_run(**plan).latency.value;
}

// ResNet-18's weights do not fit beside the activations on the Edge TPU, and come over the link in
// every run; layers of MobileNet v2 do not fit into the SRAM of the Ethos-U65.
TEST(NpuTime, EstimatesAreWithinAQuarterOfSimulations) {
  for (const char* name : {"zoo:resnet18", "zoo:mobilenet_v2", "zoo:resnet8", "zoo:ds_cnn_kws"}) {
    const Graph graph = quantized(name);
    for (const char* npu : {"edge-tpu-usb", "edge-tpu-pcie", "ethos-u65-256", "ethos-u55-128"}) {
      SCOPED_TRACE(str(name, " on ", npu));
      const double simulated = *npu::modelled_run(*plan_for(device(npu), graph)).latency.value;
      const double estimated = estimated_ms(device(npu), graph);
      EXPECT_NEAR(estimated / simulated, 1, 0.25);
    }
  }
}

TEST(NpuTime, NeverGrowsWithBandwidth) {
  for (const char* name : {"zoo:ds_cnn_kws", "zoo:mobilenet_v1_025_96", "zoo:resnet8"}) {
    const Graph graph = quantized(name);
    for (Device device : geometries()) {
      SCOPED_TRACE(str(name, " on ", device.name));
      double before = cycles_on(device, graph);
      for (int doubling = 0; doubling < 3; ++doubling) {
        for (NpuMemory& memory : spec_of(device).memories) {
          memory.read_bytes_per_second *= 2;
          memory.write_bytes_per_second *= 2;
        }
        const double now = cycles_on(device, graph);
        EXPECT_LE(now, before);
        before = now;
      }
    }
  }
}

bool spills_any(const npu::NpuPlan& plan) {
  const std::vector<npu::Storage>& all = plan.program.storages.all;
  for (size_t i = 0; i < all.size(); ++i) {
    if (npu::spills(all[i], i, plan.schedule.sram)) return true;
  }
  return false;
}

// Two memories of an Ethos-U55 would share the load of the widest layers; it has one.
TEST(NpuMemory, NothingPassesBetweenTwoThatAreOne) {
  const Graph graph = quantized("zoo:mobilenet_v2");
  const Device ethos = device("ethos-u55-128");
  const auto plan = plan_for(ethos, graph);
  EXPECT_FALSE(spills_any(*plan));
  EXPECT_EQ(npu::modelled_run(*plan).misfit, "");
  Device two = ethos;
  spec_of(two).sram.is_first_memory = false;
  EXPECT_TRUE(spills_any(*plan_for(two, graph))) << "the network shows nothing";

  Device small = ethos;
  spec_of(small).sram.bytes = spec_of(small).memories[0].bytes = 512 << 10;
  EXPECT_TRUE(npu::modelled_run(*plan_for(small, graph))
                  .misfit.starts_with("does not fit: activations take "));
  const auto estimate =
      npu::make_npu_plan(std::move(*graph.clone()), small, {.estimate_only = true});
  EXPECT_TRUE(npu::estimated_run(**estimate).misfit.starts_with("does not fit: activations take "));
}

TEST(NpuTime, NeverGrowsWithSram) {
  for (const char* name : {"zoo:ds_cnn_kws", "zoo:mobilenet_v1_025_96", "zoo:resnet8"}) {
    const Graph graph = quantized(name);
    for (const char* base : {"npu", "ethos-u55-128", "ethos-u65-256"}) {
      double before = 0;
      for (int64_t sram = 64 << 10; sram <= 8 << 20; sram *= 2) {
        SCOPED_TRACE(str(name, " on ", base, " with ", sram));
        const double now = cycles_on(cramped(base, sram), graph);
        EXPECT_TRUE(before == 0 || now <= before) << now << " after " << before;
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace hone
