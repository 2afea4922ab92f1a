/* Traffic of the suite's own, for every discipline: sends, listens, withdraws, takes and sleeps at
 * random, more than media carry and FIFOs hold. All that a processor is told goes into what it
 * sends, and at the end into its result: two runs that differ anywhere have different digests. */
#define STARLOOM_TX_STATUS
#define STARLOOM_STATE_BYTES ((uint32_t)bank->param[4])
#ifdef OWN_PORTS
#include "starloom_netlist.h"
#else
#include "starloom.h"
#endif

/* slots: in which it sends.
 * idle: it sends in one slot of so many, and in every eighth.
 * all_ports: the NIC sends and hears at all ports at once; to_all: a frame may go to all of them.
 * state_bytes: of each processor, not used: the larger, the smaller are the host's windows.
 * illegal: a third of the processors do something illegal once, this and the like; 0: nobody. */
STARLOOM_PARAMS("slots=30", "idle=1", "all_ports=1", "to_all=1", "state_bytes=0", "illegal=0")

#ifdef PORTS_OF /* where processors have ports of their own, how many each has */
static const uint8_t ports_of[] = PORTS_OF;
#define PORTS(nic) ports_of[sl_self(nic)]
#ifdef SENDS_OF /* and which of them send, of the first 64 */
static const uint64_t sends_of[] = SENDS_OF;
#define SENDS(nic, p) ((p) < 64 && sends_of[sl_self(nic)] >> (p) & 1)
#endif
#elif defined OWN_PORTS /* the ROM says */
#define PORTS(nic) sl_own_ports(nic)
#define SENDS(nic, p) (sl_sends_to(nic, p) != SL_NOWHERE)
#else
#define PORTS(nic) sl_ports(nic)
#endif

typedef struct {
    uint32_t sum, sent;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void tell(state_t *s, uint32_t word) { s->sum = 33 * s->sum + word; }

/* What NIC and frames say. */
static void told(sl_nic *nic, state_t *s, uint32_t take) {
    for (uint32_t lane = 0; lane < nic->bank.lanes; lane++) {
        tell(s, sl_status_of(nic, lane) + 5 * sl_tx_status_of(nic, lane) + 31 * sl_served_of(nic, lane));
        const sl_frame *head = sl_tx_head(nic);
        if (head && sl_tx_status_of(nic, lane) == SL_TX_BLOCKED && sl_random_below(nic, 4) == 0)
            sl_withdraw_from(nic, sl_param(nic, 2) ? lane : head->port);
    }
    for (const sl_frame *frame; take-- && (frame = sl_receive(nic));) {
        tell(s, frame->kind + 7u * frame->port + 11u * frame->tag);
        tell(s, frame->source + 17 * frame->destination + frame->payload_bytes);
        for (uint32_t i = 0; i < frame->payload_bytes; i++) tell(s, frame->payload[i]);
    }
}

static void send(sl_nic *nic, state_t *s) {
    uint32_t port = sl_random_below(nic, PORTS(nic) + (sl_param(nic, 3) != 0)), to = sl_random_below(nic, sl_processors(nic));
    if (port == PORTS(nic)) port = SL_PORT_ALL;
#ifdef SENDS /* some only hear */
    uint32_t sends = 0;
    for (uint32_t p = 0; p < PORTS(nic); p++) sends += (port == p || port == SL_PORT_ALL) && SENDS(nic, p);
    if (!sends) return;
#endif
    switch (sl_random_below(nic, 4)) {
    case 0: sl_send_ack(nic, port, to); break;
    case 1: sl_send_packet(nic, port, to, (sl_packet){s->sum % sl_processors(nic), to}); break;
    default: {
        sl_frame *frame = sl_send(nic, port, SL_KIND_CONTROL, to, 1 + sl_random_below(nic, nic->bank.payload_bytes));
        frame->tag = (uint16_t)s->sent++;
        for (uint32_t i = 0; i < frame->payload_bytes; i++) frame->payload[i] = (uint8_t)(s->sum >> i % 4 * 8);
    }
    }
}

static void listen(sl_nic *nic) {
    uint32_t ports = PORTS(nic), all = sl_param(nic, 2) ? 4 : 0, hear = sl_random_below(nic, 2 * ports + 1 + all);
    sl_listen(nic, hear < 2 * ports ? hear / 2 : hear == 2 * ports ? SL_PORT_NONE : SL_PORT_ALL);
}

/* What no NIC does. Firmware goes on as if nothing had happened: the host takes it off the fabric. */
static void act(sl_nic *nic, uint32_t kind) {
    while (sl_tx_head(nic)) sl_withdraw(nic);
    switch (kind % 6) {
    case 0: sl_send(nic, PORTS(nic), SL_KIND_CONTROL, 0, 0); break;
    case 1: sl_send(nic, 0, SL_KIND_CONTROL, 0, nic->bank.payload_bytes + 1); break;
    case 2: sl_send(nic, 0, 7, 0, 0); break;
    case 3: sl_listen(nic, PORTS(nic)); break;
    case 4: nic->registers->tx_count = (uint8_t)(nic->bank.tx_frames + 1); break;
    default: nic->registers->rx_count = (uint8_t)(nic->bank.rx_frames + 1);
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t slot = sl_slot(nic), self = sl_self(nic), illegal = (uint32_t)sl_param(nic, 5);
    if (illegal && self % 3 == 1 && slot == 4 + self % 5) {
        act(nic, illegal - 1 + self / 3);
        return;
    }
    if (slot >= (uint32_t)sl_param(nic, 0)) { /* the FIFOs become empty */
        told(nic, s, ~0u);
        sl_result(nic, 0, s->sum);
        sl_done(nic);
        return;
    }
    told(nic, s, sl_random_below(nic, 4));
    if (PORTS(nic) == 0) return;
    uint32_t frames = 0;
    if (slot % 8 == 0 || sl_random_below(nic, (uint32_t)sl_param(nic, 1)) == 0) frames = 1 + sl_random_below(nic, 1 + nic->bank.lanes);
    while (frames--) send(nic, s);
    if (sl_random_below(nic, 3)) listen(nic);
    if (sl_random_below(nic, 6) == 0) sl_sleep(nic, 1 + sl_random_below(nic, 4));
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
