#include "hone/cuda/library_kernel.h"

namespace hone::cuda {
namespace {

// CUDA_KERNEL_NODE_PARAMS, second version.
struct KernelNode {
  void* function = nullptr;
  unsigned grid[3] = {};
  unsigned block[3] = {};
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  void* context = nullptr;
};

// What was recorded, when that is one kernel, and scratch memory that is cleared before.
Result<KernelNode> only_kernel(const Driver& driver, void* graph) {
  constexpr int kIsKernel = 0;  // CUgraphNodeType
  size_t count = 0;
  HONE_RETURN_IF_ERROR(check(driver.cuGraphGetNodes(graph, nullptr, &count), "reading a graph"));
  std::vector<void*> nodes(count);
  HONE_RETURN_IF_ERROR(
      check(driver.cuGraphGetNodes(graph, nodes.data(), &count), "reading a graph"));
  KernelNode kernel;
  int kernels = 0;
  for (void* node : nodes) {
    int type = 0;
    HONE_RETURN_IF_ERROR(check(driver.cuGraphNodeGetType(node, &type), "reading a graph"));
    if (type != kIsKernel) continue;
    ++kernels;
    HONE_RETURN_IF_ERROR(
        check(driver.cuGraphKernelNodeGetParams_v2(node, &kernel), "reading a graph"));
  }
  if (kernels != 1) return unsupported("this way of the library takes ", kernels, " kernels");
  return kernel;
}

}  // namespace

Result<std::shared_ptr<const LibraryKernel>> record_library_kernel(
    const Gpu& gpu, std::function<Status(const Stream&, const LibraryOperands&)> put) {
  // Recorded and never run, so any addresses do.
  constexpr uint64_t kSomewhere = 1 << 20;
  const LibraryOperands nowhere = {kSomewhere, kSomewhere, kSomewhere,
                                   kSomewhere, kSomewhere, kSomewhere};
  HONE_TRY(const Stream stream, make_stream(gpu));
  HONE_RETURN_IF_ERROR(begin_recording(gpu, stream));
  const Status recorded = put(stream, nowhere);
  void* graph = nullptr;
  HONE_RETURN_IF_ERROR(
      check(gpu.driver().cuStreamEndCapture(stream.get(), &graph), "recording a graph"));
  const Owned<void*> owned(graph, gpu.driver().cuGraphDestroy);
  HONE_RETURN_IF_ERROR(recorded);
  HONE_TRY(const KernelNode node, only_kernel(gpu.driver(), graph));
  auto found = std::make_shared<LibraryKernel>();
  found->kernel = kernel_of_function(gpu, node.function);
  std::copy(std::begin(node.grid), std::end(node.grid), found->grid.begin());
  found->block = node.block[0] * node.block[1] * node.block[2];
  found->shared_bytes = node.shared_bytes;
  found->put = std::move(put);
  return std::shared_ptr<const LibraryKernel>(std::move(found));
}

}  // namespace hone::cuda
