// Steps that go down an image together, row by row: what lies between them is never whole.
//
// Each step computes its next row as soon as the rows under its windows are there (sources/rows.c), every
// row once. Of what it hands on only the rows that the next step still reads are kept. What the first step
// reads goes as what the last one makes comes, so that both may share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {
struct Value;
struct WindowAxis;
}  // namespace hone

namespace hone::c_code {

struct Step;

// What running by rows costs besides the steps' own work.
struct RowCost {
  int64_t calls = 0;        // Of kernels, for single rows.
  int64_t moved_bytes = 0;  // Rows that are kept and move to the front of their buffers.
  int64_t macs = 0;  // Multiply-adds in vain: products take several pixels, rows may have others.
  int64_t widened = 0;   // Bytes that depthwise layers widen once more than for all rows at a time,
  int64_t channels = 0;  // and how often they begin with a channel.
};

struct RowChain {
  size_t first = 0;  // Steps of the plan,
  size_t last = 0;   // both included.
  // Of what each step but the last hands on: rows that are there at a time, and where.
  std::vector<size_t> link_rows = {};
  std::vector<size_t> link_offsets = {};
  size_t scratch_bytes = 0;  // Of the step that asks for most.
  size_t scratch_offset = 0;
  // What the first step reads may begin so many bytes behind where what the last one makes begins.
  size_t lead = 0;
  RowCost cost = {};
};

// Whether it is one image of so many rows.
bool has_rows(const Value* value, int64_t rows);
// The first row under the windows of a row of the result, and the one behind the last, as hone_run_rows has them.
int64_t first_row(const WindowAxis& rows, int64_t next);
int64_t end_row(const WindowAxis& rows, int64_t next);

// Whether a step reads one image and can compute some rows of its result.
bool runs_by_rows(const Step& step);
// Whether the second reads what the first makes, and nobody else does.
bool hands_on(const Step& step, const Step& next);

// Bytes of a row of what a step makes.
size_t row_bytes(const Step& step);

// Requires steps that run by rows, each handing on to the next.
RowChain trace_chain(const std::vector<Step>& steps, size_t first, size_t last);

}  // namespace hone::c_code
