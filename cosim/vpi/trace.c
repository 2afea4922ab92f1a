/* Writes all scopes of a module, and their nets, registers and words of memories, to the
 * descriptor TRACE_FD, as a VCD. The times are the arguments of trace_dump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

enum { TRACE_FD = 4, CODE_BYTES = 8 };

struct signal {
    vpiHandle handle;
    int real;
    char code[CODE_BYTES];
    char *last; /* last written value; NULL: none */
};

static FILE *out;
static struct signal *signals;
static size_t signal_count;

static void fail(void)
{
    fprintf(stderr, "cosim: no memory for what is inside of the module\n");
    abort();
}

/* Identifier codes are numbers whose digits are printable characters, low digit first. */
static void number(char *code, size_t n)
{
    for (n++; n > 0; n = (n - 1) / 94)
        *code++ = (char)('!' + (n - 1) % 94);
    *code = 0;
}

static void add(vpiHandle handle, const char *kind, const char *name)
{
    if ((signal_count & (signal_count - 1)) == 0) {
        signals = realloc(signals, (signal_count ? 2 * signal_count : 1) * sizeof *signals);
        if (!signals)
            fail();
    }
    struct signal *s = &signals[signal_count];
    *s = (struct signal){.handle = handle, .real = strcmp(kind, "real") == 0};
    number(s->code, signal_count++);
    fprintf(out, "$var %s %d %s %s $end\n", kind, s->real ? 64 : vpi_get(vpiSize, handle), s->code, name);
}

static void add_words(vpiHandle memory, PLI_INT32 kind, const char *variable)
{
    char base[1024], name[1100];
    vpiHandle words = vpi_iterate(kind, memory), word;

    snprintf(base, sizeof base, "%s", vpi_get_str(vpiName, memory));
    while (words && (word = vpi_scan(words))) {
        const char *given = vpi_get_str(vpiName, word), *index = given ? strrchr(given, '[') : NULL;
        snprintf(name, sizeof name, "%s%s", base, index ? index : "");
        add(word, variable, name);
    }
}

static const struct { PLI_INT32 type; const char *variable; } kinds[] = {
    {vpiNet, "wire"}, {vpiReg, "reg"}, {vpiVariables, "integer"},
};

static void add_scope(vpiHandle scope)
{
    vpiHandle all, one;

    fprintf(out, "$scope module %s $end\n", vpi_get_str(vpiName, scope));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        all = vpi_iterate(kinds[i].type, scope);
        while (all && (one = vpi_scan(all))) {
            char name[1024];
            PLI_INT32 type = vpi_get(vpiType, one);
            snprintf(name, sizeof name, "%s", vpi_get_str(vpiName, one));
            if (strncmp(name, "_ivl_", 5) == 0)
                continue;
            if (type == vpiRealVar)
                add(one, "real", name);
            else if (type != vpiNamedEvent && vpi_get(vpiSize, one) > 0)
                add(one, kinds[i].variable, name);
        }
    }
    all = vpi_iterate(vpiMemory, scope);
    while (all && (one = vpi_scan(all)))
        add_words(one, vpiMemoryWord, "reg");
    all = vpi_iterate(vpiNetArray, scope);
    while (all && (one = vpi_scan(all)))
        add_words(one, vpiNet, "wire");
    all = vpi_iterate(vpiInternalScope, scope);
    while (all && (one = vpi_scan(all))) {
        PLI_INT32 type = vpi_get(vpiType, one);
        if (type != vpiFunction && type != vpiTask)
            add_scope(one);
    }
    fprintf(out, "$upscope $end\n");
}

void trace_begin(vpiHandle top)
{
    out = fdopen(TRACE_FD, "w");
    if (!out)
        return;
    fprintf(out, "$timescale 1 ns $end\n");
    add_scope(top);
    fprintf(out, "$enddefinitions $end\n");
}

/* A vector in a VCD omits leading zeros; readers extend it. */
static const char *shortened(const char *bits)
{
    while (bits[0] == '0' && bits[1])
        bits++;
    return bits;
}

void trace_dump(uint64_t time)
{
    if (!out)
        return;
    fprintf(out, "#%llu\n", (unsigned long long)time);
    for (struct signal *s = signals; s < signals + signal_count; s++) {
        s_vpi_value value = {.format = s->real ? vpiRealVal : vpiBinStrVal};
        char real[40];
        vpi_get_value(s->handle, &value);
        const char *text = value.value.str;
        if (s->real) {
            snprintf(real, sizeof real, "%.16g", value.value.real);
            text = real;
        }
        if (s->last && strcmp(s->last, text) == 0)
            continue;
        free(s->last);
        s->last = strdup(text);
        if (!s->last)
            fail();
        if (s->real)
            fprintf(out, "r%s %s\n", text, s->code);
        else
            fprintf(out, "b%s %s\n", shortened(text), s->code);
    }
    fflush(out); /* the simulator may be killed */
}

void trace_end(void)
{
    if (out)
        fflush(out);
}
