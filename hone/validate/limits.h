// Budgets as users write them: "1%", "0.5pt", "5ms", "200KB", "5mJ".
#pragma once

#include <string>

#include "hone/base/result.h"

namespace hone {

// How much worse a metric may be than the reference's.
struct DropLimit {
  double value = 0;
  bool relative = false;  // A part of the reference's value; else in the metric's own unit.
  std::string text;       // As it was written.
};

// "1%" is relative; "0.5pt" is half a percentage point, which is 0.005; "0.01" is absolute.
Result<DropLimit> parse_drop(const std::string& text);

// BadInput where the limit allows all that the metric has: "1" of 0.9, "100%" of anything.
Status check_can_fail(const DropLimit& limit, const std::string& metric, double reference,
                      bool more_is_better);

// A part of a whole: "5%" or "0.05".
Result<double> parse_part(const std::string& text);

// Units must be given: s, ms, us, ns; B, KB = 1000 B, KiB = 1024 B, MB, MiB, GB, GiB; J, mJ, uJ.
Result<double> parse_seconds(const std::string& text);
Result<double> parse_bytes(const std::string& text);
// The same, of what a file or a memory may have.
Result<double> parse_size(const std::string& text);
Result<double> parse_joules(const std::string& text);

}  // namespace hone
