#include "files/replace.h"
#include "files/safe_file.h"

static void release(cas_replacement *r) {
  cas_lock_release(&r->lock);
  free(r->temporary);
  free(r->target);
  *r = (cas_replacement){.lock = CAS_LOCK_NONE};
}

static cas_status begin(const char *output, cas_replacement *r, cas_error *err) {
  r->target = cas_file_link_target(output);
  r->temporary = r->target ? cas_file_temporary_name(r->target) : NULL;
  CAS_NEED(r->temporary);
  CAS_CALL(cas_file_probe(r->target, err));
  CAS_CALL(cas_leftover_check(r->temporary, r->kind, err));
  CAS_CALL(cas_leftover_check_output(r->target, r->kind, err));
  CAS_CALL(cas_lock_take(r->target, CAS_LOCK_SECONDS, NULL, NULL, &r->lock, err));
  return cas_leftover_remove(r->temporary, r->kind, err);
}

cas_status cas_replacement_begin(const char *output, cas_leftover kind, cas_replacement *r,
                                 cas_error *err) {
  *r = (cas_replacement){.lock = CAS_LOCK_NONE, .kind = kind};
  const cas_status st = begin(output, r, err);
  if (st)
    release(r);
  return st;
}

cas_status cas_replacement_end(cas_replacement *r, cas_status st, cas_error *err) {
  if (!r->target)
    return st;
  if (!st)
    st = cas_file_commit(r->temporary, r->target, err);
  if (st)
    unlink(r->temporary);
  release(r);
  return st;
}
