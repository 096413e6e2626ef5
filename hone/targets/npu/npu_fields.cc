// The part of a device file that is an NPU's.

#include "hone/targets/npu/npu_fields.h"

#include "hone/targets/npu/operation.h"

namespace hone {
namespace {

constexpr Word<Dataflow> kDataflows[] = {{"weight_stationary", Dataflow::WeightStationary},
                                         {"output_stationary", Dataflow::OutputStationary}};
constexpr Word<DepthwiseOn> kDepthwise[] = {{"columns", DepthwiseOn::Columns},
                                            {"diagonal", DepthwiseOn::Diagonal},
                                            {"vector", DepthwiseOn::Vector}};

constexpr std::string_view kNpuTypes[] = {"int8", "uint8"};

}  // namespace

// A memory together with what NpuEnergy has of it.
struct PricedMemory {
  NpuMemory memory = {};
  double pj_per_byte = 0;
};

static void fields(DeviceIo& io, MatrixEngine& matrix) {
  io.choice("dataflow", matrix.dataflow, kDataflows);
  io.extent("rows", matrix.rows);
  io.extent("columns", matrix.columns);
  io.extent("lanes", matrix.lanes, Need::Optional);
  io.count("depth_step", matrix.depth_step, 0, Need::Optional);
  io.count("tap_step", matrix.tap_step, 0, Need::Optional);
  io.count("accumulators", matrix.accumulators, 1);
  io.count("block_channels", matrix.block_channels, 0, Need::Optional);
  io.positive("weight_bytes_per_cycle", matrix.weight_bytes_per_cycle, 1);
  io.positive("outputs_per_cycle", matrix.outputs_per_cycle, 1);
  io.count("fill_cycles", matrix.fill_cycles, 0, Need::Optional);
  io.choice("depthwise", matrix.depthwise, kDepthwise);
  io.flag("streams_weights", matrix.streams_weights);
  io.part("weight_compression", matrix.weight_compression, Need::Optional);
}

static void fields(DeviceIo& io, VectorEngine& vector) {
  io.extent("lanes", vector.lanes);
  io.count("start_cycles", vector.start_cycles, 0, Need::Optional);
  io.table("cost", vector.cost, npu::cost_names(), 1, Need::Optional);
}

static void fields(DeviceIo& io, Sram& sram) {
  io.size(sram.bytes);
  io.extent("banks", sram.banks, Need::Optional);
  io.positive("bank_bytes_per_cycle", sram.bank_bytes_per_cycle, 1);
  io.flag("keeps_weights", sram.keeps_weights);
  io.flag("is_first_memory", sram.is_first_memory, Need::Optional);
}

static void fields(DeviceIo& io, PricedMemory& priced) {
  NpuMemory& memory = priced.memory;
  io.text("name", memory.name);
  io.size(memory.bytes);
  io.positive("read_gb_per_second", memory.read_bytes_per_second, 1e9);
  io.positive("write_gb_per_second", memory.write_bytes_per_second, 1e9);
  io.number("latency_ns", memory.latency_ns, 0);
  io.count("burst_bytes", memory.burst_bytes, 1, Need::Optional);
  io.number("pj_per_byte", priced.pj_per_byte, 0, Need::Optional);
}

static void fields(DeviceIo& io, DmaEngine& dma) {
  io.extent("channels", dma.channels);
  io.positive("bytes_per_cycle", dma.bytes_per_cycle, 1);
  io.count("setup_cycles", dma.setup_cycles, 0, Need::Optional);
}

static void fields(DeviceIo& io, CommandQueue& queue) {
  io.count("issue_cycles", queue.issue_cycles, 0, Need::Optional);
  io.number("start_us", queue.start_us, 0);
}

static void fields(DeviceIo& io, HostCore& host) {
  io.text("name", host.name);
  io.maybe_text("device", host.device);
  io.positive("gmacs_per_second", host.macs_per_second, 1e9);
  io.positive("gflops_per_second", host.flops_per_second, 1e9);
  io.positive("gb_per_second", host.bytes_per_second, 1e9);
  io.number("dispatch_us", host.dispatch_us, 0);
  io.number("watts", host.watts, 0, Need::Optional);
}

static void fields(DeviceIo& io, NpuEnergy& energy) {
  io.number("pj_per_mac", energy.pj_per_mac, 0);
  io.number("pj_per_vector_op", energy.pj_per_vector_op, 0);
  io.number("pj_per_sram_byte", energy.pj_per_sram_byte, 0);
  io.number("idle_watts", energy.idle_watts, 0);
  io.number("factor", energy.factor, 1);
  io.text("source", energy.source);
}

static void fields(DeviceIo& io, NpuLimits& limits) {
  io.words("ops", limits.ops, npu::limit_names(), "operator", Need::Optional);
  io.words("types", limits.types, kNpuTypes, "type");
  io.count("max_kernel", limits.max_kernel, 1, Need::Optional);
  io.count("max_stride", limits.max_stride, 1, Need::Optional);
  io.count("max_dilation", limits.max_dilation, 1, Need::Optional);
  io.count("max_pool_window", limits.max_pool_window, 1, Need::Optional);
  io.count("channel_alignment", limits.channel_alignment, 1, Need::Optional);
  io.flag("per_channel", limits.per_channel, Need::Optional);
  io.flag("tables", limits.tables, Need::Optional);
}

static void fields(DeviceIo& io, NpuOperator& op) {
  io.text("name", op.name);
  io.text("expression", op.expression);
  std::optional<double> cycles;
  if (op.cycles_per_element > 0) cycles = op.cycles_per_element;
  io.maybe_positive("cycles_per_element", cycles);
  op.cycles_per_element = cycles.value_or(0);
}

void fields(DeviceIo& io, NpuSpec& npu) {
  io.positive("clock_mhz", npu.clock_hz, 1e6);
  io.section("matrix", npu.matrix);
  io.section("vector", npu.vector);
  io.section("sram", npu.sram);
  std::vector<PricedMemory> memories;
  for (size_t m = 0; m < npu.memories.size(); ++m) {
    const std::vector<double>& prices = npu.energy.pj_per_memory_byte;
    memories.push_back({npu.memories[m], m < prices.size() ? prices[m] : 0});
  }
  io.list("memory", memories, Need::Required);
  npu.memories.clear();
  npu.energy.pj_per_memory_byte.clear();
  std::vector<std::string> names;
  for (const PricedMemory& priced : memories) {
    npu.memories.push_back(priced.memory);
    npu.energy.pj_per_memory_byte.push_back(priced.pj_per_byte);
    names.push_back(priced.memory.name);
  }
  io.index("weight_memory", npu.weight_memory, names, Need::Optional);
  io.section("dma", npu.dma);
  io.section("queue", npu.queue);
  io.section("host", npu.host);
  io.section("energy", npu.energy);
  io.section("limits", npu.limits);
  io.list("operator", npu.operators, Need::Optional);
}

}  // namespace hone
