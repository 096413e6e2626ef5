// Results as documents: their sections, a title, and one sentence that says how it went.
#pragma once

#include "hone/report/document/document.h"
#include "hone/report/section_def.h"

namespace hone {

// Of a profile, and of what was found in it.
Document document_of(const ReportRun& run, const ShowOptions& show = {});
// What was found alone, and in what.
Document findings_document(const ReportRun& run);
// What changed from run to run, and what was done about it.
Document document_of(const Report& report, const ShowOptions& show = {});
// All that a report tells; show.page as the report was made.
std::vector<Document> documents_of(const Report& report, const ShowOptions& show);

Document document_of(const Validation& validation, Provenance from, const ShowOptions& show = {});
Document document_of(const QuantizationResult& result, Provenance from,
                     const ShowOptions& show = {});
Document document_of(const DeviceComparison& result, Provenance from, const ShowOptions& show = {});
Document document_of(const ModelComparison& result, Provenance from, const ShowOptions& show = {});
Document document_of(const Inspection& inspection, Provenance from, const ShowOptions& show);
Document document_of(const Inspection& inspection, const ShowOptions& show = {});
Document document_of(const DeviceFile& machine);
Document document_of(const HostReport& host);
Document document_of(const BenchRun& run, Provenance from, const ShowOptions& show);
Document document_of(const BenchRun& run, const ShowOptions& show = {});
Document document_of(const ConformanceResult& result, const ShowOptions& show = {});
Document document_of(const FittedDevice& fit, Provenance from, const ShowOptions& show);
Document document_of(const FittedDevice& fit);
Document document_of(const DeviceClass& learned);
Document document_of(const MeasurementPlan& plan);
Document document_of(const ModelRun& run);
Document document_of(const ListeningPower& power, Provenance from, const ShowOptions& show = {});
Document document_of(const PlacementResult& result, Provenance from, const ShowOptions& show = {});

}  // namespace hone
