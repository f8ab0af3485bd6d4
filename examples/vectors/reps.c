/* REPS in C, written from the paper's Algorithms 1 and 2, on the state of `raddle vectors reps --header`.
 * Rings of up to 8 slots, no forced freeze. */
#include "replay.h"
#include "vectors.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct raddle_host_reps reps;
typedef struct raddle_host_reps_few slot;

static uint64_t number(const char *object, const char *name) {
    return strtoull(find(object, name), 0, 10);
}

static bool flag(const char *object, const char *name) {
    return *find(object, name) == 't';
}

static bool is_paper(const reps *own) {
    return !strcmp(own->mode, "\"paper\"");
}

/* One of n values: the 64 bits times n, over 2^64. */
static uint64_t below(uint64_t bits, uint64_t n) {
    return ((bits >> 32) * n + ((bits & UINT32_MAX) * n >> 32)) >> 32;
}

/* Algorithm 2, lines 14 to 24. */
static uint16_t next_path(reps *own, const struct event *event) {
    slot *slots = own->few.items;
    uint64_t drawn = below(event->draws[0], number(event->constants, "entropies"));
    if (!own->started) {
        own->started = true;
        own->recent.since = event->now;
    }
    if (own->explore > 0) {
        own->explore--;
        if (!is_paper(own) || own->explore % own->buffer == 0) return (uint16_t)drawn;
    }
    if (own->written == 0 || (own->valid == 0 && !own->frozen)) return (uint16_t)drawn;
    if (own->frozen && !is_paper(own)) {
        slot *replayed = &slots[own->replay];
        own->valid -= replayed->lives > 0;
        replayed->lives = 0;
        own->replay = (own->replay + 1) % own->written;
        return replayed->entropy;
    }
    if (own->valid > 0) {
        slot *oldest = &slots[(own->head + own->buffer - own->valid) % own->buffer];
        oldest->lives--;
        own->valid -= oldest->lives == 0;
        return oldest->entropy;
    }
    uint8_t index = own->head < own->written ? own->head : 0;
    own->head = (index + 1) % own->buffer;
    return slots[index].entropy;
}

/* Algorithm 1, lines 9 to 14. */
static void cache(reps *own, uint16_t entropy) {
    slot *slots = own->few.items;
    own->valid += slots[own->head].lives == 0;
    slots[own->head] = (slot){entropy, own->reuse};
    if (own->written < own->head + 1) own->written = own->head + 1;
    own->head = (own->head + 1) % own->buffer;
}

/* Algorithm 1, lines 15 to 18. */
static void thaw(reps *own, const struct event *event) {
    if (!own->frozen || event->now <= own->frozen_until) return;
    own->frozen = false;
    own->explore = (uint32_t)number(event->constants, "explore_packets");
    if (is_paper(own)) return;
    memset(own->few.items, 0, own->few.count * sizeof(slot));
    own->written = own->head = own->valid = own->replay = 0;
}

/* Algorithm 1; a timeout speaks of a failure where congestion shows otherwise. */
static void on_feedback(reps *own, const struct event *event, const char *news) {
    const char *fate = find(news, "fate"), *rtt = find(news, "rtt");
    bool clean = !strncmp(fate, "\"Clean", 6);
    if (!strncmp(fate, "\"TimedOut", 9)) {
        bool failure = flag(event->constants, "trimming") ||
                       own->recent.max < number(event->constants, "congested");
        if (failure && flag(event->constants, "freezing") && !own->frozen && own->explore == 0) {
            own->frozen = true;
            own->frozen_until = event->now + number(event->constants, "freeze");
        }
        return;
    }
    if (strncmp(fate, "\"Trimmed", 8) && *rtt != 'n') {
        uint64_t sample = strtoull(rtt, 0, 10);
        uint64_t age = event->now > own->recent.since ? event->now - own->recent.since : 0;
        if (age > number(event->constants, "recent")) own->recent = (struct raddle_host_reps_recent){event->now, 0};
        if (own->recent.max < sample) own->recent.max = sample;
    }
    if (!is_paper(own)) thaw(own, event);
    if (clean) cache(own, (uint16_t)number(news, "path"));
    if (clean && is_paper(own)) thaw(own, event);
}

static void step(void *state, const struct event *event, char answer[ANSWER_BYTES]) {
    const char *json = *event->json == '{' ? event->json : "{}"; /* else it is a word alone */
    const char *news = find(json, "on_feedback");
    strcpy(answer, "null");
    if (find(json, "next_path"))
        snprintf(answer, ANSWER_BYTES, "%u", (unsigned)next_path(state, event));
    else if (news)
        on_feedback(state, event, news);
}

const struct machine machines[] = {{"host", "reps", step}, {0, 0, 0}};
