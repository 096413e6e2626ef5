#include "hone/cuda/blas.h"

#include "hone/base/shared_library.h"

namespace hone::cuda {
namespace {

using BlasAlgorithm = std::array<uint64_t, 8>;  // cublasLtMatmulAlgo_t

// cublasLtMatmulHeuristicResult_t.
struct BlasWay {
  BlasAlgorithm algorithm = {};
  size_t workspace_bytes = 0;
  int state = 0;
  float waves = 0;
  int reserved[4] = {};
};

// What is used of cuBLASLt: all functions but the version's give 0 on success.
struct Blas {
  size_t (*version)() = nullptr;
  int (*create)(void** handle) = nullptr;
  int (*make_operation)(void** operation, int compute, int scale) = nullptr;
  int (*free_operation)(void* operation) = nullptr;
  int (*set_operation)(void* operation, int attribute, const void* value, size_t bytes) = nullptr;
  int (*make_layout)(void** layout, int type, uint64_t rows, uint64_t columns,
                     int64_t pitch) = nullptr;
  int (*free_layout)(void* layout) = nullptr;
  int (*set_layout)(void* layout, int attribute, const void* value, size_t bytes) = nullptr;
  int (*make_preference)(void** preference) = nullptr;
  int (*free_preference)(void* preference) = nullptr;
  int (*set_preference)(void* preference, int attribute, const void* value, size_t bytes) = nullptr;
  int (*find_ways)(void* handle, void* operation, void* a, void* b, void* c, void* d,
                   void* preference, int most, BlasWay* ways, int* count) = nullptr;
  int (*multiply)(void* handle, void* operation, const void* alpha, uint64_t a, void* a_layout,
                  uint64_t b, void* b_layout, const void* beta, uint64_t c, void* c_layout,
                  uint64_t d, void* d_layout, const void* algorithm, uint64_t workspace,
                  size_t workspace_bytes, void* stream) = nullptr;
};

Result<Blas> load_blas() {
  const SharedLibrary library({"libcublasLt.so.13", "libcublasLt.so.12",
                               "/usr/local/cuda/lib64/libcublasLt.so", "libcublasLt.so"});
  if (!library) return out_of_resource("libcublasLt.so.12 or newer is not here");
  Blas blas;
  bool complete = true;
  const auto find = [&](auto& function, const char* symbol) {
    function =
        library.find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(symbol);
    complete = complete && function != nullptr;
  };
  find(blas.version, "cublasLtGetVersion");
  find(blas.create, "cublasLtCreate");
  find(blas.make_operation, "cublasLtMatmulDescCreate");
  find(blas.free_operation, "cublasLtMatmulDescDestroy");
  find(blas.set_operation, "cublasLtMatmulDescSetAttribute");
  find(blas.make_layout, "cublasLtMatrixLayoutCreate");
  find(blas.free_layout, "cublasLtMatrixLayoutDestroy");
  find(blas.set_layout, "cublasLtMatrixLayoutSetAttribute");
  find(blas.make_preference, "cublasLtMatmulPreferenceCreate");
  find(blas.free_preference, "cublasLtMatmulPreferenceDestroy");
  find(blas.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(blas.find_ways, "cublasLtMatmulAlgoGetHeuristic");
  find(blas.multiply, "cublasLtMatmul");
  if (!complete) return out_of_resource(library.path(), " lacks functions of cuBLASLt 12");
  return blas;
}

const Result<Blas>& the_blas() {
  static const Result<Blas> kBlas = load_blas();
  return kBlas;
}

Status check_blas(int status, std::string_view doing) {
  if (status == 0) return Done{};
  return out_of_resource(doing, ": cuBLASLt gives status ", status);
}

// Of the one context that Hone works in.
Result<void*> the_handle(const Blas& blas) {
  static const Result<void*> kHandle = [&]() -> Result<void*> {
    void* handle = nullptr;
    HONE_RETURN_IF_ERROR(check_blas(blas.create(&handle), "starting cuBLASLt"));
    return handle;
  }();
  return kHandle;
}

// cudaDataType.
int data_type(DType dtype) {
  constexpr int kFloat32 = 0;
  constexpr int kFloat16 = 2;
  constexpr int kBfloat16 = 14;
  if (dtype == DType::F32) return kFloat32;
  return dtype == DType::F16 ? kFloat16 : kBfloat16;
}

// A product in the library's words. Its matrices have their columns in memory one behind the other:
// they are ours turned around, so y = x w becomes y' = w' x'.
class BlasCall {
 public:
  static Result<BlasCall> make(const Blas& blas, const BlasProduct& product) {
    BlasCall call;
    HONE_TRY(call.operation_, make_operation(blas, product));
    const int type = data_type(product.dtype);
    const auto [n, m, k] = std::array{product.columns, product.rows, product.depth};
    const bool across = product.w_along_k;
    HONE_TRY(call.w_, make_layout(blas, type, across ? k : n, across ? n : k, product.w_pitch,
                                  product.batches, product.w_step));
    HONE_TRY(call.x_,
             make_layout(blas, type, k, m, product.x_pitch, product.batches, product.x_step));
    HONE_TRY(call.y_,
             make_layout(blas, type, n, m, product.y_pitch, product.batches, product.y_step));
    return call;
  }

  void* operation() const { return operation_.get(); }
  void* w() const { return w_.get(); }
  void* x() const { return x_.get(); }
  void* y() const { return y_.get(); }

 private:
  static Result<Owned<void*>> make_operation(const Blas& blas, const BlasProduct& product) {
    constexpr int kInFloats = 68;  // cublasComputeType_t
    constexpr int kInTf32 = 77;
    constexpr int kTransposeFirst = 3;  // cublasLtMatmulDescAttributes_t
    constexpr int kEpilogue = 7;
    void* made = nullptr;
    HONE_RETURN_IF_ERROR(check_blas(
        blas.make_operation(&made, product.tf32 ? kInTf32 : kInFloats, data_type(DType::F32)),
        "describing a product"));
    Owned<void*> operation(made, blas.free_operation);
    const int transpose = product.w_along_k ? 1 : 0;
    HONE_RETURN_IF_ERROR(
        check_blas(blas.set_operation(made, kTransposeFirst, &transpose, sizeof(transpose)),
                   "describing a product"));
    // cublasLtEpilogue_t: none is 1, otherwise a sum of its parts.
    const int parts = (product.relu ? 2 : 0) + (product.has_bias ? 4 : 0);
    const int epilogue = parts == 0 ? 1 : parts;
    HONE_RETURN_IF_ERROR(check_blas(
        blas.set_operation(made, kEpilogue, &epilogue, sizeof(epilogue)), "describing a product"));
    return operation;
  }

  static Result<Owned<void*>> make_layout(const Blas& blas, int type, int64_t rows, int64_t columns,
                                          int64_t pitch, int64_t batches, int64_t step) {
    constexpr int kBatches = 5;  // cublasLtMatrixLayoutAttribute_t
    constexpr int kStep = 6;
    void* made = nullptr;
    HONE_RETURN_IF_ERROR(check_blas(blas.make_layout(&made, type, static_cast<uint64_t>(rows),
                                                     static_cast<uint64_t>(columns), pitch),
                                    "describing a matrix"));
    Owned<void*> layout(made, blas.free_layout);
    const auto count = static_cast<int>(batches);
    HONE_RETURN_IF_ERROR(
        check_blas(blas.set_layout(made, kBatches, &count, sizeof(count)), "describing a matrix"));
    HONE_RETURN_IF_ERROR(
        check_blas(blas.set_layout(made, kStep, &step, sizeof(step)), "describing a matrix"));
    return layout;
  }

  Owned<void*> operation_;
  Owned<void*> w_;
  Owned<void*> x_;
  Owned<void*> y_;
};

// Operands that are aligned as Hone's are.
Result<Owned<void*>> make_preference(const Blas& blas) {
  constexpr int kWorkspaceBytes = 1;  // cublasLtMatmulPreferenceAttributes_t
  constexpr int kFirstAlignment = 5;
  constexpr int kLastAlignment = 8;
  constexpr uint32_t kAligned = 16;
  void* made = nullptr;
  HONE_RETURN_IF_ERROR(check_blas(blas.make_preference(&made), "looking for a product"));
  Owned<void*> preference(made, blas.free_preference);
  // What is asked for here is a matter of which ways the library thinks of, not of what they need.
  const uint64_t most = 32 << 20;
  HONE_RETURN_IF_ERROR(check_blas(blas.set_preference(made, kWorkspaceBytes, &most, sizeof(most)),
                                  "looking for a product"));
  for (int attribute = kFirstAlignment; attribute <= kLastAlignment; ++attribute) {
    HONE_RETURN_IF_ERROR(
        check_blas(blas.set_preference(made, attribute, &kAligned, sizeof(kAligned)),
                   "looking for a product"));
  }
  return preference;
}

Result<BlasAlgorithm> find_algorithm(const Blas& blas, const BlasProduct& product) {
  HONE_TRY(void* handle, the_handle(blas));
  HONE_TRY(const BlasCall call, BlasCall::make(blas, product));
  HONE_TRY(const Owned<void*> preference, make_preference(blas));
  std::array<BlasWay, 16> ways;
  int found = 0;
  const int status =
      blas.find_ways(handle, call.operation(), call.w(), call.x(), call.y(), call.y(),
                     preference.get(), static_cast<int>(ways.size()), ways.data(), &found);
  size_t rank = 0;
  for (int i = 0; status == 0 && i < found; ++i) {
    const BlasWay& way = ways[static_cast<size_t>(i)];
    const bool fits = way.state == 0 && way.workspace_bytes <= kLibraryScratchBytes;
    if (fits && rank++ == product.rank) return way.algorithm;
  }
  return unsupported("cuBLASLt has ", rank, " ways for this product");
}

Status multiply(const Blas& blas, const BlasProduct& product, const BlasAlgorithm& algorithm,
                const Stream& stream, const LibraryOperands& operands) {
  constexpr int kBiasAddress = 8;  // cublasLtMatmulDescAttributes_t
  HONE_TRY(void* handle, the_handle(blas));
  HONE_TRY(const BlasCall call, BlasCall::make(blas, product));
  if (product.has_bias) {
    HONE_RETURN_IF_ERROR(check_blas(
        blas.set_operation(call.operation(), kBiasAddress, &operands.bias, sizeof(operands.bias)),
        "describing a product"));
  }
  const float one_or_none = product.has_residual ? 1.0f : 0.0f;
  const uint64_t added = product.has_residual ? operands.residual : operands.y;
  return check_blas(
      blas.multiply(handle, call.operation(), &product.scale, operands.w, call.w(), operands.x,
                    call.x(), &one_or_none, added, call.y(), operands.y, call.y(), algorithm.data(),
                    operands.scratch, kLibraryScratchBytes, stream.get()),
      "multiplying");
}

}  // namespace

std::string blas_version() {
  const Result<Blas>& blas = the_blas();
  if (!blas.ok()) return "";
  // 10000 x major + 100 x minor + patch.
  const size_t version = blas->version();
  return str("cuBLASLt ", version / 10000, ".", version % 10000 / 100, ".", version % 100);
}

Result<std::shared_ptr<const LibraryKernel>> find_kernel(const Gpu& gpu,
                                                         const BlasProduct& product) {
  const Result<Blas>& blas = the_blas();
  if (!blas.ok()) return Error(blas.error());
  HONE_TRY(const BlasAlgorithm algorithm, find_algorithm(*blas, product));
  return record_library_kernel(
      gpu,
      [&gpu, &blas = *blas, product, algorithm](const Stream& stream,
                                                const LibraryOperands& operands) -> Status {
        HONE_RETURN_IF_ERROR(gpu.use());
        return multiply(blas, product, algorithm, stream, operands);
      });
}

}  // namespace hone::cuda
