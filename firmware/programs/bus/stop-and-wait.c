/* bus/stop-and-wait: carries a message from each vertex to its destination, on a bus that loses frames.
 *
 * A message has several pieces. The sender sends a piece, and sends it again every `timeout` slots until it is
 * acknowledged; then the next piece follows. The tag of a frame is the alternating bit, the lowest bit of the piece's
 * number. By this bit the receiver knows a piece that it has, and the sender an acknowledgement that it has. One bit is
 * enough, since a bus keeps the order of the frames from one vertex to another.
 *
 * Right for any losses that end. A frame that arrives is never acknowledged late: the receiver owes at most one
 * acknowledgement, that of the last piece. The workload's word is the destination. Each vertex has one tap.
 *
 * pieces: of a message. timeout: slots from the departure of a piece until it is sent again. */
#define STARLOOM_ROM
#include "starloom_bus.h"

STARLOOM_PARAMS("pieces=4", "timeout=8")
enum { PIECES, TIMEOUT };
STARLOOM_PROBES("sent", "received")
STARLOOM_RESULTS("wrong")

typedef struct {
    uint32_t sent;     /* pieces of the own message that have been acknowledged */
    uint32_t timer;    /* slots until the next piece is sent, or sent again */
    uint32_t received; /* pieces of the message for this vertex */
    uint32_t wrong;    /* pieces that the application did not expect */
    uint32_t owes;     /* whether a piece is to be acknowledged */
    uint32_t from;     /* its sender */
    uint32_t bit;      /* its bit */
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    if (sl_taps(nic) != 1) sl_fail(nic, 1);
    sl_listen(nic, 0);
    if (sl_workload(nic) == sl_self(nic)) { /* a message to itself needs no bus */
        s->sent = s->received = (uint32_t)sl_param(nic, PIECES);
        sl_deliver(nic, (sl_packet){sl_self(nic), sl_self(nic)});
    }
}

/* The application: it gets each piece once, in order, and the message with its last piece. */
static void accept(sl_nic *nic, state_t *s, uint32_t piece, uint32_t from) {
    s->wrong += piece != s->received;
    s->received++;
    if (s->received == (uint32_t)sl_param(nic, PIECES)) sl_deliver(nic, (sl_packet){from, sl_self(nic)});
}

/* A piece is new if its bit is that of the next one. Each is acknowledged, since an acknowledgement may be lost. */
static void take_piece(sl_nic *nic, state_t *s, const sl_frame *frame) {
    const uint32_t expected = s->received & 1;
    if (frame->tag == expected && s->received < (uint32_t)sl_param(nic, PIECES))
        accept(nic, s, *(const uint32_t *)frame->payload, frame->source);
    s->owes = 1;
    s->from = frame->source;
    s->bit = frame->tag;
}

/* An acknowledgement with the bit of the piece that waits; others are of the piece before. */
static void take_ack(sl_nic *nic, state_t *s, const sl_frame *frame) {
    if (s->sent == (uint32_t)sl_param(nic, PIECES) || frame->tag != (s->sent & 1)) return;
    s->sent++;
    s->timer = 0;
    (void)nic;
}

static void send_piece(sl_nic *nic, state_t *s) {
    sl_frame *frame = sl_send(nic, 0, SL_KIND_DATA, sl_workload(nic), sizeof(uint32_t));
    frame->tag = (uint16_t)(s->sent & 1);
    *(uint32_t *)frame->payload = s->sent;
    s->timer = (uint32_t)sl_param(nic, TIMEOUT);
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic))) {
        if (frame->destination != sl_self(nic)) continue; /* others are on the bus, too */
        if (frame->kind == SL_KIND_ACK)
            take_ack(nic, s, frame);
        else if (frame->payload_bytes == sizeof(uint32_t))
            take_piece(nic, s, frame);
    }
    const uint32_t pieces = (uint32_t)sl_param(nic, PIECES);
    if (!sl_tx_head(nic)) { /* no frame waits for the bus */
        if (s->timer > 0) s->timer--;
        if (s->owes) {
            sl_send(nic, 0, SL_KIND_ACK, s->from, 0)->tag = (uint16_t)s->bit;
            s->owes = 0;
        } else if (s->sent < pieces && s->timer == 0) {
            send_piece(nic, s);
        }
    }
    sl_result(nic, 0, s->wrong);
    if (s->sent == pieces && s->received >= pieces) sl_done(nic);
    sl_probe(nic, 0, s->sent);
    sl_probe(nic, 1, s->received);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
