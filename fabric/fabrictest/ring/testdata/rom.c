/* The router of router.c, which knows where a packet goes from ROMs alone: the machine's
 * gives each processor a label, a processor's says how far each label is. */
#define STARLOOM_ROM
#include "starloom.h"

typedef struct {
    uint32_t unused;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_rom_words(nic) != sl_processors(nic) || sl_machine_rom_words(nic) != sl_processors(nic)) sl_fail(nic, 1);
    sl_listen(nic, 0);
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    sl_packet packet = {sl_self(nic), sl_workload(nic)};
    const sl_frame *frame = sl_receive(nic);
    (void)s;
    if (frame)
        packet = *sl_packet_of(frame);
    else if (sl_slot(nic) > 0)
        return;
    uint32_t hops = sl_rom(nic, sl_machine_rom(nic, packet.destination));
    if (frame && frame->tag != hops % sl_processors(nic)) sl_fail(nic, 2);
    if (frame && hops == 0) {
        sl_hold(nic, 0);
        sl_done(nic);
        return;
    }
    if (hops == 0) hops = sl_processors(nic); /* to itself: once round */
    sl_frame *next = sl_send(nic, 1, SL_KIND_DATA, packet.destination, sizeof packet);
    next->tag = (uint16_t)(hops - 1);
    *(sl_packet *)next->payload = packet;
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
