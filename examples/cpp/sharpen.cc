// Opens a model, runs it on numbers of its own, and asks why it takes what it takes and what would help.
//   sharpen MODEL.onnx [REPORT.html]
#include <hone/hone.h>

#include <fstream>
#include <iostream>

namespace {

// Zeros for every input, where its extents are known.
std::vector<hone::Tensor> zeros_for(const hone::Model& model) {
  std::vector<hone::Tensor> inputs;
  for (const hone::TensorInfo& input : model.inputs()) {
    std::cout << "input " << input.name << " of " << input.type << "\n";
    inputs.emplace_back(input.type, input.shape);
  }
  return inputs;
}

int sharpen(const std::string& spec, const char* page) {
  const hone::Model model = hone::open(spec);
  std::cout << model.parameters() << " parameters, " << model.macs() << " MACs\n";
  hone::Session session = model.session({.threads = 1});
  for (const hone::Tensor& output : session.run(zeros_for(model))) {
    std::cout << "output of " << output.elements() << " x " << output.type() << "\n";
  }
  const hone::Report report = hone::diagnose(model, {.threads = 1}, {"--duration", "1"});
  std::cout << report.text();
  if (page != nullptr) std::ofstream(page) << report.html();
  return report.exit_code();
}

}  // namespace

int main(int argc, char** argv) try {
  return sharpen(argc > 1 ? argv[1] : "zoo:ds_cnn_kws", argc > 2 ? argv[2] : nullptr);
} catch (const hone::Error& error) {
  std::cerr << error.what() << "\n";
  return static_cast<int>(error.fault());
}
