#include "hone/cuda/dnn.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>

#include "hone/base/shared_library.h"

namespace hone::cuda {
namespace {

// What is used of cuDNN's graphs: all functions but the version's give 0 on success.
struct Dnn {
  size_t (*version)() = nullptr;
  int (*create)(void** handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*make)(int kind, void** descriptor) = nullptr;
  int (*free)(void* descriptor) = nullptr;
  int (*finalize)(void* descriptor) = nullptr;
  int (*set)(void* descriptor, int attribute, int type, int64_t count,
             const void* values) = nullptr;
  int (*get)(void* descriptor, int attribute, int type, int64_t most, int64_t* count,
             void* values) = nullptr;
  int (*execute)(void* handle, void* plan, void* pack) = nullptr;
};

Result<Dnn> load_dnn() {
  const SharedLibrary library({"libcudnn.so.9"});
  if (!library) return out_of_resource("libcudnn.so.9 is not here");
  Dnn dnn;
  bool complete = true;
  const auto find = [&](auto& function, const char* symbol) {
    function =
        library.find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(symbol);
    complete = complete && function != nullptr;
  };
  find(dnn.version, "cudnnGetVersion");
  find(dnn.create, "cudnnCreate");
  find(dnn.set_stream, "cudnnSetStream");
  find(dnn.make, "cudnnBackendCreateDescriptor");
  find(dnn.free, "cudnnBackendDestroyDescriptor");
  find(dnn.finalize, "cudnnBackendFinalize");
  find(dnn.set, "cudnnBackendSetAttribute");
  find(dnn.get, "cudnnBackendGetAttribute");
  find(dnn.execute, "cudnnBackendExecute");
  if (!complete) return out_of_resource(library.path(), " lacks functions of cuDNN 9");
  return dnn;
}

const Result<Dnn>& the_dnn() {
  static const Result<Dnn> kDnn = load_dnn();
  return kDnn;
}

Status check_dnn(int status, std::string_view doing) {
  constexpr int kNotSupported = 3;  // Thousands of cudnnStatus_t.
  if (status == 0) return Done{};
  const std::string what = str(doing, ": cuDNN gives status ", status);
  return status / 1000 == kNotSupported ? unsupported(what) : out_of_resource(what);
}

// A handle of the one context that Hone works in, for as long as this lives: threads may not share
// one. Those that are given back are lent again.
class DnnHandle {
 public:
  static Result<DnnHandle> borrow(const Dnn& dnn) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        DnnHandle handle(idle_.back());
        idle_.pop_back();
        return handle;
      }
    }
    void* made = nullptr;
    HONE_RETURN_IF_ERROR(check_dnn(dnn.create(&made), "starting cuDNN"));
    return DnnHandle(made);
  }
  DnnHandle(DnnHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~DnnHandle() {
    if (handle_ == nullptr) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle_);
  }
  void* get() const { return handle_; }

 private:
  explicit DnnHandle(void* handle) : handle_(handle) {}

  inline static std::mutex mutex_;
  inline static std::vector<void*> idle_;
  void* handle_ = nullptr;
};

// cudnnBackendDescriptorType_t.
enum class DnnKind {
  Pointwise = 0,
  Convolution = 1,
  Engine = 2,
  EngineConfig = 3,
  Heuristic = 4,
  Plan = 5,
  ConvolutionForward = 10,
  PointwiseOperation = 13,
  Graph = 15,
  VariantPack = 16,
  Tensor = 17,
};

// cudnnBackendAttributeType_t.
enum class DnnType {
  Handle = 0,
  DataType = 1,
  Boolean = 2,
  Int64 = 3,
  Float = 4,
  Pointer = 6,
  ConvolutionMode = 7,
  HeuristicMode = 8,
  NumericalNote = 11,
  PointwiseMode = 14,
  Descriptor = 15,
};

// cudnnDataType_t.
int dnn_type(DType dtype) {
  if (dtype == DType::F32) return 0;
  return dtype == DType::F16 ? 2 : 9;
}

// One of the library's descriptors. The first error of many calls is told at their end.
class DnnPart {
 public:
  DnnPart(const Dnn& dnn, DnnKind kind) : dnn_(&dnn) {
    void* made = nullptr;
    status_ = dnn.make(static_cast<int>(kind), &made);
    part_ = Owned<void*>(made, dnn.free);
  }

  template <class T>
  DnnPart& set(int attribute, DnnType type, std::span<const T> values) {
    if (status_ == 0) {
      status_ = dnn_->set(part_.get(), attribute, static_cast<int>(type),
                          static_cast<int64_t>(values.size()), values.data());
    }
    return *this;
  }
  template <class T>
  DnnPart& set(int attribute, DnnType type, const T& value) {
    return set(attribute, type, std::span<const T>(&value, 1));
  }
  DnnPart& set(int attribute, const DnnPart& part) {
    return set(attribute, DnnType::Descriptor, part.get());
  }
  DnnPart& set(int attribute, std::span<const int64_t> values) {
    return set(attribute, DnnType::Int64, values);
  }

  // How many there are of `most`.
  template <class T>
  Result<size_t> get(int attribute, DnnType type, std::span<T> most) const {
    int64_t count = 0;
    HONE_RETURN_IF_ERROR(
        check_dnn(dnn_->get(part_.get(), attribute, static_cast<int>(type),
                            static_cast<int64_t>(most.size()), &count, most.data()),
                  "asking cuDNN"));
    return static_cast<size_t>(std::min(count, static_cast<int64_t>(most.size())));
  }

  Status finish(std::string_view doing) {
    if (status_ == 0) status_ = dnn_->finalize(part_.get());
    return check_dnn(status_, doing);
  }

  void* get() const { return part_.get(); }

 private:
  const Dnn* dnn_;
  Owned<void*> part_;
  int status_ = 0;
};

// What the tensors of a convolution are called when it is run.
enum DnnName : int64_t { kX = 1, kW, kBias, kResidual, kY, kBetween };

// A convolution and what follows it in the library's words. Parts refer to each other, so all are
// kept as long as the whole.
class DnnGraph {
 public:
  explicit DnnGraph(const Dnn& dnn) : dnn_(dnn) {}

  Status build(const DnnConvolution& conv, void* handle) {
    constexpr int kGraphHandle = 800;
    constexpr int kGraphOperations = 801;
    const DnnPart* sum = tensor(kBetween, y_shape(conv, DType::F32), true);
    const DnnPart* y = tensor(kY, y_shape(conv, conv.dtype));
    const int followers = conv.has_residual + conv.has_bias + conv.relu;
    int left = followers;
    // The last operation writes y, those before it what the next one reads.
    const auto next = [&] {
      return --left == 0 ? y : tensor(name_++, y_shape(conv, DType::F32), true);
    };
    convolve(conv, followers == 0 ? y : sum);
    if (conv.has_residual) sum = add(sum, tensor(kResidual, y_shape(conv, conv.dtype)), next());
    if (conv.has_bias) sum = add(sum, tensor(kBias, bias_shape(conv)), next());
    if (conv.relu) follow(kRelu, sum, nullptr, next());
    HONE_RETURN_IF_ERROR(first_error_);
    DnnPart& graph = part(DnnKind::Graph).set(kGraphHandle, DnnType::Handle, handle);
    graph.set(kGraphOperations, DnnType::Descriptor, std::span<void* const>(operations_));
    graph_ = &graph;
    return graph.finish("describing a convolution");
  }

  const DnnPart& whole() const { return *graph_; }

 private:
  static constexpr int kAdd = 0;  // cudnnPointwiseMode_t
  static constexpr int kRelu = 100;

  struct TensorShape {
    DType dtype = DType::F32;
    std::array<int64_t, 4> extents = {};  // Images, channels, height, width.
    std::array<int64_t, 4> steps = {};
  };

  static TensorShape image(DType dtype, int64_t images, int64_t channels,
                           const std::array<int64_t, 2>& size, int64_t pitch) {
    return {dtype,
            {images, channels, size[0], size[1]},
            {size[0] * size[1] * pitch, 1, size[1] * pitch, pitch}};
  }

  static TensorShape y_shape(const DnnConvolution& conv, DType dtype) {
    return image(dtype, conv.images, conv.filters, conv.out, conv.y_pitch);
  }

  static TensorShape w_shape(const DnnConvolution& conv) {
    TensorShape shape = image(conv.dtype, conv.filters, conv.channels, conv.kernel, conv.channels);
    shape.steps[0] = conv.w_pitch;
    return shape;
  }

  static TensorShape bias_shape(const DnnConvolution& conv) {
    return image(DType::F32, 1, conv.filters, {1, 1}, conv.filters);
  }

  DnnPart& part(DnnKind kind) { return parts_.emplace_back(dnn_, kind); }

  const DnnPart* finished(DnnPart& part) {
    Status status = part.finish("describing a convolution");
    if (first_error_.ok() && !status.ok()) first_error_ = std::move(status);
    return &part;
  }

  const DnnPart* tensor(int64_t name, const TensorShape& shape, bool within = false) {
    constexpr int kAlignment = 900;
    constexpr int kDataType = 901;
    constexpr int kExtents = 902;
    constexpr int kSteps = 903;
    constexpr int kName = 906;
    constexpr int kIsWithin = 907;
    return finished(part(DnnKind::Tensor)
                        .set(kDataType, DnnType::DataType, dnn_type(shape.dtype))
                        .set(kExtents, shape.extents)
                        .set(kSteps, shape.steps)
                        .set(kName, DnnType::Int64, name)
                        .set(kAlignment, DnnType::Int64, int64_t{16})
                        .set(kIsWithin, DnnType::Boolean, within));
  }

  void convolve(const DnnConvolution& conv, const DnnPart* y) {
    constexpr int kIsCorrelation = 1;
    const DnnPart* window = finished(part(DnnKind::Convolution)
                                         .set(100, DnnType::DataType, dnn_type(DType::F32))
                                         .set(101, DnnType::ConvolutionMode, kIsCorrelation)
                                         .set(102, conv.dilation)
                                         .set(103, conv.stride)
                                         .set(104, conv.pad_end)
                                         .set(105, conv.pad_begin)
                                         .set(106, DnnType::Int64, int64_t{2}));
    const DnnPart* x =
        tensor(kX, image(conv.dtype, conv.images, conv.channels, conv.in, conv.x_pitch));
    const DnnPart* w = tensor(kW, w_shape(conv));
    operations_.push_back(finished(part(DnnKind::ConvolutionForward)
                                       .set(700, DnnType::Float, 1.0f)
                                       .set(701, DnnType::Float, 0.0f)
                                       .set(702, *window)
                                       .set(703, *w)
                                       .set(704, *x)
                                       .set(705, *y))
                              ->get());
  }

  void follow(int mode, const DnnPart* x, const DnnPart* other, const DnnPart* y) {
    const DnnPart* pointwise = finished(part(DnnKind::Pointwise)
                                            .set(0, DnnType::PointwiseMode, mode)
                                            .set(1, DnnType::DataType, dnn_type(DType::F32)));
    DnnPart& operation = part(DnnKind::PointwiseOperation).set(750, *pointwise).set(751, *x);
    if (other != nullptr) operation.set(752, *other);
    operations_.push_back(finished(operation.set(753, *y))->get());
  }

  const DnnPart* add(const DnnPart* x, const DnnPart* other, const DnnPart* y) {
    follow(kAdd, x, other, y);
    return y;
  }

  const Dnn& dnn_;
  std::deque<DnnPart> parts_;
  std::vector<void*> operations_;
  const DnnPart* graph_ = nullptr;
  int64_t name_ = kBetween + 1;
  Status first_error_ = Done{};
};

// Whether every result is the same each time, and as exact as Hone's own kernels.
Result<bool> computes_as_asked(const Dnn& dnn, const DnnPart& config, DType dtype) {
  constexpr int kEngineOfConfig = 300;
  constexpr int kNotes = 1303;
  // cudnnBackendNumericalNote_t.
  constexpr int kTensorCores = 0;
  constexpr int kRoundsInputs = 1;
  constexpr int kStrictAboutNan = 9;
  DnnPart engine(dnn, DnnKind::Engine);
  void* engines[] = {engine.get()};
  HONE_RETURN_IF_ERROR(config.get(kEngineOfConfig, DnnType::Descriptor, std::span<void*>(engines)));
  std::array<int, 10> notes = {};
  HONE_TRY(const size_t count, engine.get(kNotes, DnnType::NumericalNote, std::span<int>(notes)));
  bool on_tensor_cores = false;
  for (const int note : std::span(notes).first(count)) {
    on_tensor_cores = on_tensor_cores || note == kTensorCores;
    const bool harmless = note == kTensorCores || note == kStrictAboutNan ||
                          (note == kRoundsInputs && dtype != DType::F32);
    if (!harmless) return false;
  }
  return on_tensor_cores;
}

// The library's way of that rank.
class DnnPlan {
 public:
  static Result<std::shared_ptr<const DnnPlan>> make(const Dnn& dnn, const DnnConvolution& conv) {
    HONE_TRY(const DnnHandle handle, DnnHandle::borrow(dnn));
    auto plan = std::make_shared<DnnPlan>(dnn, conv);
    HONE_RETURN_IF_ERROR(plan->graph_.build(conv, handle.get()));
    HONE_RETURN_IF_ERROR(plan->find_config(conv));
    HONE_RETURN_IF_ERROR(plan->prepare(handle.get()));
    return std::shared_ptr<const DnnPlan>(std::move(plan));
  }

  DnnPlan(const Dnn& dnn, const DnnConvolution& conv)
      : dnn_(dnn), conv_(conv), graph_(dnn), plan_(dnn, DnnKind::Plan) {}

  Status put(const Stream& stream, const LibraryOperands& operands) const {
    std::vector<int64_t> names = {kX, kW, kY};
    std::vector<uint64_t> addresses = {operands.x, operands.w, operands.y};
    const auto name = [&](bool is_there, int64_t called, uint64_t address) {
      if (!is_there) return;
      names.push_back(called);
      addresses.push_back(address);
    };
    name(conv_.has_bias, kBias, operands.bias);
    name(conv_.has_residual, kResidual, operands.residual);
    DnnPart pack(dnn_, DnnKind::VariantPack);
    pack.set(1000, names);
    pack.set(1001, DnnType::Pointer, std::span<const uint64_t>(addresses));
    pack.set(1003, DnnType::Pointer, operands.scratch);
    HONE_RETURN_IF_ERROR(pack.finish("naming the operands of a convolution"));
    HONE_TRY(const DnnHandle handle, DnnHandle::borrow(dnn_));
    HONE_RETURN_IF_ERROR(check_dnn(dnn_.set_stream(handle.get(), stream.get()), "convolving"));
    return check_dnn(dnn_.execute(handle.get(), plan_.get(), pack.get()), "convolving");
  }

 private:
  Status find_config(const DnnConvolution& conv) {
    constexpr int kMode = 200;
    constexpr int kOfGraph = 201;
    constexpr int kResults = 202;
    constexpr int kLikeliestFirst = 3;  // cudnnBackendHeurMode_t
    DnnPart heuristic(dnn_, DnnKind::Heuristic);
    heuristic.set(kOfGraph, graph_.whole()).set(kMode, DnnType::HeuristicMode, kLikeliestFirst);
    HONE_RETURN_IF_ERROR(heuristic.finish("looking for a convolution"));
    std::vector<void*> found;
    for (size_t i = 0; i <= conv.rank; ++i) {
      found.push_back(configs_.emplace_back(dnn_, DnnKind::EngineConfig).get());
    }
    HONE_TRY(const size_t count,
             heuristic.get(kResults, DnnType::Descriptor, std::span<void*>(found)));
    if (count <= conv.rank) return unsupported("cuDNN has ", count, " ways for this convolution");
    HONE_TRY(const bool as_asked, computes_as_asked(dnn_, configs_.back(), conv.dtype));
    if (!as_asked) return unsupported("this way of cuDNN computes otherwise");
    return Done{};
  }

  Status prepare(void* handle) {
    constexpr int kPlanHandle = 400;
    constexpr int kPlanConfig = 401;
    constexpr int kPlanScratch = 402;
    plan_.set(kPlanHandle, DnnType::Handle, handle).set(kPlanConfig, configs_.back());
    HONE_RETURN_IF_ERROR(plan_.finish("preparing a convolution"));
    int64_t scratch[] = {0};
    HONE_RETURN_IF_ERROR(plan_.get(kPlanScratch, DnnType::Int64, std::span<int64_t>(scratch)));
    if (scratch[0] > static_cast<int64_t>(kLibraryScratchBytes)) {
      return unsupported("this way of cuDNN wants ", scratch[0], " bytes besides");
    }
    return Done{};
  }

  const Dnn& dnn_;
  DnnConvolution conv_;
  DnnGraph graph_;
  std::deque<DnnPart> configs_;
  DnnPart plan_;
};

}  // namespace

std::string dnn_version() {
  const Result<Dnn>& dnn = the_dnn();
  if (!dnn.ok()) return "";
  // 10000 x major + 100 x minor + patch.
  const size_t version = dnn->version();
  return str("cuDNN ", version / 10000, ".", version % 10000 / 100, ".", version % 100);
}

Result<std::shared_ptr<const LibraryKernel>> find_kernel(const Gpu& gpu,
                                                         const DnnConvolution& convolution) {
  const Result<Dnn>& dnn = the_dnn();
  if (!dnn.ok()) return Error(dnn.error());
  HONE_RETURN_IF_ERROR(gpu.use());
  HONE_TRY(const std::shared_ptr<const DnnPlan> plan, DnnPlan::make(*dnn, convolution));
  return record_library_kernel(
      gpu, [&gpu, plan](const Stream& stream, const LibraryOperands& operands) -> Status {
        HONE_RETURN_IF_ERROR(gpu.use());
        return plan->put(stream, operands);
      });
}

}  // namespace hone::cuda
