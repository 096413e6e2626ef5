#include "hone/analyze/diagnosis_json.h"

#include <nlohmann/json.hpp>

namespace hone {

nlohmann::ordered_json findings_to_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"rule", finding.rule},
                    {"title", finding.title},
                    {"bound", name_of(finding.bound)},
                    {"option", finding.option},
                    {"evidence", finding.evidence},
                    {"steps", finding.steps},
                    {"fix", finding.fix},
                    {"command", finding.command},
                    {"gain", finding.gain},
                    {"formula", finding.formula},
                    {"confidence", finding.confidence}});
  }
  return list;
}

}  // namespace hone
