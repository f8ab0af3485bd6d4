/* What a machine in C has to offer so that replay.c gives it vectors. */
#ifndef RADDLE_REPLAY_H
#define RADDLE_REPLAY_H

#include <stdint.h>

/* An event: JSON as `raddle vectors` writes it, compact, without blanks. */
struct event {
    const char *json;      /* {"next_path":{"psn":0,"again":false}} */
    const char *constants; /* of the trajectory's first line */
    uint64_t now;          /* picoseconds */
    const uint64_t *draws; /* the random bits that the step takes, in order */
};

/* Room for the longest answer, that of a ToR about a packet. */
#define ANSWER_BYTES 1024

struct machine {
    const char *family, *scheme;
    /* Changes the state, a structure of the header; writes the answer as JSON. */
    void (*step)(void *state, const struct event *event, char answer[ANSWER_BYTES]);
};

/* The machines of the program; the last has no scheme. */
extern const struct machine machines[];

/* The value of a name in an object; 0 if it is not there. */
const char *find(const char *object, const char *name);

#endif
