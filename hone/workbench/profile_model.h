// Compiles a model for a target and measures it: what `hone profile` does.
#pragma once

#include <string>
#include <vector>

#include "hone/device/device_file.h"
#include "hone/model/load.h"
#include "hone/profile/profile_program.h"

namespace hone {

struct ProfileRequest {
  std::string target = "cpu";
  CompileOptions compile = {};
  std::vector<Item> inputs = {};
  uint64_t seed = 0;        // Of the inputs, for the record.
  double read_seconds = 0;  // Time to open the model, for the record.
  ProfileOptions measure = {};
  const DeviceFile* roofs = nullptr;  // Null: no percentages of roofs, no predicted energy.
  bool emulate = false;  // To diagnose a DSP: its packets are told by an emulator alone.
};

// A model that was made ready for a target, and what is known from that.
struct Compiled {
  std::string model;
  const TargetDef* target = nullptr;
  std::unique_ptr<Program> program = nullptr;
  double seconds = 0;  // Time to compile.
};

// Takes the graph out of the model: a target lets weights go as soon as it has packed them.
Result<Compiled> compile_model(Model& model, const ProfileRequest& request);
Result<Profile> profile_compiled(const Compiled& compiled, const ProfileRequest& request);
// What the code itself took, in an emulator. `seconds` is what that took.
Profile emulated_profile(const Compiled& compiled, const ProfileRequest& request,
                         const Program& program, double seconds);

// Both, one after the other.
Result<Profile> profile_model(Model& model, const ProfileRequest& request);

// "Neoverse-V1, 2 threads".
std::string device_name(int threads);
// Where runs of the target are timed: its device, or this machine.
std::string machine_name(const TargetDef& target, int threads);

// Now, as "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace hone
