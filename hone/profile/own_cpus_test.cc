#include "hone/profile/own_cpus.h"

#include <gtest/gtest.h>

#include <thread>

namespace hone {
namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  return set;
}

TEST(OwnCpus, WorkersGetDifferentCpusAndTheCallerItsOwnBack) {
  const cpu_set_t before = affinity();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "this process may use one CPU only";
  cpu_set_t first, second, both;
  {
    OwnCpus cpus(2);
    cpus.place(0);
    first = affinity();
    std::thread([&] {
      cpus.place(1);
      second = affinity();
    }).join();
  }
  EXPECT_EQ(CPU_COUNT(&first), 1);
  EXPECT_EQ(CPU_COUNT(&second), 1);
  CPU_AND(&both, &first, &second);
  EXPECT_EQ(CPU_COUNT(&both), 0);
  const cpu_set_t after = affinity();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(OwnCpus, WorkersBeyondTheCpusStayWhereTheyAre) {
  const cpu_set_t before = affinity();
  OwnCpus cpus(CPU_SETSIZE + 1);
  cpus.place(CPU_SETSIZE);
  const cpu_set_t after = affinity();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace hone
