#include "hone/sim/listing.h"

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/sim/vector_op.h"

namespace hone::sim {
namespace {

class Describer {
 public:
  explicit Describer(const NpuSpec& npu) : npu_(npu) {}

  std::string operator()(const Transfer& transfer) const {
    const std::string rows = transfer.rows == 1 ? "" : str(transfer.rows, " x ");
    return str(role_name(transfer.role), " ", rows, transfer.row_bytes,
               " B: ", place(transfer.from), " -> ", place(transfer.to));
  }

  std::string operator()(const Product& product) const {
    const Window2d& window = product.window;
    std::string kernel = str(window.kernel_h, "x", window.kernel_w);
    if (window.stride_h != 1 || window.stride_w != 1) {
      kernel += str(" / ", window.stride_h, "x", window.stride_w);
    }
    return str(product.depthwise ? "depthwise " : "product ", kernel, ": ", view(product.input),
               " -> ", view(product.output), ", weights ", product.weight_bytes(), " B at ",
               place(product.weights));
  }

  std::string operator()(const VectorCommand& command) const {
    return str(command.op->name, ": ", view(command.a),
               command.op->reads_b ? str(", ", view(command.b)) : "", " -> ", view(command.output));
  }

  std::string operator()(const HostCall& call) const {
    return str("call ", call.call, ", ", fixed(call.us, 1), " us", call.wakes ? ", wakes" : "");
  }

 private:
  static const char* role_name(Role role) {
    switch (role) {
      case Role::Weights:
        return "weights";
      case Role::Input:
        return "input";
      case Role::Output:
        return "output";
    }
    return "?";
  }

  // "SRAM+4096"
  std::string place(Address at) const {
    const std::string space = at.in_sram() ? "SRAM" : npu_.memories[at.space - 1u].name;
    return str(space, "+", at.offset);
  }

  // "8x8x16 SRAM+4096"
  std::string view(const View& view) const {
    return str(view.height, "x", view.width, "x", view.channels, " ", place(view.at));
  }

  const NpuSpec& npu_;
};

std::string waits_text(const Command& command) {
  std::string text;
  for (const uint32_t wait : command.waits) text += str(text.empty() ? "" : " ", wait);
  return text;
}

}  // namespace

std::string listing(const NpuSpec& npu, const CommandStream& stream, const Simulation& simulation,
                    const std::vector<std::string>& step_names) {
  const std::vector<std::string> tracks = track_names(npu);
  const Describer describe(npu);
  Table table({"command", "engine", "start", "end", "step", "what", "waits for"});
  for (size_t i = 0; i < stream.commands.size(); ++i) {
    const Command& command = stream.commands[i];
    const CommandTime& time = simulation.commands[i];
    table.add({str(i), tracks[track_of(npu, command)], fixed(time.start, 0), fixed(time.end, 0),
               command.step < step_names.size() ? step_names[command.step] : str(command.step),
               std::visit(describe, command.work), waits_text(command)});
  }
  return table.to_string();
}

}  // namespace hone::sim
