/* Makes programs of lists of operations: what is not needed is left out, products that are added
   once are fused with their sum, rows of the workspace are used again, independent operations come
   together, and what is done several times at equal distances is one instruction. */
#include "language/expressions/program.h"

typedef struct {
  const cas_operations *list;
  const cas_program_source *source;
  const int *stride;
  cas_program *program;
  /* of every operation: how often it is still needed; others but `array` follow in its memory */
  int *uses;
  int *row; /* of each operation, in the workspace, the result or the numbers; -1: none yet */
  uint8_t *array;
  int *fused; /* of a sum: the product that it computes as well, else -1 */
  int *free_row, free_rows;
  int *order; /* of computation */
} maker;

enum {
  OPERATORS = CAS_OPERATOR_VARIABLE + 1,
  NEAR_ROWS = 96 /* rows of the workspace that the first cache holds beside what a step has there */
};

static bool is_given(const maker *m, int i) {
  return m->list->operation[i].operator_ == CAS_OPERATOR_NUMBER ||
         (m->source && m->source[i].array);
}

static void count_uses(maker *m, int results, const int *result) {
  for (int k = 0; k < results; k++)
    m->uses[result[k]]++;
  for (int i = m->list->n - 1; i >= 0; i--) {
    const cas_operation *o = &m->list->operation[i];
    if (m->uses[i] == 0 || is_given(m, i))
      continue;
    const int operands = cas_operator_operands(o->operator_);
    if (operands > 0)
      m->uses[o->a]++;
    if (operands > 1)
      m->uses[o->b]++;
  }
}

static bool can_be_fused(const maker *m, int i) {
  return m->list->operation[i].operator_ == CAS_OPERATOR_MULTIPLY && m->uses[i] == 1 &&
         !is_given(m, i) && m->row[i] < 0;
}

/* Products that only one sum needs become part of it. */
static void fuse(maker *m) {
  for (int i = 0; i < m->list->n; i++) {
    const cas_operation *o = &m->list->operation[i];
    m->fused[i] = -1;
    if (m->uses[i] == 0 || is_given(m, i))
      continue;
    if (o->operator_ == CAS_OPERATOR_ADD)
      m->fused[i] = can_be_fused(m, o->b) ? o->b : can_be_fused(m, o->a) ? o->a : -1;
    if (o->operator_ == CAS_OPERATOR_SUBTRACT && can_be_fused(m, o->b))
      m->fused[i] = o->b;
    if (m->fused[i] >= 0)
      m->uses[m->fused[i]] = 0;
  }
}

/* array and place of an operand; a result that is not needed any more gives its row back */
static void place_operand(maker *m, int i, int k, cas_instruction *to) {
  const cas_operation *o = &m->list->operation[i];
  if (m->source && m->source[i].array) {
    m->array[i] = m->source[i].array;
    m->row[i] = m->source[i].row;
  } else if (o->operator_ == CAS_OPERATOR_NUMBER && m->row[i] < 0) {
    m->array[i] = CAS_PROGRAM_IN_NUMBERS;
    m->row[i] = m->program->numbers++;
    for (int lane = 0; lane < CAS_PROGRAM_NUMBER_LANES; lane++)
      m->program->number[m->row[i] * CAS_PROGRAM_NUMBER_LANES + lane] = o->value;
  }
  to->array[k] = m->array[i];
  to->at[k] = m->row[i] * m->stride[m->array[i]];
  if (--m->uses[i] == 0 && m->array[i] == CAS_PROGRAM_IN_WORKSPACE)
    m->free_row[m->free_rows++] = m->row[i];
}

static void compute(maker *m, int i) {
  const cas_operation *o = &m->list->operation[i];
  cas_instruction *to = &m->program->instruction[m->program->instructions++];
  *to = (cas_instruction){.operator_ = o->operator_};
  if (m->fused[i] >= 0) {
    const cas_operation *product = &m->list->operation[m->fused[i]];
    to->operator_ = o->operator_ == CAS_OPERATOR_ADD ? CAS_OPERATOR_MULTIPLY_ADD
                                                     : CAS_OPERATOR_SUBTRACT_PRODUCT;
    place_operand(m, product->a, 1, to);
    place_operand(m, product->b, 2, to);
    place_operand(m, m->fused[i] == o->b ? o->a : o->b, 3, to);
  } else {
    place_operand(m, o->a, 1, to);
    if (cas_operator_operands(o->operator_) > 1)
      place_operand(m, o->b, 2, to);
  }
  if (m->row[i] < 0) {
    m->array[i] = CAS_PROGRAM_IN_WORKSPACE;
    m->row[i] = m->free_rows ? m->free_row[--m->free_rows] : m->program->rows++;
  }
  to->array[0] = m->array[i];
  to->at[0] = m->row[i] * m->stride[m->array[i]];
}

/* A result is computed where it belongs, and copied from there if it belongs to several places. */
static void write_program(maker *m, int results, const int *result) {
  for (int i = 0; i < m->list->n; i++)
    m->row[i] = -1;
  for (int k = results - 1; k >= 0; k--)
    if (!is_given(m, result[k])) {
      m->array[result[k]] = CAS_PROGRAM_IN_RESULT;
      m->row[result[k]] = k;
    }
  fuse(m);
  for (int k = 0; k < m->list->n; k++)
    if (m->uses[m->order[k]] > 0 && !is_given(m, m->order[k]))
      compute(m, m->order[k]);
  for (int k = 0; k < results; k++)
    if (is_given(m, result[k]) || m->row[result[k]] != k) {
      cas_instruction *to = &m->program->instruction[m->program->instructions++];
      *to = (cas_instruction){.operator_ = CAS_OPERATOR_COPY, .array = {CAS_PROGRAM_IN_RESULT}};
      to->at[0] = k * m->stride[CAS_PROGRAM_IN_RESULT];
      place_operand(m, result[k], 1, to);
    }
}

/* Whether an instruction does what the last one would do if it were done once more. */
static bool goes_on(const cas_instruction *last, const cas_instruction *i) {
  bool same =
      last->operator_ == i->operator_ && memcmp(last->array, i->array, sizeof i->array) == 0;
  for (int k = 0; k < 4 && last->times > 1; k++)
    same &= i->at[k] == last->at[k] + last->times * last->step[k];
  return same;
}

static void join(cas_program *p) {
  int n = 0;
  for (int i = 0; i < p->instructions; i++) {
    cas_instruction *last = &p->instruction[n > 0 ? n - 1 : 0], next = p->instruction[i];
    if (n > 0 && goes_on(last, &next)) {
      for (int k = 0; k < 4 && last->times == 1; k++)
        last->step[k] = next.at[k] - last->at[k];
      last->times++;
    } else {
      next.times = 1;
      p->instruction[n++] = next;
    }
  }
  p->instructions = n;
}

/* level[i]: the longest chain of operations that operation i waits for. Returns the highest. */
static int find_levels(const maker *m, int *level) {
  int highest = 0;
  for (int i = 0; i < m->list->n; i++) {
    const cas_operation *o = &m->list->operation[i];
    const int n = is_given(m, i) ? 0 : cas_operator_operands(o->operator_);
    level[i] = n > 0 ? level[o->a] + 1 : 0;
    if (n > 1 && level[o->b] >= level[i])
      level[i] = level[o->b] + 1;
    highest = level[i] > highest ? level[i] : highest;
  }
  return highest;
}

/* Orders operations by levels, and by operators within a level. */
static bool order_by_level(maker *m) {
  const int n = m->list->n;
  CAS_OWNED int *level = calloc((size_t)n + 1, sizeof *level);
  const int buckets = level ? (find_levels(m, level) + 1) * OPERATORS : 0;
  /* next[b]: place of the next one of bucket b */
  CAS_OWNED int *next = calloc((size_t)buckets + 1, sizeof *next);
  bool done = level && next;
  for (int i = 0; done && i < n; i++)
    next[level[i] * OPERATORS + m->list->operation[i].operator_ + 1]++;
  for (int b = 0; done && b < buckets; b++)
    next[b + 1] += next[b];
  for (int i = 0; done && i < n; i++)
    m->order[next[level[i] * OPERATORS + m->list->operation[i].operator_]++] = i;
  return done;
}

static bool allocate(maker *m, int results) {
  size_t n = (size_t)m->list->n + 1, instructions = n + (size_t)results, numbers = 1;
  for (int i = 0; i < m->list->n; i++)
    numbers += m->list->operation[i].operator_ == CAS_OPERATOR_NUMBER;
  int *memory = m->uses = calloc(5 * n, sizeof *memory);
  m->array = calloc(n, sizeof *m->array);
  m->program->instruction = calloc(instructions, sizeof *m->program->instruction);
  m->program->number = aligned_alloc(64, numbers * CAS_PROGRAM_NUMBER_LANES * sizeof(double));
  if (!memory || !m->array || !m->program->instruction || !m->program->number)
    return false;
  m->row = memory + n;
  m->fused = memory + 2 * n;
  m->free_row = memory + 3 * n;
  m->order = memory + 4 * n;
  return true;
}

static void make(maker *m, int results, const int *result) {
  m->program->instructions = m->program->rows = m->program->numbers = m->free_rows = 0;
  memset(m->uses, 0, (size_t)m->list->n * sizeof *m->uses);
  count_uses(m, results, result);
  write_program(m, results, result);
  join(m->program);
}

/* In the order of the list results wait less, for programs that need more than the first cache. */
static bool make_near(maker *m, int results, const int *result) {
  if (!order_by_level(m))
    return false;
  make(m, results, result);
  for (int i = 0; i < m->list->n; i++)
    m->order[i] = i;
  if (m->program->rows > NEAR_ROWS)
    make(m, results, result);
  return m->program->rows <= CAS_PROGRAM_WORKSPACE;
}

bool cas_program_make(const cas_operations *l, int results, const int *result,
                      const cas_program_source *source, const int stride[CAS_PROGRAM_ARRAYS],
                      cas_program *p) {
  maker m = {.list = l, .source = source, .stride = stride, .program = p};
  *p = (cas_program){.results = results};
  bool done = !l->failed && allocate(&m, results) && make_near(&m, results, result);
  free(m.uses);
  free(m.array);
  if (!done)
    cas_program_free(p);
  return done;
}

void cas_program_free(cas_program *p) {
  free(p->instruction);
  free(p->number);
  *p = (cas_program){0};
}

size_t cas_program_bytes(const cas_program *p) {
  return (size_t)p->instructions * sizeof *p->instruction +
         (size_t)p->numbers * CAS_PROGRAM_NUMBER_LANES * sizeof *p->number;
}

static bool same_instruction(const cas_instruction *i, const cas_instruction *j) {
  return i->operator_ == j->operator_ && i->times == j->times &&
         memcmp(i->array, j->array, sizeof i->array) == 0 &&
         memcmp(i->at, j->at, sizeof i->at) == 0 && memcmp(i->step, j->step, sizeof i->step) == 0;
}

bool cas_program_equal(const cas_program *p, const cas_program *q) {
  const size_t bytes = (size_t)p->numbers * CAS_PROGRAM_NUMBER_LANES * sizeof *p->number;
  bool equal = p->instructions == q->instructions && p->numbers == q->numbers &&
               (bytes == 0 || memcmp(p->number, q->number, bytes) == 0);
  for (int i = 0; equal && i < p->instructions; i++)
    equal = same_instruction(&p->instruction[i], &q->instruction[i]);
  return equal;
}
