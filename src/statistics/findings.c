/* The codes of verdicts, to words and back. */
#include <casimir/statistics.h>
#include <string.h>

const char *const cas_finding_names[] = {
#define FINDING_NAME(name, text, sentence) text,
    CAS_FINDING_LIST(FINDING_NAME)
#undef FINDING_NAME
        "none"};

static const char *const sentences[] = {
#define FINDING_SENTENCE(name, text, sentence) sentence,
    CAS_FINDING_LIST(FINDING_SENTENCE)
#undef FINDING_SENTENCE
};

#define FINDING_LENGTH(name, text, sentence) +sizeof(sentence "; ")
_Static_assert(0 CAS_FINDING_LIST(FINDING_LENGTH) <= CAS_FINDINGS_TEXT,
               "the sentences of all findings are longer than CAS_FINDINGS_TEXT");
#undef FINDING_LENGTH

_Static_assert(CAS_FINDINGS_END <= 8 * sizeof(cas_findings), "a finding has no bit in the set");

cas_finding cas_verdict_code(cas_findings set) {
  int f = 0;
  while (f < CAS_FINDINGS_END && !cas_findings_have(set, (cas_finding)f))
    f++;
  return (cas_finding)f;
}

static void join(cas_findings set, const char *const *of, const char *between, char *text,
                 size_t size) {
  text[0] = '\0';
  for (int f = 0; f < CAS_FINDINGS_END; f++)
    if (cas_findings_have(set, (cas_finding)f))
      cas_append(text, size, "%s%s", text[0] ? between : "", of[f]);
}

void cas_findings_format(cas_findings set, char *text, size_t size) {
  join(set, cas_finding_names, " ", text, size);
}

void cas_findings_say(cas_findings set, char text[CAS_FINDINGS_TEXT]) {
  join(set, sentences, "; ", text, CAS_FINDINGS_TEXT);
}

cas_findings cas_findings_limits(cas_findings set) {
  return set & ((cas_finding_set(CAS_BUDGET_LIMIT) << 1) - cas_finding_set(CAS_LEVEL_FAILED));
}

cas_findings cas_findings_parse(const char *text) {
  cas_findings set = 0;
  while (*text) {
    size_t length = strcspn(text, " ");
    for (int f = 0; f < CAS_FINDINGS_END; f++)
      if (strlen(cas_finding_names[f]) == length &&
          strncmp(cas_finding_names[f], text, length) == 0)
        set |= cas_finding_set((cas_finding)f);
    text += length + (text[length] != '\0');
  }
  return set;
}
