#include "hone/profile/visited_rate.h"

#include <algorithm>

namespace hone {
namespace {

constexpr double kVisitSeconds = 0.004;
constexpr int kFewestBursts = 5;  // In a visit.
constexpr size_t kAgreeing = 3;
constexpr double kClose = 0.98;

}  // namespace

void VisitedRate::visit(const std::function<void()>& prepare) {
  const double begin = clock_();
  prepare();
  const double end = clock_() + std::min(kVisitSeconds, seconds_);
  double best = 0;
  for (int i = 0; i < kFewestBursts || clock_() < end; ++i) {
    best = std::max(best, bursts_.next());
    ++count_;
  }
  visits_.push_back(best);
  spent_ += clock_() - begin;
}

bool VisitedRate::stands(double expected) const {
  if (!visits_.empty() && spent_ >= seconds_) return true;
  if (per_second() < expected) return false;
  const auto close = std::ranges::count_if(
      visits_, [&](double reached) { return reached >= kClose * per_second(); });
  return static_cast<size_t>(close) >= kAgreeing;
}

double VisitedRate::per_second() const {
  return visits_.empty() ? 0 : std::ranges::max(visits_);
}

}  // namespace hone
