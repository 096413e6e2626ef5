#include "hone/report/results/conversion.h"

#include <nlohmann/json.hpp>

#include "hone/base/str.h"
#include "hone/report/results/changed_io.h"

namespace hone {

using Json = nlohmann::ordered_json;

std::string conversion_text(const Conversion& conversion) {
  std::string text;
  for (const PassRun& run : conversion.passes) {
    text += str(run.pass, "  ", run.rewrites, " rewrites\n");
  }
  if (conversion.integer_io) text += integers_text(conversion.io.integers, *conversion.graph);
  return text + str("wrote ", conversion.file, ", ", conversion.nodes, " nodes\n");
}

Json conversion_to_json(const Conversion& conversion) {
  Json passes = Json::array();
  for (const PassRun& run : conversion.passes) {
    passes.push_back({{"pass", run.pass}, {"rewrites", run.rewrites}, {"us", run.time.count()}});
  }
  Json json = {
      {"file", conversion.file}, {"nodes", conversion.nodes}, {"passes", std::move(passes)}};
  json.update(changed_io_to_json(conversion.io, *conversion.graph));
  return json;
}

}  // namespace hone
