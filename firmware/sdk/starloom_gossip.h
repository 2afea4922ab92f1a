/* Gossip on a crossbar: in each session every processor sends its message to all others.
 *
 * V. De Florio and C. Blondia, "The Algorithm of Pipelined Gossiping", section 3: processor i
 * (A) receives i messages, (B) sends its own to the N others in the order of its ROM, (C)
 * receives the other N - i. Then the next session starts. The firmware only requests outputs
 * and listens; the ports of the crossbar decide who waits.
 *
 * Processors enter stage B in ascending order of their ids, whatever the orders are: at the
 * end of stage A, processor i has received the messages of 0 to i-1.
 *
 * A program provides the messages and uses the received ones:
 *
 *     #include "starloom_gossip.h"
 *     typedef struct { sl_gossip gossip; ... } state_t;
 *     static void on_start(sl_nic *nic, state_t *s) { sl_gossip_start(nic); }
 *     static void on_slot(sl_nic *nic, state_t *s) {
 *         for (const sl_frame *frame; (frame = sl_gossip_receive(nic, &s->gossip));) {...}
 *         for (;;) switch (sl_gossip_next(nic, &s->gossip, scheduling)) {
 *             case SL_GOSSIP_READY: ...                 // stage A has ended
 *             case SL_GOSSIP_SEND: sl_gossip_send(...)  // without it stage B does not advance
 *             case SL_GOSSIP_END: ...                   // the session has ended
 *             case SL_GOSSIP_WAIT: return;
 *         }
 *     } */
#ifndef STARLOOM_GOSSIP_H
#define STARLOOM_GOSSIP_H

#define STARLOOM_TX_STATUS
#define STARLOOM_TAGS
#define STARLOOM_REQUESTS
#include "starloom.h"

/* The stages of a session, and its end. */
enum { SL_GOSSIP_A, SL_GOSSIP_B, SL_GOSSIP_C, SL_GOSSIP_ENDED };
typedef struct {
    uint32_t session; /* the current session of this processor */
    uint32_t stage;
    uint32_t received, sent; /* messages of this session received, and passed to the NIC */
} sl_gossip;

/* The next action of the program. */
enum { SL_GOSSIP_WAIT, SL_GOSSIP_READY, SL_GOSSIP_SEND, SL_GOSSIP_END };

/* Values of scheduling. ONE: a request for one addressee at a time. ALGORITHM_2: for all remaining addressees, first the one
 * under the cursor. ALGORITHM_2_STAR (2'): for all remaining addressees in their order. */
enum { SL_GOSSIP_ONE = 0, SL_GOSSIP_ALGORITHM_2 = 2, SL_GOSSIP_ALGORITHM_2_STAR = 3 };

SL_INLINE void sl_gossip_start(sl_nic *nic) {
    sl_accept(nic, 0);
    sl_listen(nic, 0);
}

/* Takes the next message of this session, 0 for none. */
SL_INLINE const sl_frame *sl_gossip_receive(sl_nic *nic, sl_gossip *g) {
    const sl_frame *frame = sl_receive(nic);
    if (frame) g->received++;
    return frame;
}

/* Advances to the program's next action. SL_GOSSIP_WAIT means that there is none in this slot.
 * */
SL_INLINE uint32_t sl_gossip_next(sl_nic *nic, sl_gossip *g, int32_t scheduling) {
    const uint32_t others = sl_processors(nic) - 1, sessions = sl_workload(nic);
    if (g->stage == SL_GOSSIP_ENDED && g->session < sessions) {
        g->stage = SL_GOSSIP_A;
        g->received = 0;
        if (++g->session < sessions) {
            sl_accept(nic, g->session);
        } else {
            sl_listen(nic, SL_PORT_NONE);
            sl_done(nic);
        }
    }
    if (g->stage == SL_GOSSIP_A && g->session < sessions && g->received == sl_self(nic)) {
        g->stage = SL_GOSSIP_B;
        g->sent = 0;
        sl_listen(nic, SL_PORT_NONE);
        if (scheduling) sl_set_all_valid(nic);
        return SL_GOSSIP_READY;
    }
    if (g->stage == SL_GOSSIP_B && !sl_tx_head(nic)) {
        if (g->sent < others) return SL_GOSSIP_SEND;
        g->stage = SL_GOSSIP_C;
        sl_listen(nic, 0);
    }
    if (g->stage == SL_GOSSIP_C && g->received == others) {
        g->stage = SL_GOSSIP_ENDED;
        return SL_GOSSIP_END;
    }
    sl_sleep(nic, SL_LONG); /* until a frame is received or sent */
    return SL_GOSSIP_WAIT;
}

/* The addressee of the next message, SL_LISTED for a request by list. */
SL_INLINE uint32_t sl_gossip_to(const sl_nic *nic, const sl_gossip *g, int32_t scheduling) {
    return scheduling ? SL_LISTED : sl_rom(nic, g->sent);
}

/* Sends the next message: a packet, followed by the given number of bytes. Returns the address of these bytes. */
SL_INLINE uint8_t *sl_gossip_send(sl_nic *nic, sl_gossip *g, int32_t scheduling, uint32_t bytes) {
    const uint32_t to = sl_gossip_to(nic, g, scheduling);
    if (scheduling == SL_GOSSIP_ALGORITHM_2) sl_first_choice(nic, g->sent);
    sl_frame *frame = sl_send(nic, 0, SL_KIND_DATA, to, sizeof(sl_packet) + bytes);
    frame->tag = (uint16_t)g->session;
    *(sl_packet *)frame->payload = (sl_packet){sl_self(nic), scheduling ? SL_ANY : to};
    g->sent++;
    return frame->payload + sizeof(sl_packet);
}
#endif
