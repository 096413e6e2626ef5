#include "hone/report/markdown_report.h"

#include "hone/base/str.h"
#include "hone/base/version.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"

namespace hone {

std::string markdown_report(const Report& report) {
  std::string text;
  for (const Document& document : documents_of(report, {.page = true})) {
    text += document_markdown(document);
  }
  return text + str("Made by hone ", version(), "\n");
}

std::string text_report(const Report& report) {
  std::string text;
  for (Document& document : documents_of(report, {})) {
    if (!text.empty()) text += "\n";
    if (document.lead.empty()) document.lead = document.title;
    text += document_text(document);
  }
  return text + str("\nMade by hone ", version(), "\n");
}

}  // namespace hone
