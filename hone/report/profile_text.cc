#include "hone/report/profile_text.h"

#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/report.h"

namespace hone {

std::string profile_text(const Profile& profile, const ShowOptions& show) {
  return document_text(document_of(ReportRun{.profile = profile}, show));
}

}  // namespace hone
