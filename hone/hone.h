// Hone as a library: all that a program includes. What is here keeps its meaning from one version to the next.
//
//   hone::Model model = hone::open("mobilenet_v2.onnx");
//   hone::Session session = model.session({.threads = 1});
//   std::vector<hone::Tensor> outputs = session.run({hone::Tensor::of<float>({1, 3, 224, 224}, pixels)});
//   std::cout << hone::profile(model, {.target = "cortex-m7"}).text();
//
// What goes wrong is thrown as a hone::Error with the one line that the command would print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#define HONE_PUBLIC __attribute__((visibility("default")))

namespace hone::v1 {

// "0.1.0".
HONE_PUBLIC std::string_view version();

// The exit codes of the command line.
enum class Fault {
  BadInput = 3,     // The file, option or model is wrong; whoever calls can mend it.
  Unsupported = 4,  // Well formed, but Hone or the device does not have it.
  Resource = 5,     // No memory, no device, no permission, no room.
};

class HONE_PUBLIC Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

// Of an element, as tensors have it; empty where there is no tensor of such.
template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, int8_t>) return "i8";
  if constexpr (std::is_same_v<T, int16_t>) return "i16";
  if constexpr (std::is_same_v<T, int32_t>) return "i32";
  if constexpr (std::is_same_v<T, int64_t>) return "i64";
  if constexpr (std::is_same_v<T, uint8_t>) return "u8";
  if constexpr (std::is_same_v<T, uint16_t>) return "u16";
  if constexpr (std::is_same_v<T, uint32_t>) return "u32";
  if constexpr (std::is_same_v<T, uint64_t>) return "u64";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  return "";
}

// A dense row-major array: elements of its own, or those of somebody who keeps them. Copies share.
class HONE_PUBLIC Tensor {
 public:
  Tensor() = default;
  // Zeros. `type` is "f32", "f16", "bf16", "f64", "i8" to "i64", "u8" to "u64" or "bool".
  Tensor(std::string_view type, std::vector<int64_t> shape);
  // A copy of elements, as many as the shape says.
  template <class T>
  static Tensor of(std::vector<int64_t> shape, std::span<const T> values) {
    return copy(type_name<T>(), std::move(shape), std::as_bytes(values));
  }
  template <class T>
  static Tensor of(std::vector<int64_t> shape, const std::vector<T>& values) {
    return of<T>(std::move(shape), std::span<const T>(values));
  }
  // Elements that lie elsewhere, which `owner` keeps there; null: whoever calls does, as long as the tensor is in
  // use. They are not copied.
  static Tensor view(std::string_view type, std::vector<int64_t> shape, const void* data,
                     std::shared_ptr<const void> owner = nullptr);

  std::string_view type() const { return type_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  size_t elements() const;
  std::span<const std::byte> bytes() const { return bytes_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // The elements; an Error where they are of another type.
  template <class T>
  std::span<const T> values() const {
    expect(type_name<T>());
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  static Tensor copy(std::string_view type, std::vector<int64_t> shape,
                     std::span<const std::byte> bytes);
  void expect(std::string_view type) const;

  std::string type_ = {};
  std::vector<int64_t> shape_ = {};
  std::span<const std::byte> bytes_ = {};
  std::shared_ptr<const void> owner_ = {};
};

// An input or output of a model.
struct TensorInfo {
  std::string name = {};
  std::string type = {};
  std::vector<int64_t> shape = {};  // -1: only a run tells.
  double scale = 0;                 // real = (stored - zero_point) * scale; 0: plain numbers.
  int32_t zero_point = 0;
};

// Where and how to run. What is left out is as the command has it.
struct RunOptions {
  std::string target = "cpu";  // Any that `hone targets` lists, or a device's TOML file.
  int threads = 0;             // 0: as many as there are.
  std::string precision = {};  // Of floats: "fp32", "fp16", "bf16", "tf32".
};

// A model made ready for a target, and memory to run it in: one run at a time. A model that leaves extents of its
// inputs open is made ready for those it is given: the first run with others takes longer, and what was made ready for
// the last four is kept, for all sessions of one program.
class HONE_PUBLIC Session {
 public:
  // One tensor for each input of the model, in their order, of its type and shape; so are the results. Inputs are
  // read where they lie if that is aligned to their elements.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs);
  // Another one of the same program, which may run at the same time: for another thread.
  Session another() const;

  struct State;  // Not of use outside.
  explicit Session(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

// A network that was read. Copies share it.
class HONE_PUBLIC Model {
 public:
  // As it was opened.
  const std::string& spec() const;
  const std::vector<std::string>& shapes() const;
  // In the model's order, which is that of Session::run.
  std::vector<TensorInfo> inputs() const;
  std::vector<TensorInfo> outputs() const;
  int64_t parameters() const;
  // Multiply-accumulates of one run; a lower bound where extents are not known.
  int64_t macs() const;
  // Compiles it; an Error where the target does not have what it needs. With open extents the first run does both.
  Session session(const RunOptions& options = {}) const;

  struct State;  // Not of use outside.
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// An .onnx or .tflite file, "zoo:NAME" or "op:NAME:SHAPE". `shapes` binds extents that it leaves open, or gives
// inputs others: "x:1x3x224x224".
HONE_PUBLIC Model open(const std::string& spec, const std::vector<std::string>& shapes = {});

// What a command found: what it prints, what `--json` writes, and a page of it.
class HONE_PUBLIC Report {
 public:
  const std::string& text() const { return text_; }
  const std::string& json() const { return json_; }
  // One file that needs nothing else. An Error where there is no page of such results.
  std::string html() const;
  // False where a budget or a limit does not hold, where that cannot be told, or where the model does not fit.
  bool passed() const { return exit_ == 0; }
  int exit_code() const { return exit_; }  // As the program's.

  Report(int exit, std::string text, std::string json)
      : exit_(exit), text_(std::move(text)), json_(std::move(json)) {}

 private:
  int exit_;
  std::string text_;
  std::string json_;
};

// Further words for a command, as `hone COMMAND --help` lists them: {"--duration", "2"}.
using Words = std::vector<std::string>;

// Who is told how far commands are, some times a second: "profile: measure [####....]  50 % 2.0 s left", and an empty
// line when nothing goes on any more. Called by whichever thread goes on; it must not call Hone. One for the whole
// program; null, as at first: standard error, if that is a terminal.
HONE_PUBLIC void on_progress(std::function<void(const std::string& line)> view);

// What `hone COMMAND` does with these words, without the program.
HONE_PUBLIC Report command(const std::string& name, const Words& words);

// What is in it: inputs, operators, sizes, where it runs.
HONE_PUBLIC Report inspect(const Model& model, const Words& more = {});
// How long a run takes, layer by layer.
HONE_PUBLIC Report profile(const Model& model, const RunOptions& options = {},
                           const Words& more = {});
// Why it takes that long, and what would help.
HONE_PUBLIC Report diagnose(const Model& model, const RunOptions& options = {},
                            const Words& more = {});
// Writes the faster model, an .onnx file, where there is one.
HONE_PUBLIC Report optimize(const Model& model, const std::string& output,
                            const RunOptions& options = {}, const Words& more = {});
// `data` is a folder or .npy file of samples to calibrate and judge on.
HONE_PUBLIC Report quantize(const Model& model, const std::string& data, const std::string& output,
                            const Words& more = {});
// Whether it is right and within budget: {"--reference", "float.onnx", "--data", "samples",
// "--max-drop", "1%"}.
HONE_PUBLIC Report validate(const Model& model, const Words& more = {});
// Writes what the device loads into a folder.
HONE_PUBLIC Report compile(const Model& model, const std::string& target, const std::string& folder,
                           const Words& more = {});
// Which of the models on which of the devices: one model on several, or several on one or more.
HONE_PUBLIC Report compare(const std::vector<Model>& models,
                           const std::vector<std::string>& devices, const Words& more = {});
// Writes the model in another form, which the file's ending names.
HONE_PUBLIC Report convert(const Model& model, const std::string& output, const Words& more = {});

}  // namespace hone::v1

// Inside Hone these names are spelled with their version: what the library is made of has some of them, too.
#ifndef HONE_INSIDE
namespace hone {
using namespace v1;
}
#endif
