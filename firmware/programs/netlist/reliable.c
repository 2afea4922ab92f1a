/* netlist/reliable: carries a message from each processor to its destination, on a netlist that loses frames.
 *
 * A message has several pieces, which are numbered. The origin sends a piece on the way to the destination, and sends
 * it again every `timeout` slots until it is acknowledged; then the next piece follows. The destination takes a piece
 * only if its number is the next one, so no piece is taken twice, and acknowledges the number of pieces that it has.
 *
 * Processors between origin and destination forward frames, the oldest for a port first, when the port may send: see
 * sl_may_send in starloom_netlist.h. A newer frame of a message takes the place of an older one that waits. So a short
 * timeout delays no frame, queues never overflow, and the program is right for any losses that end.
 *
 * The destination of a frame is the next processor on its way; other listeners of a star ignore it. The workload's
 * word is the destination of the message.
 *
 * pieces: of a message. timeout: slots until a piece is sent again; 0 for two per processor. */
#define STARLOOM_STATE_BYTES ((uint32_t)(bank->processors * 2 * sizeof(piece_t)))
#define STARLOOM_TX_STATUS
#include "starloom_netlist.h"

STARLOOM_PARAMS("pieces=4", "timeout=0")
enum { PIECES, TIMEOUT };
STARLOOM_PROBES("sent", "received")
STARLOOM_RESULTS("wrong")

/* The payload of a frame. An acknowledgement returns from destination to origin. */
typedef struct {
    uint32_t origin, destination;
    uint32_t number; /* of a piece, from 0; of an acknowledgement: pieces that have arrived */
    uint32_t ack;    /* 1 for an acknowledgement */
} piece_t;

typedef struct {
    uint32_t sent;     /* pieces of the own message that have been acknowledged */
    uint32_t timer;    /* slots until the next piece is sent, or sent again */
    uint32_t received; /* pieces of the message for this processor */
    uint32_t wrong;    /* pieces that the application did not expect */
    uint32_t count;    /* frames that wait here */
    piece_t waits[];   /* the oldest first: at most two of each message */
} state_t;

static uint32_t pieces(const sl_nic *nic) { return (uint32_t)sl_param(nic, PIECES); }

/* The processor that a frame is for. */
static uint32_t home_of(piece_t p) { return p.ack ? p.origin : p.destination; }

static void on_start(sl_nic *nic, state_t *s) {
    sl_hear_rounds(nic);
    if (sl_workload(nic) == sl_self(nic)) { /* a message to itself needs no network */
        s->sent = s->received = pieces(nic);
        sl_deliver(nic, (sl_packet){sl_self(nic), sl_self(nic)});
    }
}

/* Queues a frame, in place of an older one of the same message. */
static void enqueue(sl_nic *nic, state_t *s, piece_t p) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->waits[i].origin == p.origin && s->waits[i].ack == p.ack) {
            s->waits[i] = p;
            return;
        }
    if (s->count < 2 * sl_processors(nic)) s->waits[s->count++] = p;
}

/* The application: it gets each piece once, in order, and the message with its last piece. */
static void accept(sl_nic *nic, state_t *s, piece_t p) {
    s->wrong += p.number != s->received;
    s->received++;
    if (s->received == pieces(nic)) sl_deliver(nic, (sl_packet){p.origin, p.destination});
}

/* Takes a piece that is new, and acknowledges all that have come, since an acknowledgement may be lost. */
static void take_piece(sl_nic *nic, state_t *s, piece_t p) {
    if (p.number == s->received && s->received < pieces(nic)) accept(nic, s, p);
    enqueue(nic, s, (piece_t){p.origin, p.destination, s->received, 1});
}

static void take_ack(state_t *s, piece_t p) {
    if (p.number <= s->sent) return; /* an old one */
    s->sent = p.number;
    s->timer = 0;
}

/* Takes a frame for this processor, or queues it for its way. */
static void take_in(sl_nic *nic, state_t *s, const sl_frame *frame) {
    const piece_t p = *(const piece_t *)frame->payload;
    const uint32_t n = sl_processors(nic);
    if (frame->destination != sl_self(nic) || frame->payload_bytes < sizeof p) return;
    if (p.origin >= n || p.destination >= n || p.ack > 1) return;
    if (home_of(p) != sl_self(nic))
        enqueue(nic, s, p);
    else if (p.ack)
        take_ack(s, p);
    else
        take_piece(nic, s, p);
}

/* Queues the own next piece when its time has come. */
static void repeat(sl_nic *nic, state_t *s) {
    if (s->timer > 0) s->timer--;
    if (s->sent >= pieces(nic) || s->timer > 0) return;
    s->timer = sl_param(nic, TIMEOUT) > 0 ? (uint32_t)sl_param(nic, TIMEOUT) : 2 * sl_processors(nic);
    enqueue(nic, s, (piece_t){sl_self(nic), sl_workload(nic), s->sent, 0});
}

/* Sends the oldest frame for each port that may send. */
static void send_all(sl_nic *nic, state_t *s) {
    uint64_t busy[2] = {0, 0}; /* ports that have a frame in this slot: one, where a NIC has more than 72 */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const piece_t p = s->waits[i];
        const uint32_t way = sl_way(nic, home_of(p)), port = way >> 16;
        if (way == SL_NOWHERE || port >= sl_own_ports(nic)) sl_fail(nic, 2);
        if (!sl_may_send(nic, port) || busy[port >> 6 & 1] >> (port & 63) & 1) {
            s->waits[kept++] = p;
            continue;
        }
        busy[port >> 6 & 1] |= (uint64_t)1 << (port & 63);
        sl_frame *frame = sl_send(nic, port, p.ack ? SL_KIND_ACK : SL_KIND_CONTROL, way & 0xffff, sizeof p);
        *(piece_t *)frame->payload = p;
    }
    s->count = kept;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    while ((frame = sl_receive(nic))) take_in(nic, s, frame);
    repeat(nic, s);
    send_all(nic, s);
    sl_result(nic, 0, s->wrong);
    if (s->sent >= pieces(nic) && s->received >= pieces(nic)) sl_done(nic);
    sl_probe(nic, 0, s->sent);
    sl_probe(nic, 1, s->received);
    if (sl_hears_one(nic)) sl_hear_rounds(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
