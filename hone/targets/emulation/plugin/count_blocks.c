/* A plugin of QEMU: how often every block of instructions ran, on whose account, and from which block it was
   reached; and which lines of flash were in no cache. It is compiled where it is used.

   functions=FILE  lines "BEGIN END NUMBER TURNS", addresses in hexadecimal; a block counts for the function that it
                   lies in, and one in none of them for the one that ran last, which has called it. One of several
                   turns counts for so many numbers from its own on: each time that it is entered for the next
   out=FILE        "edge FUNCTION FROM FROM_END TO TO_END COUNT", "misses FUNCTION CODE DATA" and "stack BYTES"
   flash=BEGIN:END:LINE_BYTES, code=SETS:WAYS, data=SETS:WAYS
                   caches of lines of that part of memory, the least recently used line leaving first
   stack=BEGIN:END where it lies: how much of it is touched, from its end on */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION 1
#endif

/* What QEMU has for plugins, as far as it is used here. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t plugin_id;
typedef void (*translated)(plugin_id, struct qemu_plugin_tb *);
typedef void (*executed)(unsigned, void *);
typedef void (*accessed)(unsigned, uint32_t, uint64_t, void *);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translated);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, executed, int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, accessed, int, int, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

int qemu_plugin_version = PLUGIN_VERSION;

#define MOST_FUNCTIONS 16384
#define BUCKETS 4096
#define NONE (-1)
/* Reads and writes: QEMU 7.2 takes reads alone for writes. */
enum { kBoth = 3 };

typedef struct edge {
  struct edge *next;
  const struct block *from;
  int function;
  uint64_t count;
} edge;

typedef struct block {
  struct block *next; /* In its bucket. */
  uint64_t begin, end;
  int function; /* That it lies in. */
  edge *edges; /* The last one used in front. */
} block;

typedef struct {
  uint64_t sets, ways;
  uint64_t *lines; /* Of each set, the most recent first. */
} cache;

static struct {
  uint64_t begin, end;
  int number, turns, turn;
} functions[MOST_FUNCTIONS];
static int function_count;
static int largest_number = NONE;
static uint64_t misses[MOST_FUNCTIONS][2];
static block *buckets[BUCKETS];
static cache caches[2]; /* Of code, of data. */
static uint64_t flash_begin, flash_end, line_bytes = 16;
static uint64_t stack_begin, stack_end, stack_lowest;
static const char *out;

static int current = NONE;
static const block *last;

static int function_at(uint64_t address) {
  for (int i = 0; i < function_count; ++i) {
    if (address >= functions[i].begin && address < functions[i].end) return i;
  }
  return NONE;
}

static void touch(int which, uint64_t line) {
  cache *const c = &caches[which];
  uint64_t *const set = c->lines + line % c->sets * c->ways;
  uint64_t moving = line + 1; /* 0 is no line. */
  for (uint64_t way = 0; way < c->ways; ++way) {
    const uint64_t was = set[way];
    set[way] = moving;
    if (was == line + 1) return;
    moving = was;
  }
  if (current != NONE) ++misses[current][which];
}

/* What a block of a function counts for. */
static int number_in(const block *b) {
  const int i = b->function;
  if (functions[i].turns > 1 && b->begin == functions[i].begin) {
    functions[i].turn = (functions[i].turn + 1) % functions[i].turns;
  }
  return functions[i].number + functions[i].turn;
}

static void block_ran(unsigned cpu, void *data) {
  block *const to = data;
  (void)cpu;
  if (to->function != NONE) current = number_in(to);
  if (caches[0].lines != NULL && to->begin >= flash_begin && to->begin < flash_end) {
    for (uint64_t line = to->begin / line_bytes; line * line_bytes < to->end; ++line) touch(0, line);
  }
  edge **at = &to->edges;
  while (*at != NULL && ((*at)->from != last || (*at)->function != current)) at = &(*at)->next;
  edge *found = *at;
  if (found == NULL) {
    found = calloc(1, sizeof(*found));
    found->from = last;
    found->function = current;
  } else {
    *at = found->next;
  }
  found->next = to->edges;
  to->edges = found;
  ++found->count;
  last = to;
}

static void memory_touched(unsigned cpu, uint32_t info, uint64_t address, void *data) {
  (void)cpu, (void)info, (void)data;
  if (address >= flash_begin && address < flash_end) touch(1, address / line_bytes);
  if (address >= stack_begin && address < stack_lowest) stack_lowest = address;
}

static block *block_of(uint64_t begin, uint64_t end) {
  block **const bucket = &buckets[begin / 2 % BUCKETS];
  for (block *b = *bucket; b != NULL; b = b->next) {
    if (b->begin == begin && b->end == end) return b;
  }
  block *const made = calloc(1, sizeof(*made));
  made->next = *bucket;
  made->begin = begin;
  made->end = end;
  made->function = function_at(begin);
  return *bucket = made;
}

static void block_translated(plugin_id id, struct qemu_plugin_tb *tb) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  const struct qemu_plugin_insn *const tail = qemu_plugin_tb_get_insn(tb, count - 1);
  block *const b = block_of(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)),
                            qemu_plugin_insn_vaddr(tail) + qemu_plugin_insn_size(tail));
  qemu_plugin_register_vcpu_tb_exec_cb(tb, block_ran, 0, b);
  if (caches[1].lines == NULL) return;
  for (size_t i = 0; i < count; ++i) {
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), memory_touched, 0, kBoth, NULL);
  }
}

static void write_counts(plugin_id id, void *data) {
  (void)id, (void)data;
  FILE *const file = fopen(out, "w");
  if (file == NULL) return;
  for (int i = 0; i < BUCKETS; ++i) {
    for (const block *b = buckets[i]; b != NULL; b = b->next) {
      for (const edge *e = b->edges; e != NULL; e = e->next) {
        const uint64_t from = e->from == NULL ? 0 : e->from->begin;
        const uint64_t from_end = e->from == NULL ? 0 : e->from->end;
        fprintf(file, "edge %d %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
                e->function, from, from_end, b->begin, b->end, e->count);
      }
    }
  }
  for (int i = 0; i <= largest_number; ++i) {
    fprintf(file, "misses %d %" PRIu64 " %" PRIu64 "\n", i, misses[i][0], misses[i][1]);
  }
  fprintf(file, "stack %" PRIu64 "\n", stack_end - stack_lowest);
  fclose(file);
}

static int read_functions(const char *path) {
  FILE *const file = fopen(path, "r");
  if (file == NULL) return -1;
  uint64_t begin, end;
  int number, turns;
  while (fscanf(file, "%" SCNx64 " %" SCNx64 " %d %d", &begin, &end, &number, &turns) == 4) {
    const int last_number = number + turns - 1;
    if (function_count == MOST_FUNCTIONS || number < 0 || last_number >= MOST_FUNCTIONS) break;
    functions[function_count].begin = begin;
    functions[function_count].end = end;
    functions[function_count].number = number;
    functions[function_count].turns = turns;
    functions[function_count++].turn = turns - 1; /* The first comes next. */
    if (last_number > largest_number) largest_number = last_number;
  }
  return fclose(file);
}

static int read_cache(const char *text, cache *c) {
  if (sscanf(text, "%" SCNu64 ":%" SCNu64, &c->sets, &c->ways) != 2) return -1;
  c->lines = calloc(c->sets * c->ways, sizeof(*c->lines));
  return c->lines == NULL ? -1 : 0;
}

static int read_argument(char *argument) {
  char *const value = strchr(argument, '=');
  if (value == NULL) return -1;
  *value = 0;
  if (strcmp(argument, "functions") == 0) return read_functions(value + 1);
  if (strcmp(argument, "code") == 0) return read_cache(value + 1, &caches[0]);
  if (strcmp(argument, "data") == 0) return read_cache(value + 1, &caches[1]);
  if (strcmp(argument, "flash") == 0) {
    return sscanf(value + 1, "%" SCNx64 ":%" SCNx64 ":%" SCNu64, &flash_begin, &flash_end,
                  &line_bytes) == 3 ? 0 : -1;
  }
  if (strcmp(argument, "stack") == 0) {
    if (sscanf(value + 1, "%" SCNx64 ":%" SCNx64, &stack_begin, &stack_end) != 2) return -1;
    stack_lowest = stack_end;
    return 0;
  }
  if (strcmp(argument, "out") != 0) return -1;
  out = strdup(value + 1);
  return 0;
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (read_argument(argv[i]) != 0) return -1;
  }
  if (out == NULL) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
  qemu_plugin_register_atexit_cb(id, write_counts, NULL);
  return 0;
}
