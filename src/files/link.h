/* Symbolic links. */
#ifndef CAS_LINK_H
#define CAS_LINK_H

/** The name of the file that is meant by `name`: where that is a symbolic link, what it leads to,
    whether or not that exists. The caller frees; NULL without memory. */
char *cas_link_target(const char *name);

#endif
