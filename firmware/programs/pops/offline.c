/* pops/offline: routes a permutation known in advance: the schedule tells every
 * processor what to send, where, and whom to hear, in 1 slot for d = 1, otherwise
 * 2 ceil(d/g) slots.
 *
 * A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
 * Passive Star Networks", off-line routing by edge colouring. The schedule is a
 * table provided to the firmware, one word per slot, as a ROM would do. */
#define STARLOOM_SCHEDULE
#include "starloom_pops.h"

typedef struct {
    sl_packet held;   /* somebody's packet between its two hops */
    uint32_t actions; /* what to do with what this slot brings */
    uint8_t own;      /* the packet that starts here is still here */
    uint8_t holds;
    uint8_t arrived;
    uint8_t unused;
} state_t;
_Static_assert(sizeof(state_t) == 16, "record layout");

static void on_start(sl_nic *nic, state_t *s) {
    s->own = 1;
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_schedule word = sl_scheduled(nic);
    const sl_frame *heard = sl_receive(nic);
    if (heard && (s->actions & SL_ACTION_FINAL)) {
        s->arrived = 1;
        sl_done(nic);
    } else if (heard) {
        s->held = *sl_packet_of(heard);
        s->holds = 1;
    }
    s->actions = word.actions;
    sl_hold(nic, s->own + s->holds + s->arrived); /* with what this slot takes */

    if (word.send_port != SL_PORT_NONE) {
        if (word.actions & SL_ACTION_OWN) { /* the only hop for d = 1, the first of two otherwise */
            const sl_packet packet = {sl_self(nic), sl_workload(nic)};
            sl_send_packet(nic, word.send_port, sl_group_size(nic) == 1 ? packet.destination : SL_ANY, packet);
            s->own = 0;
        } else if (s->holds) {
            sl_send_packet(nic, word.send_port, s->held.destination, s->held);
            s->holds = 0;
        }
    }
    sl_listen(nic, word.listen_port);
    if (sl_idles(word)) sl_sleep(nic, SL_LONG); /* until the word changes */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
