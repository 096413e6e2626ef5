#include "hone/sim/timing.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"
#include "hone/sim/array_time.h"
#include "hone/sim/vector_op.h"
#include "hone/sim/whole.h"

namespace hone::sim {
namespace {

// Bytes that lie under a view: what strides of 0 repeat is read once.
int64_t distinct_bytes(const View& view) {
  const int64_t rows = view.row_stride == 0 ? 1 : view.height;
  const int64_t columns = view.pixel_stride == 0 ? 1 : view.width;
  return rows * columns * view.channels;
}

double read_bytes_per_cycle(const NpuSpec& npu, Address at) {
  return npu.memories[at.space - 1u].read_bytes_per_second / npu.clock_hz;
}
double write_bytes_per_cycle(const NpuSpec& npu, Address at) {
  return npu.memories[at.space - 1u].write_bytes_per_second / npu.clock_hz;
}

// Between the SRAM and the matrix engine: the input once for each block of channels (a depthwise
// block reads its own channels only), weights once for each block of pixels, the output once.
double product_sram_bytes(const NpuSpec& npu, const Product& product) {
  const int64_t input = distinct_bytes(product.input);
  const int64_t output = product.output.elements();
  const int64_t weights = product.weights.in_sram() ? product.weight_bytes() : 0;
  if (runs_on_vector(npu, product)) return real(input + output + weights);
  const Mapping map = map_product(npu.matrix, product);
  const int64_t pixels = product.output.height * product.output.width;
  const int64_t reads =
      product.depthwise ? 1 : ceil_div(product.output.channels, map.block_channels);
  const int64_t blocks = ceil_div(pixels, block_pixels(npu.matrix, map, pixels));
  return real(input * reads + output + weights * blocks);
}

double vector_sram_bytes(const VectorCommand& command) {
  const VectorOpDef& op = *command.op;
  if (op.moved_bytes != nullptr) return real(op.moved_bytes(command));
  const int64_t second = op.reads_b ? distinct_bytes(command.b) : 0;
  return real(distinct_bytes(command.a) + second + command.output.elements());
}

VectorWork work_of(const VectorCommand& command) {
  if (command.op->work != nullptr) return command.op->work(command);
  return {command.output.elements(), 1};
}

double cost_of(const VectorEngine& vector, const VectorOpDef& op) {
  const auto found = vector.cost.find(op.name);
  return found == vector.cost.end() ? op.cost : found->second;
}

// `computing` cycles that move `bytes` from and to the SRAM meanwhile.
EngineTime vector_engine_time(const NpuSpec& npu, double computing, double bytes) {
  const double moving = bytes / npu.sram.engine_bytes_per_cycle();
  const double busy = whole_cycles(npu.vector.start_cycles + computing);
  return {.cycles = std::max(busy, whole_cycles(npu.vector.start_cycles + moving)),
          .busy = busy,
          .cause = Stall::InputLate};
}

}  // namespace

double whole_cycles(double cycles) {
  return std::ceil(cycles - 1e-6);
}

bool runs_on_vector(const NpuSpec& npu, const Product& product) {
  return product.depthwise && npu.matrix.depthwise == DepthwiseOn::Vector;
}

int64_t vector_operations(const VectorCommand& command) {
  const VectorWork work = work_of(command);
  return work.elements * work.each;
}

double streamed_bytes(const NpuSpec& npu, const Product& product) {
  if (product.weights.in_sram()) return 0;
  return whole_cycles(real(product.weight_bytes()) * npu.matrix.weight_compression);
}

double sram_bytes(const NpuSpec& npu, const Command& command) {
  if (const auto* product = std::get_if<Product>(&command.work)) {
    return product_sram_bytes(npu, *product);
  }
  if (const auto* vector = std::get_if<VectorCommand>(&command.work)) {
    return vector_sram_bytes(*vector);
  }
  if (const auto* transfer = std::get_if<Transfer>(&command.work)) {
    const int sides = (transfer->from.in_sram() ? 1 : 0) + (transfer->to.in_sram() ? 1 : 0);
    return real(sides * transfer->bytes());
  }
  return 0;
}

double stream_cycles(const NpuSpec& npu, const Product& product) {
  if (product.weights.in_sram()) return 0;
  return whole_cycles(streamed_bytes(npu, product) / read_bytes_per_cycle(npu, product.weights));
}

// The slowest of the array itself, the SRAM's ports and the memory that weights stream from. They
// overlap: each is a bound by itself, and none can be hidden.
EngineTime product_time(const NpuSpec& npu, const Product& product) {
  const double stream = stream_cycles(npu, product);
  EngineTime time;
  double array = 0;
  double sram = whole_cycles(product_sram_bytes(npu, product) / npu.sram.engine_bytes_per_cycle());
  if (runs_on_vector(npu, product)) {
    const int64_t lanes = npu.vector.lanes;
    const double computing =
        real(product.window.taps() * ceil_div(product.output.elements(), lanes)) *
        npu.vector.cost_of(kDepthwiseCost);
    time.busy = whole_cycles(npu.vector.start_cycles + computing);
    sram += npu.vector.start_cycles;
    array = time.busy;
  } else {
    const ArrayTime own = array_time(npu.matrix, product);
    time.busy = whole_cycles(own.compute);
    array = whole_cycles(own.total());
    time.cause = own.weights >= own.output ? Stall::WeightsLate : Stall::OutputBlocked;
  }
  time.cycles = std::max({array, sram, stream});
  if (stream > std::max(array, sram)) {
    time.cause = Stall::WeightsLate;
  } else if (sram > array) {
    time.cause = Stall::InputLate;
  }
  return time;
}

EngineTime vector_time(const NpuSpec& npu, const VectorCommand& command) {
  const double bytes = vector_sram_bytes(command);
  if (command.cycles_per_element > 0) {
    const double computing = command.cycles_per_element * real(vector_operations(command));
    return vector_engine_time(npu, computing, bytes);
  }
  const VectorWork work = work_of(command);
  const double groups = real(work.each * ceil_div(work.elements, npu.vector.lanes));
  EngineTime time = vector_engine_time(npu, groups * cost_of(npu.vector, *command.op), bytes);
  if (command.op->only_moves) time.busy = time.cycles;
  return time;
}

double transferred_bytes(const NpuSpec& npu, const Transfer& transfer) {
  const bool weights = transfer.role == Role::Weights && npu.matrix.weight_compression < 1;
  return real(transfer.bytes()) * (weights ? npu.matrix.weight_compression : 1);
}

// Within one memory nothing moves: engines read inputs, and write outputs, where they lie.
bool stays_in_place(const NpuSpec& npu, const Transfer& transfer) {
  const Address outer = transfer.from.in_sram() ? transfer.to : transfer.from;
  return npu.sram.is_first_memory && outer.space == 1 &&
         (transfer.from.in_sram() || transfer.to.in_sram());
}

TransferTime transfer_time(const NpuSpec& npu, const Transfer& transfer) {
  TransferTime time;
  if (stays_in_place(npu, transfer)) return time;
  double latency_ns = 0;
  const auto add_side = [&](Address at, int64_t stride, double bytes_per_cycle) {
    const NpuMemory& memory = npu.memories[at.space - 1u];
    const bool one_run = transfer.rows == 1 || stride == transfer.row_bytes;
    const int64_t burst = std::max(1, memory.burst_bytes);
    const int64_t bytes = one_run ? round_up(transfer.bytes(), burst)
                                  : transfer.rows * round_up(transfer.row_bytes, burst);
    const double rate = std::min(bytes_per_cycle, npu.dma.bytes_per_cycle);
    const double part =
        transferred_bytes(npu, transfer) / real(std::max<int64_t>(1, transfer.bytes()));
    time.bus_cycles = std::max(time.bus_cycles, whole_cycles(part * real(bytes) / rate));
    latency_ns = std::max(latency_ns, memory.latency_ns);
  };
  const Address from = transfer.from;
  const Address to = transfer.to;
  HONE_CHECK(!from.in_sram() || !to.in_sram(), "a transfer from SRAM to SRAM");
  if (!from.in_sram()) add_side(from, transfer.from_stride, read_bytes_per_cycle(npu, from));
  if (!to.in_sram()) add_side(to, transfer.to_stride, write_bytes_per_cycle(npu, to));
  time.request_cycles = npu.dma.setup_cycles + whole_cycles(npu.cycles(latency_ns / 1000));
  return time;
}

}  // namespace hone::sim
