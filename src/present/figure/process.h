/* Programs that figures and films are made by. */
#ifndef CAS_PROCESS_H
#define CAS_PROCESS_H

#include <stdio.h>

/** What a program complained about in its file of messages, as one line; of many complaints the
    last, at which it ended. */
void cas_process_messages(FILE *messages, char *text, size_t size);

#endif
