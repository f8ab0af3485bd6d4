/* Reads vectors into the structures of their header, and gives them to machines in C.
 *
 *     raddle vectors reps --out reps.jsonl --header vectors.h
 *     cc -std=c99 -I. replay.c reps.c -o replay && ./replay reps.jsonl
 *
 * With --print it prints every state as it was read, before and after each step. */
#define _POSIX_C_SOURCE 200809L
#include "replay.h"
#include "vectors.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind a value, at the latest at the line's end. */
static const char *skip(const char *p) {
    int depth = 0;
    do {
        if (*p == '"')
            for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
        if (!*p) return p;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    } while (depth > 0 || (*p && !strchr(",}]\n", *p)));
    return p;
}

const char *find(const char *object, const char *name) {
    for (const char *p = object + 1; *p == '"';) {
        const char *end = strchr(p + 1, '"');
        if (!end || end[1] != ':') return 0;
        if ((size_t)(end - p - 1) == strlen(name) && !strncmp(p + 1, name, strlen(name))) return end + 2;
        p = skip(end + 2);
        p += *p == ',';
    }
    return 0;
}

#define UNSIGNED(WHAT) WHAT(U8, uint8_t) WHAT(U16, uint16_t) WHAT(U32, uint32_t) WHAT(U64, uint64_t)
#define SIGNED(WHAT) WHAT(I8, int8_t) WHAT(I16, int16_t) WHAT(I32, int32_t) WHAT(I64, int64_t)

static void take(const struct raddle_form *form, const char *json, char *to) {
    for (const struct raddle_field *f = form->fields; f->kind != RADDLE_END; f++) {
        const char *v = *f->name ? find(json, f->name) : json;
        if (!v) v = "null"; /* of another version: it differs then */
        char *at = to + f->offset;
        struct raddle_list *list = (void *)at;
        switch (f->kind) {
#define TAKE(KIND, TYPE) case RADDLE_##KIND: *(TYPE *)at = (TYPE)strtoull(v, 0, 10); break;
        UNSIGNED(TAKE)
        SIGNED(TAKE)
        case RADDLE_BOOL: *(bool *)at = *v == 't'; break;
        case RADDLE_DOUBLE: *(double *)at = strtod(v + (*v == '"'), 0); break;
        case RADDLE_RECORD: take(f->of, v, at); break;
        case RADDLE_MAYBE:
            *list = (struct raddle_list){*v != 'n', calloc(1, f->of->size)};
            if (list->count) take(f->of, v, list->items);
            break;
        case RADDLE_LIST:
            *list = (struct raddle_list){0, 0};
            for (const char *p = v + 1; *p != ']'; p = skip(p), p += *p == ',', list->count++) {
                list->items = realloc(list->items, (list->count + 1) * f->of->size);
                take(f->of, p, (char *)list->items + list->count * f->of->size);
            }
            break;
        default: *(char **)at = strndup(v, skip(v) - v);
        }
    }
}

static void print(FILE *out, const struct raddle_form *form, const char *from) {
    bool named = !form->fields->name || *form->fields->name;
    if (named) fputc('{', out);
    for (const struct raddle_field *f = form->fields; f->kind != RADDLE_END; f++) {
        const char *at = from + f->offset;
        const struct raddle_list *list = (const void *)at;
        if (named) fprintf(out, "%s\"%s\":", f == form->fields ? "" : ",", f->name);
        switch (f->kind) {
#define PRINT(KIND, TYPE) case RADDLE_##KIND: fprintf(out, "%" PRIu64, (uint64_t)*(const TYPE *)at); break;
        UNSIGNED(PRINT)
#undef PRINT
#define PRINT(KIND, TYPE) case RADDLE_##KIND: fprintf(out, "%" PRId64, (int64_t)*(const TYPE *)at); break;
        SIGNED(PRINT)
        case RADDLE_BOOL: fputs(*(const bool *)at ? "true" : "false", out); break;
        case RADDLE_DOUBLE: fprintf(out, "%.17g", *(const double *)at); break;
        case RADDLE_RECORD: print(out, f->of, at); break;
        case RADDLE_MAYBE: list->count ? print(out, f->of, list->items) : (void)fputs("null", out); break;
        case RADDLE_LIST:
            for (size_t i = 0; i < list->count; i++) {
                fputc(i ? ',' : '[', out);
                print(out, f->of, (const char *)list->items + i * f->of->size);
            }
            fputs(list->count ? "]" : "[]", out);
            break;
        default: fputs(*(char *const *)at, out);
        }
    }
    if (named) fputc('}', out);
}

static char *text(const struct raddle_form *form, const char *state) {
    char *written;
    size_t length;
    FILE *out = open_memstream(&written, &length);
    print(out, form, state);
    fclose(out);
    return written;
}

static bool is(const char *json, const char *word) {
    return !strncmp(json + 1, word, strlen(word)) && json[strlen(word) + 1] == '"';
}

/* The values of a line; false if one is missing. */
static bool has(const char *line, const char *const names[], const char *values[], size_t count) {
    size_t length = strlen(line);
    if (length < 3 || strcmp(line + length - 2, "}\n")) return false;
    for (size_t i = 0; i < count; i++)
        if (!(values[i] = find(line, names[i]))) return false;
    return true;
}

static int refuse(size_t line, const char *why) {
    fprintf(stderr, "line %zu: %s\n", line, why);
    return 2;
}

int main(int count, char **arguments) {
    bool prints = count == 3 && !strcmp(arguments[1], "--print");
    FILE *in = count == 2 || prints ? fopen(arguments[count - 1], "r") : 0;
    if (!in) return fprintf(stderr, "replay [--print] FILE: a file of raddle vectors\n"), 2;
    static const char *const of_head[] = {"family", "scheme", "constants"};
    static const char *const of_step[] = {"now_ps", "state", "event", "draws", "answer", "new_state"};
    const struct raddle_scheme *scheme = 0;
    const struct machine *machine = 0;
    const char *h[3], *v[6];
    char *line = 0, *head = 0, answer[ANSWER_BYTES];
    size_t size = 0, steps = 0, replayed = 0;
    for (size_t number = 1; getline(&line, &size, in) > 0; number++) {
        if (find(line, "family")) {
            free(head);
            head = strdup(line);
            if (!has(head, of_head, h, 3)) return refuse(number, "no first line of a machine");
            for (scheme = raddle_schemes; scheme->name; scheme++)
                if (is(h[0], scheme->family) && is(h[1], scheme->name)) break;
            for (machine = machines; machine->scheme; machine++)
                if (is(h[0], machine->family) && is(h[1], machine->scheme)) break;
            if (!scheme->name) return refuse(number, "the scheme is not in the header");
            continue;
        }
        if (!scheme || !has(line, of_step, v, 6)) return refuse(number, "no step of a machine");
        uint64_t draws[64] = {0};
        const char *p = v[3] + 1;
        for (size_t i = 0; i < 64 && *p != ']'; p = skip(p), p += *p == ',') draws[i++] = strtoull(p, 0, 10);
        char *state = calloc(1, scheme->state->size), *after = calloc(1, scheme->state->size);
        take(scheme->state, v[1], state);
        take(scheme->state, v[5], after);
        steps++;
        if (prints) printf("%s\n%s\n", text(scheme->state, state), text(scheme->state, after));
        if (prints || !machine->scheme) continue;
        struct event event = {v[2], h[2], strtoull(v[0], 0, 10), draws};
        machine->step(state, &event, answer);
        if (strcmp(text(scheme->state, state), text(scheme->state, after)) ||
            strlen(answer) != (size_t)(skip(v[4]) - v[4]) || strncmp(answer, v[4], strlen(answer)))
            return fprintf(stderr, "line %zu: state %s, answer %s\n", number, text(scheme->state, state), answer), 1;
        replayed++;
    }
    if (prints) return 0;
    if (!replayed) return fprintf(stderr, "no step of a machine of this program\n"), 2;
    printf("%zu steps read, %zu replayed: no difference\n", steps, replayed);
    return 0;
}
