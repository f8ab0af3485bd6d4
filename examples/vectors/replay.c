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

/* Behind a value. */
static const char *skip(const char *p) {
    int depth = 0;
    do {
        if (*p == '"')
            for (p++; *p != '"'; p++) p += *p == '\\';
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    } while (depth > 0 || (*p && !strchr(",}]\n", *p)));
    return p;
}

const char *find(const char *object, const char *name) {
    for (const char *p = object + 1; *p == '"';) {
        const char *end = strchr(p + 1, '"');
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

int main(int count, char **arguments) {
    bool prints = count == 3 && !strcmp(arguments[1], "--print");
    FILE *in = count > 1 ? fopen(arguments[count - 1], "r") : 0;
    if (!in) return fprintf(stderr, "replay [--print] FILE: a file of raddle vectors\n"), 2;
    const struct raddle_scheme *scheme = 0;
    const struct machine *machine = 0;
    char *line = 0, *head = 0, answer[128];
    size_t size = 0, steps = 0, replayed = 0, number = 0;
    for (; getline(&line, &size, in) > 0; number++) {
        if (find(line, "family")) {
            free(head);
            head = strdup(line);
            const char *family = find(head, "family"), *name = find(head, "scheme");
            for (scheme = raddle_schemes; scheme->name; scheme++)
                if (is(family, scheme->family) && is(name, scheme->name)) break;
            for (machine = machines; machine->scheme; machine++)
                if (is(family, machine->family) && is(name, machine->scheme)) break;
            if (!scheme->name) return fprintf(stderr, "line %zu: not in the header\n", number + 1), 1;
            continue;
        }
        uint64_t draws[64] = {0};
        const char *p = find(line, "draws") + 1;
        for (size_t i = 0; i < 64 && *p != ']'; p = skip(p), p += *p == ',') draws[i++] = strtoull(p, 0, 10);
        char *state = calloc(1, scheme->state->size), *after = calloc(1, scheme->state->size);
        take(scheme->state, find(line, "state"), state);
        take(scheme->state, find(line, "new_state"), after);
        steps++;
        if (prints) printf("%s\n%s\n", text(scheme->state, state), text(scheme->state, after));
        if (prints || !machine->scheme) continue;
        struct event event = {find(line, "event"), find(head, "constants"),
                              strtoull(find(line, "now_ps"), 0, 10), draws};
        machine->step(state, &event, answer);
        const char *expected = find(line, "answer");
        if (strcmp(text(scheme->state, state), text(scheme->state, after)) ||
            strlen(answer) != (size_t)(skip(expected) - expected) || strncmp(answer, expected, strlen(answer)))
            return fprintf(stderr, "line %zu: state %s, answer %s\n", number + 1, text(scheme->state, state), answer), 1;
        replayed++;
    }
    if (!prints) printf("%zu steps read, %zu replayed: no difference\n", steps, replayed);
    return 0;
}
