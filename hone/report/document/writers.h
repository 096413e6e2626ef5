// The forms of a document.
#pragma once

#include <string>
#include <vector>

#include "hone/report/document/document.h"

namespace hone {

// For a terminal: the lead and the sections, without titles; a blank line between sections, but
// none before facts that follow the lead or other facts.
std::string document_text(const Document& document);

// How wide tables may be that are kept narrow, from now on: that of a terminal, or kTextWidth where
// there is none.
inline constexpr size_t kTextWidth = 120;
void use_text_width(size_t columns);

// GitHub's Markdown, for a pull request.
std::string document_markdown(const Document& document);

// One HTML file that loads nothing, of one document or of several below each other.
std::string document_page(const std::vector<Document>& documents);

// A document's title, headline and sections as they stand in a page. `id` sets its elements apart
// from those of other documents; `among_others`: the page has other results, so sections say which they are of.
std::string html_document(const Document& document, const std::string& id, bool among_others);

// Text that means itself in HTML.
std::string html_plain(std::string_view text);

}  // namespace hone
