#include "hone/profile/memory_room.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr int64_t kMany = 1 << 20;

// A run of y = relu(relu(x)) of as many floats.
Result<std::unique_ptr<Program>> two_relus(const char* target) {
  Graph graph;
  const ValueType type = TensorType{DType::F32, {1, kMany}};
  Value* value = graph.add_input("x", type);
  for (int i = 0; i < 2; ++i) value = graph.add_node("relu", {value}, {type})->outputs[0];
  graph.add_output(value);
  HONE_TRY(const TargetDef* def, find_target(target));
  return def->open()->compile(std::move(graph), {.threads = 1});
}

TEST(MemoryRoom, WhatIsNotThereIsRefusedInOneLine) {
  const Status refused = check_room(3u << 20, "a run", {.available_bytes = 2u << 20});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Resource);
  EXPECT_EQ(refused.error().message,
            "a run takes 3.00 MiB, but this machine has 2.00 MiB of memory left");
  EXPECT_TRUE(check_room(2u << 20, "a run", {.available_bytes = 2u << 20}).ok());
  EXPECT_TRUE(check_room(UINT64_MAX, "a run", {}).ok());  // Memory that cannot be read.
}

TEST(MemoryRoom, ARunNeedsItsArenaOrItsLargestNode) {
  for (const char* target : {"cpu", "ref"}) {
    const auto program = two_relus(target);
    ASSERT_TRUE(program.ok()) << program.error().message;
    const uint64_t needed = least_run_bytes(**program);
    EXPECT_GE(needed, 4u * kMany) << target;
    EXPECT_LE(needed, 12u * kMany) << target;
    EXPECT_FALSE(check_room_for_run(**program, {.available_bytes = needed - 1}).ok()) << target;
    EXPECT_TRUE(check_room_for_run(**program, {.available_bytes = needed}).ok()) << target;
  }
}

}  // namespace
}  // namespace hone
