// A network of int8 that is run again and again on features of speech.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hone/targets/c_code/reference_tests.h"

namespace hone {

// What a network takes and gives.
struct StreamInterface {
  int rows = 0;  // Of coefficients, as many as the front end makes.
  double input_scale = 0;
  int32_t input_zero = 0;
  size_t outputs = 0;
  double output_scale = 0;
  int32_t output_zero = 0;
  bool softmax = false;  // Outputs are what a softmax reads, which is left to the caller.
};

class StreamNetwork {
 public:
  // Unsupported, with layer and nearest fix, for networks that C has no kernels for (floats among them);
  // BadInput for those that do not take features of speech. `device` is what the program is for.
  static Result<StreamNetwork> make(const Graph& graph, const std::string& device,
                                    const CompileOptions& options);

  const StreamInterface& interface() const { return interface_; }
  // The reference's bytes.
  Result<std::vector<int8_t>> run(std::span<const int8_t> input) const;

 private:
  StreamNetwork(std::unique_ptr<c_code::Plan> plan, c_code::Reference reference,
                const StreamInterface& interface)
      : plan_(std::move(plan)), reference_(std::move(reference)), interface_(interface) {}

  std::unique_ptr<c_code::Plan> plan_;
  c_code::Reference reference_;
  StreamInterface interface_;
};

}  // namespace hone
