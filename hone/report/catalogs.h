// Lists of what Hone knows, for people and for result files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "hone/device/device.h"
#include "hone/ops/op_def.h"
#include "hone/report/document/document.h"
#include "hone/targets/target.h"

namespace hone {

Document operators_document(const std::vector<const OpDef*>& ops);
nlohmann::ordered_json operators_to_json(const std::vector<const OpDef*>& ops);

// All passes, in the order they run.
Document passes_document();
nlohmann::ordered_json passes_to_json();

// The rules that look for what costs time.
Document finding_rules_document();
nlohmann::ordered_json finding_rules_to_json();

// The rules that say what an NPU runs, in the order they are asked.
Document placement_rules_document();
nlohmann::ordered_json placement_rules_to_json();

// A device of the catalog and the target made of it.
struct CatalogDevice {
  const Device* device = nullptr;
  const TargetDef* target = nullptr;
};

// All targets that are not devices, and these devices.
Document targets_document(const std::vector<CatalogDevice>& devices);
// The keys targets and devices.
nlohmann::ordered_json targets_to_json(const std::vector<CatalogDevice>& devices);

// Of a device the file that it could be read from, what is said of it in comments at its head.
// `device` is null for targets that are none: then it is those words alone, and
// parse_device says that it holds no device.
std::string target_text(const TargetDef& target, const Device* device);
nlohmann::ordered_json target_to_json(const TargetDef& target, const Device* device);

}  // namespace hone
