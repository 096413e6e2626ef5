#include "hone/report/results/conformance_json.h"

#include <nlohmann/json.hpp>

namespace hone {

using Json = nlohmann::ordered_json;
using Outcome = ConformanceCase::Outcome;

Json conformance_to_json(const ConformanceResult& result) {
  Json cases = Json::array();
  for (const ConformanceCase& test : result.cases) {
    cases.push_back({{"name", test.name}, {"outcome", name_of(test.outcome)}, {"why", test.why}});
  }
  return {{"passed", result.count(Outcome::Passed)},
          {"failed", result.count(Outcome::Failed)},
          {"unsupported", result.count(Outcome::Unsupported)},
          {"cases", std::move(cases)}};
}

}  // namespace hone
