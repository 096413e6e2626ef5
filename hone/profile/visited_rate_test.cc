#include "hone/profile/visited_rate.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// A machine whose clock is the test's: doing the thing once takes `seconds`.
struct Machine {
  double time = 0;
  double seconds = 1e-3;

  VisitedRate rate(double at_most) {
    return VisitedRate([this](size_t n) { time += seconds * static_cast<double>(n); }, at_most,
                       [this] { return time; });
  }
};

TEST(VisitedRate, StandsWhenThreeVisitsAgree) {
  Machine machine;
  VisitedRate rate = machine.rate(1);
  for (int visit = 0; visit < 3; ++visit) {
    EXPECT_FALSE(rate.stands());
    rate.visit();
  }
  EXPECT_TRUE(rate.stands());
  EXPECT_NEAR(rate.per_second(), 1000, 1e-6);
  EXPECT_GE(rate.bursts(), 15);
  EXPECT_LT(machine.time, 0.3);
}

// Two that a neighbour slowed do not count, however well they agree.
TEST(VisitedRate, IsThatOfTheFastestVisits) {
  Machine machine;
  VisitedRate rate = machine.rate(1);
  for (const double seconds : {2e-3, 2e-3, 1e-3, 1.5e-3, 1e-3}) {
    machine.seconds = seconds;
    rate.visit();
    EXPECT_FALSE(rate.stands());
  }
  machine.seconds = 1.01e-3;
  rate.visit();
  EXPECT_TRUE(rate.stands());
  EXPECT_NEAR(rate.per_second(), 1000, 1e-6);
}

// Visits of two threads that had one core between them agree, too.
TEST(VisitedRate, DoesNotStandBelowWhatIsExpected) {
  Machine machine;
  machine.seconds = 2e-3;
  VisitedRate rate = machine.rate(1);
  for (int visit = 0; visit < 4; ++visit) rate.visit();
  EXPECT_TRUE(rate.stands());
  EXPECT_FALSE(rate.stands(950));
  machine.seconds = 1e-3;
  for (int visit = 0; visit < 3; ++visit) rate.visit();
  EXPECT_TRUE(rate.stands(950));
  EXPECT_NEAR(rate.per_second(), 1000, 1e-6);
}

TEST(VisitedRate, EndsWithItsTime) {
  Machine machine;
  VisitedRate rate = machine.rate(0.1);
  int visits = 0;
  for (; !rate.stands(); ++visits) {
    machine.seconds *= 0.9;
    rate.visit();
  }
  EXPECT_GT(visits, 3);
  EXPECT_NEAR(machine.time, 0.1, 0.02);
}

// To empty caches of hundreds of megabytes takes longer than the bursts do.
TEST(VisitedRate, PreparationTakesOfItsTimeAndNothingOfItsRate) {
  Machine machine;
  VisitedRate rate = machine.rate(0.1);
  for (int visit = 0; visit < 2; ++visit) {
    EXPECT_FALSE(rate.stands());
    rate.visit([&machine] { machine.time += 0.045; });
  }
  EXPECT_TRUE(rate.stands());
  EXPECT_NEAR(rate.per_second(), 1000, 1e-6);
}

TEST(VisitedRate, WithoutTimeOneVisitIsAll) {
  Machine machine;
  VisitedRate rate = machine.rate(0);
  EXPECT_FALSE(rate.stands());
  rate.visit();
  EXPECT_TRUE(rate.stands());
  EXPECT_EQ(rate.bursts(), 5);
}

}  // namespace
}  // namespace hone
