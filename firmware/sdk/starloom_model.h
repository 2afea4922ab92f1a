/* A model of your own beside RTL: `starloom cosim build model.c`, and `model: {image: model.wasm}` in a pin map.
 *
 *     #include "starloom_model.h"
 *
 *     SL_IN(8, data_i)
 *     SL_OUT(8, data_o)
 *     static uint64_t held;
 *
 *     void reset(void) { held = 0; }        // a clock edge with reset on
 *     void settle(void) { data_o = held; }  // outputs of this cycle, from inputs and state; changes nothing else
 *     void edge(void) { held = data_i; }    // a clock edge
 *
 * A port is a variable of its name. A model without reset and edge is combinational.
 */
#pragma once
#include <stdint.h>

/* A port of 1 to 64 bits. Bits above its width are ignored. */
#define SL_IN(bits, name) SL_PORT_OF(in, bits, name, , &name)
#define SL_OUT(bits, name) SL_PORT_OF(out, bits, name, , &name)

/* A wider port is an array of words, the low word first. */
#define SL_WIDE_IN(bits, name) SL_PORT_OF(in, bits, name, [((bits) + 63) / 64], name)
#define SL_WIDE_OUT(bits, name) SL_PORT_OF(out, bits, name, [((bits) + 63) / 64], name)

/* An output of 1 to 64 bits that the RTL chooses. follow() finds the value of the RTL in the variable, and replaces it
 * if it is not allowed; settle() leaves the variable unchanged. */
#define SL_LEFT(bits, name) SL_PORT_OF(left, bits, name, , &name)

#define SL_PORT_OF(kind, bits, name, words, address) \
    static uint64_t name words; \
    _Static_assert(sizeof name * 8 >= (bits), #name " has more than 64 bits: use SL_WIDE_IN or SL_WIDE_OUT"); \
    SL_EXPORT_AS(#kind " " #bits " " #name) uint64_t *sl_port_##name(void) { return address; }

#ifdef __cplusplus
#define SL_EXPORT_AS(name) extern "C" __attribute__((export_name(name)))
#else
#define SL_EXPORT_AS(name) __attribute__((export_name(name)))
#endif

SL_EXPORT_AS("reset") void reset(void);
SL_EXPORT_AS("settle") void settle(void);
SL_EXPORT_AS("edge") void edge(void);
SL_EXPORT_AS("follow") void follow(void);
