// Firmware in C++: the handlers have names that the header must not use for its own.
#include "starloom_pops.h"
struct State { uint32_t heard; };
STARLOOM_PARAMS("word=42")
STARLOOM_PROBES("word")
static void start(sl_nic *nic, State *) { sl_listen(nic, 0); }
static void slot(sl_nic *nic, State *s) {
    if (sl_slot(nic) == 0 && sl_self(nic) == 0) {
        sl_frame *frame = sl_send(nic, SL_PORT_ALL, SL_KIND_DATA, SL_ANY, 4);
        *(uint32_t *)frame->payload = (uint32_t)sl_param(nic, 0) + sl_groups(nic);
    }
    if (const sl_frame *frame = sl_receive(nic)) {
        s->heard = *(const uint32_t *)frame->payload;
        sl_probe(nic, 0, s->heard);
        if (s->heard == 0) sl_fail(nic, 1);
        sl_done(nic);
    }
}
STARLOOM_FIRMWARE(State, start, slot)
