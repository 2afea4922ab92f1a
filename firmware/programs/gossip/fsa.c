/* gossip/fsa: the automaton of permutation-driven gossiping on a crossbar.
 *
 * V. De Florio and C. Blondia, "The Algorithm of Pipelined Gossiping", section 3: processor i
 * (A) receives i messages, (B) sends its own to the N others in the order of its ROM, (C)
 * receives the other N - i. Then the next session starts. The firmware only says what it
 * asks for and that it listens; who waits is decided by the ports of the crossbar.
 *
 * scheduling: 0 asks for one addressee at a time; 2 (Algorithm 2) for all that are left, the
 * one under the cursor first; 3 (Algorithm 2') for all that are left, in the order. */
#define STARLOOM_TX_STATUS
#define STARLOOM_TAGS
#define STARLOOM_REQUESTS
#include "starloom.h"

STARLOOM_PARAMS("scheduling=0")
enum { SCHEDULING };

enum { A, B, C };
typedef struct {
    uint32_t session; /* the one that this processor takes part in */
    uint32_t stage;
    uint32_t received, sent; /* messages of this session */
} state_t;

/* Asks for the next addressee. */
SL_INLINE void ask(sl_nic *nic, const state_t *s) {
    const int32_t scheduling = sl_param(nic, SCHEDULING);
    const uint32_t to = scheduling ? SL_LISTED : sl_rom(nic, s->sent);
    if (scheduling == 2) sl_first_choice(nic, s->sent);
    sl_frame *frame = sl_send(nic, 0, SL_KIND_DATA, to, sizeof(sl_packet));
    frame->tag = (uint16_t)s->session;
    *(sl_packet *)frame->payload = (sl_packet){sl_self(nic), scheduling ? SL_ANY : to};
}

/* Enters the stage that is due, with what it wants of the network. */
SL_INLINE void go_on(sl_nic *nic, state_t *s) {
    const uint32_t others = sl_processors(nic) - 1;
    for (;;) {
        if (s->stage == A && s->received == sl_self(nic)) {
            s->stage = B;
            s->sent = 0;
            sl_listen(nic, SL_PORT_NONE);
            if (sl_param(nic, SCHEDULING)) sl_set_all_valid(nic);
        }
        if (s->stage == B) {
            if (s->sent < others) {
                if (!sl_tx_head(nic)) ask(nic, s);
                return;
            }
            s->stage = C;
            sl_listen(nic, 0);
        }
        if (s->stage != C || s->received < others) return;
        s->stage = A;
        s->received = 0;
        if (++s->session == sl_workload(nic)) break;
        sl_accept(nic, s->session);
    }
    sl_listen(nic, SL_PORT_NONE);
    sl_done(nic);
}

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_accept(nic, 0);
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) s->received++;
    if (sl_tx_status(nic) == SL_TX_SENT) s->sent++;
    if (s->session < sl_workload(nic)) go_on(nic, s);
    sl_sleep(nic, SL_LONG); /* until something was received or sent */
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
