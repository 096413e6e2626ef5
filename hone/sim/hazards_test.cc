#include "hone/sim/hazards.h"

#include <gtest/gtest.h>

#include "hone/sim/regions.h"
#include "hone/sim/sim_testing.h"

namespace hone::sim {
namespace {

Transfer load_to(uint64_t offset, int64_t bytes, int channel) {
  Transfer transfer = load(Role::Input, bytes, channel);
  transfer.to.offset = offset;
  return transfer;
}

VectorCommand table(uint64_t from, uint64_t to, int64_t bytes) {
  VectorCommand command;
  command.op = &vector_op_table;
  command.a = image(1, 1, bytes, {0, from});
  command.output = image(1, 1, bytes, {0, to});
  command.constants = {1, 4096};
  return command;
}

size_t hazards_of(std::vector<Command> commands) {
  CommandStream stream;
  stream.commands = std::move(commands);
  stream.steps = 1;
  return find_hazards(stream).size();
}

TEST(Hazards, AReadNeedsToWait) {
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)}, {.work = table(0, 200, 100)}}), 1u);
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)}, {.work = table(0, 200, 100), .waits = {0}}}),
            0u);
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)}, {.work = table(100, 200, 100)}}), 0u);
}

TEST(Hazards, NamesTheCommands) {
  CommandStream stream;
  stream.commands = {{.work = load_to(0, 100, 0)}, {.work = table(96, 200, 100)}};
  EXPECT_EQ(find_hazards(stream),
            (std::vector<std::string>{"command 1 reads space 0 at 96, which command 0 touches: "
                                      "nothing puts them in order"}));
}

TEST(Hazards, AWriteWaitsForReadsAndWrites) {
  const Command work = {.work = table(0, 200, 100), .waits = {0}};
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)}, work, {.work = load_to(0, 100, 0)}}), 1u);
  EXPECT_EQ(
      hazards_of({{.work = load_to(0, 100, 0)}, work, {.work = load_to(0, 100, 0), .waits = {1}}}),
      0u);
  // Two channels that write to one place.
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)}, {.work = load_to(99, 10, 1)}}), 1u);
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)}, {.work = load_to(99, 10, 0)}}), 0u);
}

// 0 -> 1 by a wait, 1 -> 2 by the vector engine's order, 2 -> 3 by a wait.
TEST(Hazards, OrderIsTransitive) {
  const auto commands = [](std::vector<uint32_t> waits) {
    return std::vector<Command>{{.work = load_to(0, 100, 0)},
                                {.work = table(0, 200, 100), .waits = {0}},
                                {.work = table(500, 600, 10)},
                                {.work = load_to(0, 100, 1), .waits = std::move(waits)}};
  };
  EXPECT_EQ(hazards_of(commands({2})), 0u);
  EXPECT_EQ(hazards_of(commands({0})), 1u);
}

// A write that covers an older one stands for it.
TEST(Hazards, FindsTheLatestOfSeveralWrites) {
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)},
                        {.work = load_to(0, 100, 0)},
                        {.work = table(0, 200, 100), .waits = {0}}}),
            1u);
}

// One that is not in order with it does not.
TEST(Hazards, AWriteHidesOnlyWhatIsBeforeIt) {
  EXPECT_EQ(hazards_of({{.work = load_to(0, 100, 0)},
                        {.work = load_to(0, 100, 1)},
                        {.work = table(0, 200, 100), .waits = {1}}}),
            2u);
}

// A read hides nothing: who reads next must wait for the write as well.
TEST(Hazards, EveryReaderWaits) {
  Product product = square_product(4, 1, 8, 8);
  product.output.at.offset = 2000;
  product.weights.offset = 3000;
  const Command load = {.work = load_to(0, 128, 0)},
                read = {.work = table(0, 200, 128), .waits = {0}};
  EXPECT_EQ(hazards_of({load, read, {.work = product}}), 1u);
  EXPECT_EQ(hazards_of({load, read, {.work = product, .waits = {0}}}), 0u);
}

// Whether `first` ends before `second` starts, by following every edge back.
bool in_order(const std::vector<Command>& commands, size_t first, size_t second) {
  if (first == second) return true;
  const NpuSpec npu = round_npu();
  for (size_t before = first; before < second; ++before) {
    const auto& waits = commands[second].waits;
    const bool waited = std::find(waits.begin(), waits.end(), before) != waits.end();
    const bool same = track_of(npu, commands[before]) == track_of(npu, commands[second]);
    if ((waited || same) && in_order(commands, first, before)) return true;
  }
  return false;
}

bool conflict(const Command& a, const Command& b) {
  for (const Access& x : accesses_of(a)) {
    for (const Access& y : accesses_of(b)) {
      if ((x.writes || y.writes) && overlap(x.bytes, y.bytes)) return true;
    }
  }
  return false;
}

TEST(Hazards, AreFoundWhenThereAreAny) {
  Random random(42);
  int clean = 0;
  for (int i = 0; i < 600; ++i) {
    std::vector<Command> commands;
    for (uint32_t c = 0; c < 8; ++c) {
      const auto at = static_cast<uint64_t>(random.pick(0, 400));
      Command command;
      if (random.coin()) {
        command.work = load_to(at, random.pick(1, 60), static_cast<int>(random.pick(0, 1)));
      } else {
        const int64_t bytes = random.pick(1, 60);
        command.work = table(at, 500 + at, bytes);
      }
      for (uint32_t wait = 0; wait < c; ++wait) {
        if (random.pick(0, 2) == 0) command.waits.push_back(wait);
      }
      commands.push_back(command);
    }
    bool any = false;
    for (size_t a = 0; a < commands.size(); ++a) {
      for (size_t b = a + 1; b < commands.size(); ++b) {
        any = any || (conflict(commands[a], commands[b]) && !in_order(commands, a, b));
      }
    }
    EXPECT_EQ(hazards_of(commands) > 0, any) << i;
    clean += any ? 0 : 1;
  }
  EXPECT_GT(clean, 100);
  EXPECT_LT(clean, 500);
}

// Halves of the channels of one buffer, written by two engines.
TEST(Hazards, InterleavedSlicesAreApart) {
  VectorCommand vector = table(1000, 0, 8);
  vector.a = image(4, 4, 8, {0, 1000});
  vector.output = {.height = 4, .width = 4, .channels = 8, .row_stride = 64, .pixel_stride = 16};
  Product product = square_product(4, 1, 8, 8);
  product.input.at.offset = 2000;
  product.weights.offset = 3000;
  product.output = vector.output;
  product.output.at.offset = 8;
  EXPECT_EQ(hazards_of({{.work = vector}, {.work = product}}), 0u);
  product.output.at.offset = 7;
  EXPECT_EQ(hazards_of({{.work = vector}, {.work = product}}), 1u);
}

TEST(Hazards, DepthwiseOrderIsThatOfItsEngine) {
  CommandStream stream;
  Product product = square_depthwise(4, 1, 8);
  product.weights.offset = 3000;
  product.output.at.offset = 200;
  stream.commands = {{.work = product}, {.work = table(200, 400, 128)}};
  EXPECT_EQ(find_hazards(stream, false).size(), 1u);
  EXPECT_EQ(find_hazards(stream, true).size(), 0u);
}

TEST(Regions, OverlapIsThatOfTheirBytes) {
  Random random(41);
  int met = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto any = [&] {
      View view;
      view.at.offset = static_cast<uint64_t>(random.pick(0, 60));
      view.height = random.pick(1, 4);
      view.width = random.pick(1, 4);
      view.channels = random.pick(1, 6);
      view.pixel_stride = random.pick(0, 4) == 0 ? view.channels : random.pick(0, 20);
      view.row_stride =
          random.pick(0, 4) == 0 ? view.width * view.pixel_stride : random.pick(0, 50);
      return view;
    };
    const View a = any(), b = any();
    std::vector<bool> bytes(1000);
    const auto for_each = [](const View& view, auto visit) {
      for (int64_t y = 0; y < view.height; ++y) {
        for (int64_t x = 0; x < view.width; ++x) {
          for (int64_t c = 0; c < view.channels; ++c) {
            visit(view.at.offset +
                  static_cast<uint64_t>(y * view.row_stride + x * view.pixel_stride + c));
          }
        }
      }
    };
    for_each(a, [&](uint64_t at) { bytes[at] = true; });
    bool meets = false;
    for_each(b, [&](uint64_t at) { meets = meets || bytes[at]; });
    EXPECT_EQ(overlap(a, b), meets) << i;
    met += meets ? 1 : 0;
  }
  EXPECT_GT(met, 500);
  EXPECT_LT(met, 2500);
}

TEST(Regions, EndsOverflowToNothing) {
  EXPECT_EQ(end_of(image(2, 3, 4, {0, 10})), 34u);
  View view = image(2, 3, 4);
  view.row_stride = INT64_MAX;
  EXPECT_FALSE(end_of(view).has_value());
  view.row_stride = -1;
  EXPECT_FALSE(end_of(view).has_value());
  EXPECT_FALSE(end_of(image(0, 3, 4)).has_value());
}

}  // namespace
}  // namespace hone::sim
