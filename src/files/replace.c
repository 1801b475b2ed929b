#include "files/replace.h"
#include "base/owned.h"
#include "files/safe_file.h"

#include <unistd.h>

static cas_status find_names(const char *output, cas_leftover kind, cas_replacement *r,
                             cas_error *err) {
  *r = (cas_replacement){
      .target = cas_file_link_target(output), .lock = CAS_LOCK_NONE, .kind = kind};
  r->temporary = r->target ? cas_file_temporary_name(r->target) : NULL;
  return r->temporary ? CAS_OK : cas_no_memory(err);
}

static void free_names(cas_replacement *r) {
  free(r->temporary);
  free(r->target);
  *r = (cas_replacement){.lock = CAS_LOCK_NONE};
}

static cas_status check(const cas_replacement *r, cas_error *err) {
  CAS_CALL(cas_file_probe(r->target, err));
  CAS_CALL(cas_leftover_check(r->temporary, r->kind, err));
  return cas_leftover_check_output(r->target, r->kind, err);
}

cas_status cas_replacement_check(const char *output, cas_leftover kind, cas_error *err) {
  CAS_OWNED_BY(free_names) cas_replacement r;
  CAS_CALL(find_names(output, kind, &r, err));
  return check(&r, err);
}

cas_status cas_replacement_begin(const char *output, cas_leftover kind, cas_replacement *r,
                                 cas_error *err) {
  cas_status st = find_names(output, kind, r, err);
  if (!st)
    st = check(r, err);
  if (!st)
    st = cas_lock_take(r->target, CAS_LOCK_SECONDS, NULL, NULL, &r->lock, err);
  if (!st)
    st = cas_leftover_remove(r->temporary, kind, err);
  if (st) {
    cas_lock_release(&r->lock);
    free_names(r);
  }
  return st;
}

cas_status cas_replacement_end(cas_replacement *r, cas_status st, cas_error *err) {
  if (!r->target)
    return st;
  if (!st)
    st = cas_file_commit(r->temporary, r->target, err);
  if (st)
    unlink(r->temporary);
  cas_lock_release(&r->lock);
  free_names(r);
  return st;
}
