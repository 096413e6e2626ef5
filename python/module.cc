// hone/hone.h for Python: what of it is arrays, threads and exceptions. python/hone makes the rest of it.
#include <hone/hone.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>
#include <optional>

namespace py = pybind11;

namespace {

struct ElementType {
  std::string_view name;
  py::dtype dtype;
};

const std::vector<ElementType>& element_types() {
  static const auto* const kTypes = new std::vector<ElementType>{
      {"f32", py::dtype::of<float>()},    {"f64", py::dtype::of<double>()},
      {"f16", py::dtype("float16")},      {"i8", py::dtype::of<int8_t>()},
      {"i16", py::dtype::of<int16_t>()},  {"i32", py::dtype::of<int32_t>()},
      {"i64", py::dtype::of<int64_t>()},  {"u8", py::dtype::of<uint8_t>()},
      {"u16", py::dtype::of<uint16_t>()}, {"u32", py::dtype::of<uint32_t>()},
      {"u64", py::dtype::of<uint64_t>()}, {"bool", py::dtype::of<bool>()},
      {"bf16", py::dtype::of<uint16_t>()}};  // numpy has none: their bits.
  return *kTypes;
}

std::string_view type_of(const py::array& array) {
  for (const ElementType& type : element_types()) {
    if (array.dtype().equal(type.dtype)) return type.name;
  }
  throw hone::Error(hone::Fault::BadInput,
                    "an array of " + std::string(py::str(array.dtype())) + ", which no tensor has");
}

// The array stays alive as long as the tensor; it may be let go by any thread.
std::shared_ptr<const void> keep(const py::array& array) {
  auto* const reference = new py::object(array);
  return {array.data(), [reference](const void*) {
            const py::gil_scoped_acquire lock;
            delete reference;
          }};
}

// Elements where they lie, if they lie one behind the other.
hone::Tensor tensor_of(const py::array& given, std::string_view wanted) {
  const py::array array = py::array::ensure(given, py::array::c_style);
  const std::vector<int64_t> shape(array.shape(), array.shape() + array.ndim());
  const std::string_view type = type_of(array);
  const bool bits = wanted == "bf16" && type == "u16";
  return hone::Tensor::view(bits ? wanted : type, shape, array.data(), keep(array));
}

py::array array_of(const hone::Tensor& tensor) {
  for (const ElementType& type : element_types()) {
    if (type.name != tensor.type()) continue;
    const py::capsule owner(new hone::Tensor(tensor),
                            [](void* kept) { delete static_cast<hone::Tensor*>(kept); });
    return py::array(type.dtype, tensor.shape(), tensor.bytes().data(), owner);
  }
  throw hone::Error(hone::Fault::Unsupported,
                    "an output of " + std::string(tensor.type()) + ", which numpy does not have");
}

// Sessions of one program, as many as threads run at once.
class Runner {
 public:
  explicit Runner(const hone::Model& model, const hone::RunOptions& options)
      : first_(model.session(options)), free_{first_} {
    for (const hone::TensorInfo& input : model.inputs()) types_.push_back(input.type);
  }

  std::vector<py::array> run(const std::vector<py::array>& arrays) {
    std::vector<hone::Tensor> inputs, outputs;
    for (size_t i = 0; i < arrays.size(); ++i) {
      inputs.push_back(tensor_of(arrays[i], i < types_.size() ? types_[i] : ""));
    }
    {
      const py::gil_scoped_release others_may_run;
      hone::Session session = take();
      const Return back{*this, session};
      outputs = session.run(inputs);
    }
    std::vector<py::array> results;
    for (const hone::Tensor& output : outputs) results.push_back(array_of(output));
    return results;
  }

 private:
  struct Return {
    Runner& runner;
    hone::Session& session;
    ~Return() {
      const std::lock_guard lock(runner.mutex_);
      runner.free_.push_back(session);
    }
  };

  hone::Session take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return first_.another();
    hone::Session session = free_.back();
    free_.pop_back();
    return session;
  }

  std::vector<std::string> types_;
  hone::Session first_;
  std::mutex mutex_;
  std::vector<hone::Session> free_;  // Guarded by the mutex.
};

// Python's classes of errors, by the kind; they are made in python/hone.
void raise_as_python(const hone::Error& error) {
  const py::object errors = py::module_::import("hone.errors");
  const char* const name = error.fault() == hone::Fault::BadInput      ? "BadInput"
                           : error.fault() == hone::Fault::Unsupported ? "Unsupported"
                                                                       : "Resource";
  PyErr_SetString(errors.attr(name).ptr(), error.what());
}

py::dict info_of(const hone::TensorInfo& info) {
  py::dict dict;
  dict["name"] = info.name;
  dict["type"] = info.type;
  dict["shape"] = py::tuple(py::cast(info.shape));
  dict["scale"] = info.scale;
  dict["zero_point"] = info.zero_point;
  return dict;
}

py::list infos_of(const std::vector<hone::TensorInfo>& infos) {
  py::list list;
  for (const hone::TensorInfo& info : infos) list.append(info_of(info));
  return list;
}

// Python is called by whichever thread goes on. What it raises there cannot end a command.
void tell(PyObject* view, const std::string& line) {
  const py::gil_scoped_acquire lock;
  try {
    py::reinterpret_borrow<py::object>(view)(line);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("hone.on_progress");
  }
}

// The one view there is; never let go of but for another: at exit Python may be gone before Hone.
PyObject* progress_view = nullptr;

void on_progress(const py::object& view) {
  PyObject* const before = progress_view;
  progress_view = view.is_none() ? nullptr : py::object(view).release().ptr();
  {
    const py::gil_scoped_release unlocked;  // Who draws the line waits for Python.
    PyObject* const now = progress_view;
    if (now == nullptr) {
      hone::on_progress(nullptr);
    } else {
      hone::on_progress([now](const std::string& line) { tell(now, line); });
    }
  }
  Py_XDECREF(before);
}

}  // namespace

PYBIND11_MODULE(_hone, module) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const hone::Error& error) {
      raise_as_python(error);
    }
  });
  module.attr("version") = std::string(hone::version());

  py::class_<hone::Model>(module, "Model")
      .def_property_readonly("spec", &hone::Model::spec)
      .def_property_readonly("shapes", &hone::Model::shapes)
      .def_property_readonly("inputs", [](const hone::Model& m) { return infos_of(m.inputs()); })
      .def_property_readonly("outputs", [](const hone::Model& m) { return infos_of(m.outputs()); })
      .def_property_readonly("parameters", &hone::Model::parameters)
      .def_property_readonly("macs", &hone::Model::macs);
  module.def("open", &hone::open, py::arg("spec"), py::arg("shapes"),
             py::call_guard<py::gil_scoped_release>());

  py::class_<Runner>(module, "Runner")
      .def(py::init([](const hone::Model& model, std::string target, int threads,
                       std::string precision) {
             const py::gil_scoped_release others_may_run;
             return std::make_unique<Runner>(
                 model, hone::RunOptions{std::move(target), threads, std::move(precision)});
           }),
           py::arg("model"), py::arg("target"), py::arg("threads"), py::arg("precision"))
      .def("run", &Runner::run, py::arg("inputs"));

  py::class_<hone::Report>(module, "Report")
      .def_property_readonly("text", &hone::Report::text)
      .def_property_readonly("json", &hone::Report::json)
      .def_property_readonly("exit_code", &hone::Report::exit_code)
      .def("html", &hone::Report::html, py::call_guard<py::gil_scoped_release>());
  module.def("on_progress", &on_progress, py::arg("view").none(true));
  module.def("command", &hone::command, py::arg("name"), py::arg("words"),
             py::call_guard<py::gil_scoped_release>());

  module.def(
      "address_of",
      [](const py::array& array) {
        return reinterpret_cast<uintptr_t>(tensor_of(array, "").bytes().data());
      },
      "Where a model would read the elements of an array.");
}
