/* States of Raddle's machines, as `raddle vectors` writes them. Generated: `raddle vectors --header`.
 *
 * Times are picoseconds, sizes bytes, rates bits per second. A list is a count and that many
 * structures; what may be absent is a list of none or one. A word of several forms is its JSON text. */
#ifndef RADDLE_VECTORS_H
#define RADDLE_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raddle_list {
    size_t count;
    void *items;
};

enum raddle_kind {
    RADDLE_END,
    RADDLE_BOOL,
    RADDLE_U8,
    RADDLE_U16,
    RADDLE_U32,
    RADDLE_U64,
    RADDLE_I8,
    RADDLE_I16,
    RADDLE_I32,
    RADDLE_I64,
    RADDLE_DOUBLE,
    RADDLE_JSON,
    RADDLE_RECORD,
    RADDLE_LIST,
    RADDLE_MAYBE,
};

struct raddle_form;

/* A word of a state: its name, none where a structure is but one word; where it lies; and the form of
 * what a record or a list holds. */
struct raddle_field {
    const char *name;
    size_t offset;
    enum raddle_kind kind;
    const struct raddle_form *of;
};

struct raddle_form {
    size_t size;
    const struct raddle_field *fields;
};

struct raddle_scheme {
    const char *family;
    const char *name;
    const struct raddle_form *state;
};

