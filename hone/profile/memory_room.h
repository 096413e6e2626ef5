// Whether this machine has the memory that a run needs, asked before any of it is taken: a system
// that promises more than it has ends the program later, without a word.
#pragma once

#include <cstdint>
#include <string_view>

#include "hone/base/result.h"
#include "hone/device/machine.h"
#include "hone/targets/target.h"

namespace hone {

// Resource where `what` takes more bytes than there are. Memory that cannot be read is taken to be
// enough.
Status check_room(uint64_t bytes, std::string_view what, const MemoryInfo& memory = memory_info());

// What a run of a program on this machine takes at least: its arena, its outputs, and where it plans
// no arena the operands of its largest node.
uint64_t least_run_bytes(const Program& program);

// Of both; inputs are there already. A model of a machine elsewhere takes nothing here.
Status check_room_for_run(const Program& program, const MemoryInfo& memory = memory_info());

}  // namespace hone
