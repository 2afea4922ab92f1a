/* pops/sort: deterministic on-line routing by sorting the packets by destination
 * with Batcher's odd-even merge-exchange, for any number of processors.
 *
 * A comparator [i:j] is an exchange of the two packets, routed off-line, after
 * which i keeps the smaller and j the larger destination. The stages are a
 * function of the sizes alone, so their schedule is a read-only table, one word
 * per slot (A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned
 * Optical Passive Star Networks", deterministic routing). */
#define STARLOOM_SCHEDULE
#include "starloom_pops.h"

typedef struct {
    sl_packet own;    /* the packet that is here now */
    sl_packet other;  /* the partner's packet, once it is here */
    sl_packet held;   /* somebody's packet between its two hops */
    uint32_t actions; /* what to do with what this slot brings */
    uint8_t has_other;
    uint8_t holds;
    uint8_t finished;
    uint8_t unused;
} state_t;
_Static_assert(sizeof(state_t) == 32, "record layout");

static void on_start(sl_nic *nic, state_t *s) {
    s->own = (sl_packet){sl_self(nic), sl_workload(nic)};
    sl_hold(nic, 1);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_schedule word = sl_scheduled(nic);
    const sl_frame *heard = sl_receive(nic);
    if (heard && (s->actions & SL_ACTION_FINAL)) {
        s->other = *sl_packet_of(heard);
        s->has_other = 1;
    } else if (heard) {
        s->held = *sl_packet_of(heard);
        s->holds = 1;
    }
    sl_hold(nic, 1 + s->has_other + s->holds); /* with what a comparator drops now and this slot takes */
    const int keeps = (s->actions & (SL_ACTION_KEEP_MIN | SL_ACTION_KEEP_MAX)) && s->has_other;
    if (keeps) {
        const int smaller = s->other.destination < s->own.destination;
        if (smaller == !(s->actions & SL_ACTION_KEEP_MAX)) s->own = s->other;
        s->has_other = 0;
    }
    s->actions = word.actions;

    if (word.send_port != SL_PORT_NONE) {
        if (word.actions & SL_ACTION_OWN) {
            sl_send_packet(nic, word.send_port, SL_ANY, s->own); /* a copy: the comparator decides later */
        } else if (s->holds) {
            sl_send_packet(nic, word.send_port, SL_ANY, s->held);
            s->holds = 0;
        }
    }
    sl_listen(nic, word.listen_port);
    if (sl_idles(word) && !keeps) sl_sleep(nic, SL_LONG); /* until the word changes */
    if ((word.actions & SL_ACTION_END) && !s->finished) {
        s->finished = 1;
        sl_deliver(nic, s->own);
        sl_done(nic);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
