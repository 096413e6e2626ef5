#include "hone/sim/check_stream.h"

#include "hone/base/check.h"
#include "hone/sim/regions.h"
#include "hone/sim/vector_op.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {
namespace {

bool same_bytes(const View& a, const View& b) {
  return a.at.space == b.at.space && a.at.offset == b.at.offset && same_pixels(a, b) &&
         a.channels == b.channels && a.row_stride == b.row_stride &&
         a.pixel_stride == b.pixel_stride;
}

void check_check_stream(size_t index, const Transfer& transfer) {
  HONE_CHECK(!transfer.from.in_sram() || !transfer.to.in_sram(), "command ", index,
             " is a transfer within the SRAM");
}

void check_check_stream(size_t index, const Product& product) {
  check_window(index, product.input, product.window);
  HONE_CHECK(!product.depthwise || product.input.channels == product.output.channels, "command ",
             index, " is depthwise from ", product.input.channels, " to ", product.output.channels,
             " channels");
  HONE_CHECK(product.input.at.in_sram() && product.output.at.in_sram(), "command ", index,
             " works outside of the SRAM");
}

void check_check_stream(size_t index, const VectorCommand& command) {
  HONE_CHECK(command.a.at.in_sram() && command.output.at.in_sram(), "command ", index,
             " works outside of the SRAM");
  command.op->check(index, command);
}

void check_check_stream(size_t, const HostCall&) {}

// What a command writes may be what it reads element by element, and nothing else.
void check_overlap(size_t index, const Command& command, const Accesses& accesses) {
  const auto* vector = std::get_if<VectorCommand>(&command.work);
  const bool in_place = vector != nullptr && vector->op->in_place;
  for (const Access& written : accesses) {
    if (!written.writes) continue;
    for (const Access& read : accesses) {
      if (read.writes || (in_place && same_bytes(read.bytes, written.bytes))) continue;
      HONE_CHECK(!overlap(read.bytes, written.bytes), "command ", index,
                 " writes what it still reads");
    }
  }
}

}  // namespace

void check_stream(const CommandStream& stream) {
  const auto fits = [&](const View& view) {
    const auto end = end_of(view);
    return view.at.space < stream.space_bytes.size() && end.has_value() &&
           *end <= stream.space_bytes[view.at.space];
  };
  for (const CommandStream::Image& image : stream.images) {
    HONE_CHECK(image.bytes.empty() ||
                   fits(run_of_bytes(image.at, static_cast<int64_t>(image.bytes.size()))),
               "an image reaches out of space ", int{image.at.space});
  }
  for (size_t i = 0; i < stream.commands.size(); ++i) {
    const Command& command = stream.commands[i];
    const auto* vector = std::get_if<VectorCommand>(&command.work);
    HONE_CHECK(vector == nullptr || vector->op != nullptr, "command ", i, " has no operation");
    const Accesses accesses = accesses_of(command);
    for (const Access& access : accesses) {
      HONE_CHECK(fits(access.bytes), "command ", i, access.writes ? " writes" : " reads",
                 " out of space ", int{access.bytes.at.space}, " at ", access.bytes.at.offset);
    }
    std::visit([&](const auto& work) { check_check_stream(i, work); }, command.work);
    check_overlap(i, command, accesses);
    HONE_CHECK(command.step < stream.steps, "command ", i, " is of step ", command.step);
    for (const uint32_t wait : command.waits) {
      HONE_CHECK(wait < i, "command ", i, " waits for command ", wait);
    }
  }
}

}  // namespace hone::sim
