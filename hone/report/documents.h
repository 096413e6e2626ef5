// Results as documents: their sections, a title, and one sentence that says how it went.
#pragma once

#include "hone/report/document/document.h"
#include "hone/report/section_def.h"

namespace hone {

Document document_of(const Validation& validation, Provenance from, const ShowOptions& show = {});
Document document_of(const QuantizationResult& result, Provenance from,
                     const ShowOptions& show = {});
Document document_of(const DeviceComparison& result, Provenance from, const ShowOptions& show = {});
Document document_of(const PlacementResult& result, Provenance from, const ShowOptions& show = {});

}  // namespace hone
