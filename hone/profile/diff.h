// What got faster or slower between two profiles, beyond noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/profile/profile.h"

namespace hone {

enum class Change { Same, Faster, Slower, Unclear };
std::string_view name_of(Change change);  // "same", "faster", "slower", "unclear"
std::optional<Change> change_named(std::string_view name);

// A change counts when it is larger than both limits and larger than what the two measurements vary
// by themselves.
struct DiffLimits {
  double run_part = 0.03;         // Of the whole run.
  double layer_part = 0.10;       // Of a layer's own time,
  double layer_run_part = 0.005;  // and of the whole run.
};

struct LayerChange {
  std::string name;
  double us_a = 0;  // 0 where the layer is in one profile only.
  double us_b = 0;
  bool only_in_a = false;
  bool only_in_b = false;
  Change change = Change::Same;
  double delta_us() const { return us_b - us_a; }
};

struct ProfileDiff {
  double ms_a = 0;
  double ms_b = 0;
  Change change = Change::Same;
  std::string why;                  // Of the verdict on the whole run, one sentence.
  std::string models;               // Says that the models differ; empty where they do not.
  bool unrelated = false;           // Of different models that have few layers in common.
  std::vector<LayerChange> layers;  // The largest change first.
};

// Layers are matched by the names of the source layers they stand for; the nodes "conv" and
// "conv.2" that export made of a layer "conv" stand for it. Where the profiles merged layers in
// different ways, what shares a layer is compared as one.
ProfileDiff diff_profiles(const Profile& a, const Profile& b, const DiffLimits& limits = {});

}  // namespace hone
