// Compiled for and simulated, command by command.

#include "hone/targets/device_kind.h"
#include "hone/targets/npu/layer_cost.h"
#include "hone/targets/npu/npu_fields.h"
#include "hone/targets/npu/npu_fit.h"
#include "hone/targets/npu/npu_target.h"

namespace hone {
namespace {

constexpr std::string_view kSourced[] = {"clock", "matrix", "vector", "sram",
                                         "dma",   "queue",  "host",   "limits"};

}  // namespace

extern const DeviceKindDef device_kind_npu = {
    .format = spec_format<NpuSpec>("npu"),
    .mode = Mode::Simulated,
    .open = make_npu_target,
    .integers = [](const Device& device) { return npu_integers(*device.npu()); },
    .energy_of = [](const Device&) -> std::string_view { return "chip"; },
    .check = [](const Device& device) { return npu::check_host(*device.npu()); },
    .fit = &npu_fit,
    .sourced = kSourced,
};

}  // namespace hone
