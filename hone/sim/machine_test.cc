#include "hone/sim/machine.h"

#include <gtest/gtest.h>

#include "hone/sim/machine_testing.h"

namespace hone::sim {
namespace {

class NoHost final : public HostCalls {
 public:
  Status run(size_t) override { return bad_input("no host here"); }
};

std::vector<std::byte> random_bytes(size_t count, Random& random) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.pick(0, 255));
  return bytes;
}

// Takes places for views and constants in SRAM, one after the other with gaps between them.
class Layout {
 public:
  explicit Layout(Random& random) : random_(random) {}

  Address take(int64_t bytes) {
    const uint64_t at = end_ + static_cast<uint64_t>(random_.pick(0, 9));
    end_ = at + static_cast<uint64_t>(bytes);
    return {kSramSpace, at};
  }
  // Strides with gaps now and then, as slices and tiles have them.
  View view(int64_t height, int64_t width, int64_t channels) {
    View view = image(height, width, channels);
    view.pixel_stride += random_.pick(0, 2) == 0 ? random_.pick(1, 40) : 0;
    view.row_stride =
        width * view.pixel_stride + (random_.pick(0, 2) == 0 ? random_.pick(1, 50) : 0);
    view.at = take(height * view.row_stride);
    return view;
  }
  size_t bytes() const { return end_; }

 private:
  Random& random_;
  uint64_t end_ = 0;
};

FixedPoint random_factor(Random& random, int64_t lowest_shift, int64_t highest_shift) {
  return {static_cast<int32_t>(random.pick(1 << 30, (int64_t{1} << 31) - 1)),
          static_cast<int>(random.pick(lowest_shift, highest_shift))};
}

OutputStage random_stage(bool is_signed, Random& random) {
  const int32_t least = is_signed ? -128 : 0;
  OutputStage stage;
  stage.rounding = static_cast<Rounding>(random.pick(0, 2));
  stage.zero_point = static_cast<int32_t>(random.pick(least, least + 255));
  stage.low = least + static_cast<int32_t>(random.pick(0, 40));
  stage.high = least + 255 - static_cast<int32_t>(random.pick(0, 40));
  return stage;
}

Window2d random_window(Random& random, int64_t largest) {
  return {.kernel_h = random.pick(1, largest),
          .kernel_w = random.pick(1, largest),
          .stride_h = random.pick(1, 3),
          .stride_w = random.pick(1, 3),
          .dilation_h = random.pick(1, 2),
          .dilation_w = random.pick(1, 2)};
}

// Padding in front, or a start inside of the input, as a tile in the middle of an image has it.
void random_start(Window2d& window, const View& input, Random& random) {
  window.pad_top = random.pick(-std::min<int64_t>(2, input.height - 1), 2);
  window.pad_left = random.pick(-std::min<int64_t>(2, input.width - 1), 2);
}

CommandStream single(Command command, std::vector<std::byte> sram) {
  CommandStream stream;
  stream.space_bytes = {sram.size()};
  stream.images.push_back({{}, std::move(sram)});
  stream.commands.push_back(std::move(command));
  stream.steps = 1;
  return stream;
}

std::vector<std::byte> bytes_of(const Machine& machine, uint8_t space, size_t count) {
  const std::byte* at = machine.at({space, 0});
  return {at, at + count};
}

// The whole SRAM after one command, so that bytes written astray are found too. Twice: the second
// run meets packed weights.
void expect_as_plain(const CommandStream& stream, const PlainMemory& expected, const char* what,
                     int round) {
  NoHost host;
  Machine machine(stream);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(machine.run(host).ok());
    EXPECT_TRUE(bytes_of(machine, kSramSpace, expected.bytes().size()) == expected.bytes())
        << what << " " << round << " run " << run;
  }
}

Product random_product(bool depthwise, Layout& layout, Random& random) {
  Product product;
  product.depthwise = depthwise;
  product.is_signed = random.coin();
  product.signed_weights = random.coin();
  const int64_t channels = random.pick(1, 70);
  const int64_t deep = random.coin() ? random.pick(1, 8) : random.pick(9, 70);
  const int64_t depth = depthwise ? channels : deep;
  product.input = layout.view(random.pick(1, 9), random.pick(1, 9), depth);
  product.output = layout.view(random.pick(1, 7), random.pick(1, 7), channels);
  product.window = random.pick(0, 2) == 0 ? Window2d{} : random_window(random, 4);
  if (random.coin()) random_start(product.window, product.input, random);
  const int32_t least = product.is_signed ? -128 : 0;
  product.input_zero = static_cast<int32_t>(random.pick(least, least + 255));
  product.weight_zero = product.signed_weights ? 0 : static_cast<int32_t>(random.pick(0, 255));
  product.stage = random_stage(product.is_signed, random);
  product.weights = layout.take(product.weight_bytes());
  return product;
}

// Sane constants in bytes that are otherwise anything.
void set_constants(const Product& product, std::vector<std::byte>& sram, Random& random) {
  const int64_t channels = product.output.channels;
  const int64_t offset = constants_offset(channels, product.window.taps() * product.depth());
  std::vector<int32_t> constants(static_cast<size_t>(3 * channels));
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    const FixedPoint factor = random_factor(random, -12, -3);
    constants[c] = static_cast<int32_t>(random.pick(-50000, 50000));
    constants[static_cast<size_t>(channels) + c] = factor.multiplier;
    constants[2 * static_cast<size_t>(channels) + c] = factor.shift;
  }
  std::memcpy(&sram[product.weights.offset + static_cast<uint64_t>(offset)], constants.data(),
              4 * constants.size());
}

void check_products(bool depthwise, unsigned seed) {
  Random random(seed);
  for (int i = 0; i < 250; ++i) {
    Layout layout(random);
    const Product product = random_product(depthwise, layout, random);
    std::vector<std::byte> sram = random_bytes(layout.bytes() + 16, random);
    set_constants(product, sram, random);
    PlainMemory expected(sram);
    plain_product(product, expected);
    expect_as_plain(single({.work = product}, std::move(sram)), expected, "product", i);
  }
}

TEST(Machine, DenseProducts) {
  check_products(false, 21);
}
TEST(Machine, DepthwiseProducts) {
  check_products(true, 22);
}

// Operands of sums: alike, one pixel for all, one row for all, one channel for all.
View random_operand(const View& output, Layout& layout, Random& random) {
  const int64_t kind = random.pick(0, 5);
  View view = layout.view(output.height, output.width, kind == 1 ? 1 : output.channels);
  if (kind == 2) view.row_stride = view.pixel_stride = 0;
  if (kind == 3) view.row_stride = 0;
  return view;
}

// Windows that meet the input everywhere: what an empty one gives is left open.
void set_pool(VectorCommand& command, Layout& layout, Random& random) {
  command.a = layout.view(random.pick(4, 12), random.pick(4, 12), command.output.channels);
  Window2d& window = command.window;
  window = random_window(random, 4);
  window.pad_top = random.pick(-1, (window.kernel_h - 1) * window.dilation_h);
  window.pad_left = random.pick(-1, (window.kernel_w - 1) * window.dilation_w);
  const auto most = [](int64_t in, int64_t pad, int64_t stride) {
    return (in - 1 + pad) / stride + 1;
  };
  View& y = command.output;
  y.height = std::min(y.height, most(command.a.height, window.pad_top, window.stride_h));
  y.width = std::min(y.width, most(command.a.width, window.pad_left, window.stride_w));
  // With dilation a window may straddle the input without meeting it.
  if (command.a.height <= window.dilation_h || command.a.width <= window.dilation_w) {
    window.dilation_h = window.dilation_w = 1;
  }
}

VectorCommand random_vector(const VectorOpDef* op, Layout& layout, Random& random) {
  VectorCommand command;
  command.op = op;
  command.is_signed = random.coin();
  command.stage = random_stage(command.is_signed, random);
  const int32_t least = command.is_signed ? -128 : 0;
  command.a_zero = static_cast<int32_t>(random.pick(least, least + 255));
  command.b_zero = static_cast<int32_t>(random.pick(least, least + 255));
  const int64_t channels = random.pick(1, 70);
  command.output = layout.view(random.pick(1, 8), random.pick(1, 8), channels);
  const View& output = command.output;
  if (op->reads_b) {
    command.a = random.pick(0, 3) == 0 ? output : random_operand(output, layout, random);
    command.b = random_operand(output, layout, random);
    command.factors = {
        random_factor(random, -2, 0), random_factor(random, -2, 0),
        op == &vector_op_mul ? random_factor(random, -9, -4) : random_factor(random, -20, -18)};
  } else if (op->slides) {
    set_pool(command, layout, random);
  } else if (op == &vector_op_mean) {
    command.a = layout.view(random.pick(1, 12), random.pick(1, 12), channels);
    command.output.height = command.output.width = 1;
    command.factors[2] = random_factor(random, -9, -2);
  } else if (op == &vector_op_resize) {
    command.a = layout.view(random.pick(1, 8), random.pick(1, 8), channels);
  } else {
    command.a = layout.view(output.height, output.width, channels);
  }
  command.constants = layout.take(2 * 256 * 4);
  return command;
}

void set_constants(const VectorCommand& command, std::vector<std::byte>& sram, Random& random) {
  std::vector<int32_t> words;
  if (command.op == &vector_op_softmax) {
    // Exponentials of a scale of 1/16, with 0 integer bits, and the same with 12.
    words.resize(512);
    for (int32_t below = 0; below < 256; ++below) {
      const int32_t exponential = fixed_exp_of_negative(-below * (1 << 22), 5);
      words[static_cast<size_t>(below)] = exponential;
      words[static_cast<size_t>(256 + below)] = fixed_times_pot(exponential, -12);
    }
  } else if (command.op == &vector_op_resize) {
    const View& y = command.output;
    for (int64_t i = 0; i < y.height; ++i) {
      words.push_back(static_cast<int32_t>(random.pick(0, command.a.height - 1)));
    }
    for (int64_t i = 0; i < y.width; ++i) {
      words.push_back(static_cast<int32_t>(random.pick(0, command.a.width - 1)));
    }
  }
  if (words.empty()) return;
  std::memcpy(&sram[command.constants.offset], words.data(), 4 * words.size());
}

class VectorOps : public testing::TestWithParam<const VectorOpDef*> {};

TEST_P(VectorOps, AreThePlainOnes) {
  const auto& all = vector_ops();
  Random random(100 + static_cast<unsigned>(std::ranges::find(all, GetParam()) - all.begin()));
  NoHost host;
  for (int i = 0; i < 200; ++i) {
    Layout layout(random);
    const VectorCommand command = random_vector(GetParam(), layout, random);
    std::vector<std::byte> sram = random_bytes(layout.bytes() + 16, random);
    set_constants(command, sram, random);
    PlainMemory expected(sram);
    plain_vector(command, expected);
    const CommandStream stream = single({.work = command}, std::move(sram));
    Machine machine(stream);
    ASSERT_TRUE(machine.run(host).ok());
    EXPECT_TRUE(bytes_of(machine, kSramSpace, expected.bytes().size()) == expected.bytes())
        << GetParam()->name << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, VectorOps, testing::ValuesIn(vector_ops()),
                         [](const auto& test) { return std::string(test.param->name); });

// A product whose input, weights and output live in a memory, tile by tile through the SRAM: rows
// of the output and halves of its channels, each with its own weights in one of two buffers.
class Tiled : public testing::Test {
 protected:
  static constexpr int64_t kSize = 8, kDepth = 12, kChannels = 32, kHalf = kChannels / 2;

  Tiled() {
    whole_.input = image(kSize, kSize, kDepth);
    whole_.output = image(kSize, kSize, kChannels);
    whole_.window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1};
    whole_.input_zero = 3;
    whole_.stage = {.zero_point = -5};
    half_ = whole_;
    half_.output.channels = kHalf;
  }

  // In the memory: the input, the weights of both halves, the output.
  uint64_t weights_at(int64_t half) const {
    return static_cast<uint64_t>(whole_.input.elements() + half * half_.weight_bytes());
  }
  uint64_t output_at() const { return weights_at(2); }

  CommandStream tiles(std::vector<std::byte> memory) const {
    CommandStream stream;
    stream.steps = 1;
    const auto in = static_cast<uint64_t>(whole_.input.elements());
    const auto block = static_cast<uint64_t>(half_.weight_bytes());
    stream.space_bytes = {in + 2 * block + 4096, memory.size()};
    stream.images.push_back({{1, 0}, std::move(memory)});
    Transfer input = load(Role::Input, whole_.input.elements());
    stream.commands.push_back({.work = input});
    for (int64_t half = 0; half < 2; ++half) {
      Transfer weights = load(Role::Weights, half_.weight_bytes());
      weights.from.offset = weights_at(half);
      weights.to.offset = in + static_cast<uint64_t>(half) * block;
      const auto loaded = static_cast<uint32_t>(stream.commands.size());
      stream.commands.push_back({.work = weights});
      for (int64_t row = 0; row < kSize; row += 3) {
        Product tile = half_;
        tile.weights = weights.to;
        tile.output = image(std::min<int64_t>(3, kSize - row), kSize, kHalf);
        tile.output.at.offset = in + 2 * block;
        const int64_t first = std::max<int64_t>(0, row - 1);
        tile.input.at.offset = static_cast<uint64_t>(first * kSize * kDepth);
        tile.input.height = std::min<int64_t>(kSize, row + tile.output.height + 1) - first;
        tile.window.pad_top = row == 0 ? 1 : 0;
        const auto before = static_cast<uint32_t>(stream.commands.size() - 1);
        stream.commands.push_back({.work = tile, .waits = {0, loaded, before}});
        Transfer output = store(kHalf);
        output.from = tile.output.at;
        output.rows = tile.output.height * kSize;
        output.from_stride = kHalf;
        output.to_stride = kChannels;
        output.to.offset =
            output_at() + static_cast<uint64_t>(row * kSize * kChannels + half * kHalf);
        stream.commands.push_back({.work = output, .waits = {before + 1}});
      }
    }
    return stream;
  }

  // The output of both halves, each as a plain product with its own weights.
  PlainMemory expected(const std::vector<std::byte>& memory) const {
    PlainMemory plain(memory);
    for (int64_t half = 0; half < 2; ++half) {
      Product product = half_;
      product.weights.offset = weights_at(half);
      product.output = image(kSize, kSize, kHalf);
      product.output.pixel_stride = kChannels;
      product.output.row_stride = kSize * kChannels;
      product.output.at.offset = output_at() + static_cast<uint64_t>(half * kHalf);
      plain_product(product, plain);
    }
    return plain;
  }

  std::vector<std::byte> random_memory(Random& random) const {
    std::vector<std::byte> memory =
        random_bytes(output_at() + static_cast<size_t>(whole_.output.elements()), random);
    for (int64_t half = 0; half < 2; ++half) {
      Product product = half_;
      product.weights.offset = weights_at(half);
      set_constants(product, memory, random);
    }
    return memory;
  }

  Product whole_;
  Product half_;
  NoHost host_;
};

TEST_F(Tiled, IsTheWholeProduct) {
  Random random(31);
  const std::vector<std::byte> memory = random_memory(random);
  const CommandStream stream = tiles(memory);
  Machine machine(stream);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(machine.run(host_).ok());
    EXPECT_TRUE(bytes_of(machine, 1, memory.size()) == expected(memory).bytes());
  }
}

// A tile that reads a row too low is not right by accident.
TEST_F(Tiled, AWrongAddressGivesWrongResults) {
  Random random(32);
  const std::vector<std::byte> memory = random_memory(random);
  CommandStream stream = tiles(memory);
  std::get<Product>(stream.commands[4].work).input.at.offset += kSize * kDepth;
  Machine machine(stream);
  ASSERT_TRUE(machine.run(host_).ok());
  EXPECT_FALSE(bytes_of(machine, 1, memory.size()) == expected(memory).bytes());
}

// Weights that someone replaced since the last run are seen: those of SRAM are brought anew.
TEST_F(Tiled, NewWeightsArePackedAnew) {
  Random random(33);
  const std::vector<std::byte> memory = random_memory(random);
  const CommandStream stream = tiles(memory);
  Machine machine(stream);
  ASSERT_TRUE(machine.run(host_).ok());
  std::vector<std::byte> changed = memory;
  changed[weights_at(1)] ^= std::byte{0x55};
  std::memcpy(machine.at({1, 0}), changed.data(), changed.size());
  ASSERT_TRUE(machine.run(host_).ok());
  EXPECT_TRUE(bytes_of(machine, 1, memory.size()) == expected(changed).bytes());
}

// Weights straight from the memory.
TEST_F(Tiled, StreamedWeights) {
  Random random(34);
  const std::vector<std::byte> memory = random_memory(random);
  CommandStream stream = tiles(memory);
  for (Command& command : stream.commands) {
    if (auto* product = std::get_if<Product>(&command.work)) {
      const bool second = product->weights.offset > static_cast<uint64_t>(whole_.input.elements());
      product->weights = {1, weights_at(second ? 1 : 0)};
    }
  }
  Machine machine(stream);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(machine.run(host_).ok());
    EXPECT_TRUE(bytes_of(machine, 1, memory.size()) == expected(memory).bytes());
  }
}

// Streamed weights that a command writes over between two products of one run.
TEST_F(Tiled, WrittenWeightsAreNotTakenForConstant) {
  Random random(35);
  const std::vector<std::byte> memory = random_memory(random);
  CommandStream stream = tiles(memory);
  const auto input = static_cast<uint64_t>(whole_.input.elements());
  const auto bytes = static_cast<uint64_t>(half_.weight_bytes());
  Product product = half_;
  product.weights = {1, weights_at(0)};
  product.output.at.offset = input + 2 * bytes;
  product.output = image(kSize, kSize, kHalf, product.output.at);
  Transfer replace = store(half_.weight_bytes());
  replace.from.offset = input + bytes;  // The second half's weights.
  replace.to.offset = weights_at(0);
  stream.commands.push_back({.work = product});
  stream.commands.push_back({.work = replace});
  stream.commands.push_back({.work = product});
  Machine machine(stream);
  ASSERT_TRUE(machine.run(host_).ok());
  PlainMemory plain(bytes_of(machine, 0, stream.space_bytes[0]));
  product.weights = {0, input + bytes};
  plain_product(product, plain);
  EXPECT_TRUE(bytes_of(machine, 0, stream.space_bytes[0]) == plain.bytes());
}

class CountingHost final : public HostCalls {
 public:
  Status run(size_t call) override {
    calls.push_back(call);
    if (call == 9) return out_of_resource("call 9");
    return Done{};
  }
  std::vector<size_t> calls;
};

TEST(Machine, AsksItsHostAndStopsAtItsErrors) {
  CommandStream stream;
  stream.steps = 1;
  stream.space_bytes = {16};
  for (const size_t call : {4, 9, 5}) stream.commands.push_back({.work = HostCall{.call = call}});
  Machine machine(stream);
  CountingHost host;
  const Status status = machine.run(host);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "call 9");
  EXPECT_EQ(host.calls, (std::vector<size_t>{4, 9}));
}

TEST(MachineDeathTest, ChecksItsStream) {
  CommandStream stream;
  stream.steps = 1;
  stream.space_bytes = {64, 64};
  const auto dies = [&](const Command& command, const char* message) {
    stream.commands = {command};
    EXPECT_DEATH(Machine machine(stream), message);
  };
  dies({.work = load(Role::Input, 65)}, "reads out of space 1");
  Transfer far = load(Role::Input, 8);
  far.to.offset = ~uint64_t{0} - 3;
  dies({.work = far}, "writes out of space 0");
  Transfer wide = load(Role::Input, 8);
  wide.rows = int64_t{1} << 40;
  wide.from_stride = int64_t{1} << 40;
  dies({.work = wide}, "reads out of space 1");
  Transfer inside = load(Role::Input, 8);
  inside.from = {0, 32};
  dies({.work = inside}, "within the SRAM");
  VectorCommand copy{.op = &vector_op_copy};
  copy.a = image(1, 1, 8);
  copy.output = image(1, 1, 8, {0, 4});
  dies({.work = copy}, "writes what it still reads");
  VectorCommand pool = copy;
  pool.op = &vector_op_max_pool;
  pool.output = pool.a;
  dies({.work = pool}, "writes what it still reads");
  dies({.work = load(Role::Input, 8), .waits = {0}}, "waits for command 0");
  dies({.work = load(Role::Input, 8), .step = 1}, "is of step 1");
}

}  // namespace
}  // namespace hone::sim
