#include "hone/targets/c_code/row_chain.h"

#include <algorithm>
#include <span>

#include "hone/ops/node_cost.h"
#include "hone/targets/c_code/plan.h"

namespace hone::c_code {
namespace {

// Multiply-adds of pixels that a product computes again to have so many of them at a time in every row.
int64_t macs_in_vain(const Step& step) {
  const int64_t width = step.write->type.tensor.shape[2];
  const int64_t last = width % step.pixels_together;
  const int64_t again = last == 0 ? 0 : step.pixels_together - last;
  return node_cost(*step.node).macs / width * again;
}

// Depthwise layers widen what lies under the windows of the rows that they compute.
void add_widened(const Step& step, RowCost& cost) {
  if (step.calls[0].kernel != "hone_depthwise") return;
  const Shape& x = step.reads[0]->type.tensor.shape;
  const WindowAxis& rows = *step.rows;
  cost.widened += (rows.out * rows.kernel - rows.in) * x[2] * x[3];
  cost.channels += (rows.out - 1) * x[3];
}

// What hone_run_rows does, without computing.
class RowTrace {
 public:
  RowTrace(const std::vector<Step>& steps, size_t first, size_t last)
      : steps_(std::span(steps).subspan(first, last - first + 1)),
        kept_(steps_.size() + 1, 0),
        end_(steps_.size() + 1, 0) {
    chain_ = {.first = first, .last = last, .link_rows = std::vector<size_t>(last - first, 0)};
  }

  RowChain run() {
    end_[0] = steps_[0].rows->in;
    size_t at = steps_.size() - 1;
    while (end_.back() < steps_.back().rows->out) {
      if (end_[at] < end_row(*steps_[at].rows, end_[at + 1])) {
        forget_rows(at);
        --at;
        continue;
      }
      make_row(at);
      at = std::min(at + 1, steps_.size() - 1);
    }
    for (const Step& step : steps_) {
      const size_t bytes = step.row_scratch_bytes > 0 ? step.row_scratch_bytes : step.scratch_bytes;
      chain_.scratch_bytes = std::max(chain_.scratch_bytes, bytes);
      chain_.cost.macs += macs_in_vain(step);
      add_widened(step, chain_.cost);
    }
    return chain_;
  }

 private:
  void make_row(size_t at) {
    if (at + 1 == steps_.size()) keep_apart();
    ++end_[at + 1];
    ++chain_.cost.calls;
    if (at + 1 == steps_.size()) return;
    const auto there = static_cast<size_t>(end_[at + 1] - kept_[at + 1]);
    chain_.link_rows[at] = std::max(chain_.link_rows[at], there);
  }

  // Those of what step `at` reads that it does not read any more.
  void forget_rows(size_t at) {
    const int64_t first = std::min(first_row(*steps_[at].rows, end_[at + 1]), end_[at]);
    if (first <= kept_[at]) return;
    kept_[at] = first;
    chain_.cost.moved_bytes += (end_[at] - first) * static_cast<int64_t>(row_bytes(steps_[at - 1]));
  }

  // The next row of the result ends before what is still read of the first operand.
  void keep_apart() {
    const WindowAxis& rows = *steps_[0].rows;
    const bool all_read = steps_.size() > 1 && end_[1] == rows.out;
    const int64_t read = all_read ? rows.in : first_row(rows, end_[1]);
    const auto x_bytes = steps_[0].reads[0]->type.tensor.bytes() / static_cast<size_t>(rows.in);
    const size_t gone = static_cast<size_t>(read) * x_bytes;
    const size_t made = static_cast<size_t>(end_.back() + 1) * row_bytes(steps_.back());
    if (made > gone) chain_.lead = std::max(chain_.lead, made - gone);
  }

  std::span<const Step> steps_;
  RowChain chain_ = {};
  // By value, the first operand being 0: the rows that are there.
  std::vector<int64_t> kept_;
  std::vector<int64_t> end_;
};

}  // namespace

bool has_rows(const Value* value, int64_t rows) {
  const Shape& shape = value->type.tensor.shape;
  return shape.size() == 4 && shape[0] == 1 && shape[1] == rows;
}

int64_t first_row(const WindowAxis& rows, int64_t next) {
  return std::clamp<int64_t>(rows.source(next, 0), 0, rows.in);
}
int64_t end_row(const WindowAxis& rows, int64_t next) {
  return std::max(first_row(rows, next), std::min(rows.source(next, 0) + rows.reach(), rows.in));
}

bool runs_by_rows(const Step& step) {
  return step.rows && step.reads.size() == 1 && has_rows(step.reads[0], step.rows->in) &&
         has_rows(step.write, step.rows->out);
}

bool hands_on(const Step& step, const Step& next) {
  return next.reads[0] == step.write && step.write->users.size() == 1;
}

size_t row_bytes(const Step& step) {
  return step.write->type.tensor.bytes() / static_cast<size_t>(step.rows->out);
}

RowChain trace_chain(const std::vector<Step>& steps, size_t first, size_t last) {
  return RowTrace(steps, first, last).run();
}

}  // namespace hone::c_code
