#include "hone/targets/cuda/loaded.h"

#include "hone/targets/cuda/choose.h"
#include "hone/targets/cuda/source.h"

namespace hone::cuda {
namespace {

Status upload_constants(const Gpu& gpu, Loaded& loaded) {
  HONE_TRY(loaded.constants, allocate(gpu, loaded.plan->constant_bytes, "weights"));
  for (SlotInfo& slot : loaded.plan->slots) {
    if (!slot.constant || !slot.on_gpu || slot.bytes == 0) continue;
    HONE_RETURN_IF_ERROR(upload(gpu, loaded.constants.get() + slot.offset, slot.constant->bytes()));
    if (slot.value == nullptr) slot.constant.emplace();  // Packed for the GPU alone.
  }
  return Done{};
}

Status load_kernels(const Gpu& gpu, Loaded& loaded) {
  KernelLibrary& library = KernelLibrary::of(gpu);
  std::vector<const KernelSource*> sources;
  for (const Step& step : loaded.plan->steps) {
    if (step.on_host()) continue;
    add_sources(step.variant(), sources);
  }
  loaded.mark = {.kernel = SourceMaker().make("mark", "mark")};
  sources.push_back(&loaded.mark.kernel);
  HONE_RETURN_IF_ERROR(library.compile(sources));
  HONE_TRY(loaded.mark_kernel, library.get(loaded.mark.kernel));
  loaded.kernels.resize(loaded.plan->steps.size());
  for (size_t s = 0; s < loaded.plan->steps.size(); ++s) {
    Step& step = loaded.plan->steps[s];
    if (step.on_host()) continue;
    for (Launch& launch : step.variants[step.chosen].launches) {
      HONE_TRY(const Kernel kernel, kernel_of(gpu, launch));
      loaded.kernels[s].push_back(kernel);
    }
    step.kind.variant = step.variant().name;
  }
  return Done{};
}

// CUtensorMapDataType.
int map_type(const MatrixMap& matrix) {
  constexpr int kFloat16 = 6;
  constexpr int kFloat32 = 7;
  constexpr int kBfloat16 = 9;
  constexpr int kTfloat32 = 11;
  if (matrix.dtype == DType::F32) return matrix.tf32 ? kTfloat32 : kFloat32;
  return matrix.dtype == DType::F16 ? kFloat16 : kBfloat16;
}

Status encode(const Gpu& gpu, const MatrixMap& matrix, uint64_t address, TensorMap& map) {
  constexpr int kSwizzle128 = 3;
  constexpr int kPromote256 = 3;
  const int64_t bytes = bits_of(matrix.dtype) / 8;
  const uint64_t extents[] = {static_cast<uint64_t>(matrix.columns),
                              static_cast<uint64_t>(matrix.rows)};
  const uint64_t pitches[] = {static_cast<uint64_t>(matrix.pitch * bytes)};
  const unsigned box[] = {static_cast<unsigned>(128 / bytes),
                          static_cast<unsigned>(matrix.box_rows)};
  const unsigned steps[] = {1, 1};
  return check(
      gpu.driver().cuTensorMapEncodeTiled(&map, map_type(matrix), 2, address, extents, pitches, box,
                                          steps, 0, kSwizzle128, kPromote256, 0),
      "describing a matrix to the copy engine");
}

// A library's kernel cannot tell when its turn came: another in front of it does.
Status put_library(const Gpu& gpu, const Stream& stream, const Launch& launch,
                   std::span<const uint64_t> addresses, uint64_t began) {
  if (began != 0) {
    const Launch mark = {.kernel = SourceMaker().make("mark", "mark")};
    HONE_TRY(const Kernel kernel, KernelLibrary::of(gpu).get(mark.kernel));
    HONE_RETURN_IF_ERROR(put(gpu, stream, mark, kernel, addresses, true, began));
  }
  const auto at = [&](size_t argument) {
    const Slot slot = launch.arguments[argument];
    return slot == kNoSlot ? 0 : addresses[slot];
  };
  const uint64_t scratch = at(5) + kLibraryScratchAlignment - at(5) % kLibraryScratchAlignment;
  return (**launch.library->found)
      ->put(stream, {.x = at(0),
                     .w = at(1),
                     .bias = at(2),
                     .residual = at(3),
                     .y = at(4),
                     .scratch = scratch});
}

}  // namespace

void add_sources(const Variant& variant, std::vector<const KernelSource*>& sources) {
  for (const Launch& launch : variant.launches) {
    if (!launch.library) sources.push_back(&launch.kernel);
  }
}

Result<Kernel> kernel_of(const Gpu& gpu, Launch& launch) {
  if (!launch.library) return KernelLibrary::of(gpu).get(launch.kernel);
  LibraryCall& call = *launch.library;
  if (!call.found) {
    call.found = std::visit([&](const auto& work) { return find_kernel(gpu, work); }, call.work);
  }
  if (!call.found->ok()) return Error(call.found->error());
  const LibraryKernel& found = ***call.found;
  launch.grid = found.grid;
  launch.block = found.block;
  launch.shared_bytes = found.shared_bytes;
  return found.kernel;
}

std::vector<uint64_t> addresses_of(const Plan& plan, uint64_t arena, uint64_t constants) {
  std::vector<uint64_t> addresses(plan.slots.size());
  for (Slot slot = 0; slot < plan.slots.size(); ++slot) {
    const SlotInfo& root = plan.root_of(slot);
    if (!root.on_gpu) continue;
    addresses[slot] = (root.constant ? constants : arena) + root.offset + plan.slots[slot].within;
  }
  return addresses;
}

Status put(const Gpu& gpu, const Stream& stream, const Launch& launch, const Kernel& kernel,
           std::span<const uint64_t> addresses, bool early, uint64_t began) {
  if (launch.library) return put_library(gpu, stream, launch, addresses, began);
  std::vector<uint64_t> values;
  for (const Slot slot : launch.arguments) values.push_back(slot == kNoSlot ? 0 : addresses[slot]);
  values.push_back(began);
  std::vector<TensorMap> maps(launch.maps.size());
  std::vector<void*> arguments;
  for (size_t i = 0; i < maps.size(); ++i) {
    HONE_RETURN_IF_ERROR(encode(gpu, launch.maps[i], addresses[launch.maps[i].slot], maps[i]));
    arguments.push_back(&maps[i]);
  }
  for (uint64_t& value : values) arguments.push_back(&value);
  LaunchAttribute attributes[2];
  LaunchConfig config;
  std::copy(launch.grid.begin(), launch.grid.end(), config.grid);
  config.block[0] = launch.block;
  config.shared_bytes = launch.shared_bytes;
  config.stream = stream.get();
  config.attributes = attributes;
  if (launch.cluster > 1) {
    attributes[config.attribute_count++] = {kClusterAttribute, {launch.cluster, 1, 1}};
  }
  if (early && gpu.info().major >= 9) {
    attributes[config.attribute_count++] = {kProgrammaticAttribute, {1}};
  }
  return check(gpu.driver().cuLaunchKernelEx(&config, kernel.function, arguments.data(), nullptr),
               str("launching ", launch.kernel.name));
}

Result<std::shared_ptr<const Loaded>> load_plan(const Gpu& gpu, std::unique_ptr<Plan> plan) {
  HONE_RETURN_IF_ERROR(gpu.use());
  auto loaded = std::make_shared<Loaded>();
  loaded->gpu = &gpu;
  loaded->plan = std::move(plan);
  HONE_RETURN_IF_ERROR(upload_constants(gpu, *loaded));
  HONE_RETURN_IF_ERROR(choose_variants(gpu, *loaded));
  HONE_RETURN_IF_ERROR(load_kernels(gpu, *loaded));
  return std::shared_ptr<const Loaded>(std::move(loaded));
}

}  // namespace hone::cuda
