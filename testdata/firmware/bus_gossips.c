/* Gossip by the schedule of a bus network. how: 0 as it should be; 1 vertex 4 has the item of
 * vertex 7 from the start; 2 vertex 0 forgets what it receives; 3 vertex 3 listens to another port
 * when it sends to its first or second; 4 vertex 3 sends its items in a data frame, and 5 in one
 * that is a byte too long; 6 everybody delivers what it knows and vertex 0 has another leader, and 7 vertex 2, in slot 2, the item of a
 * vertex that it does not know. */
#define STARLOOM_SCHEDULE
#define STARLOOM_STATE_BYTES ((bank->processors + 7) / 8)
#include "starloom_bus.h"

STARLOOM_PARAMS("how=0")
STARLOOM_RESULTS("leader")
enum { RIGHT, CREATES, FORGETS, LISTENS, SENDS_DATA, SENDS_MORE, DELIVERS, LIES };

typedef struct {
    uint64_t unused;
    uint8_t known[];
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    s->known[sl_self(nic) / 8] = (uint8_t)(1 << sl_self(nic) % 8);
    if (sl_param(nic, 0) == CREATES && sl_self(nic) == 4) s->known[0] |= 1 << 7;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t bytes = (sl_processors(nic) + 7) / 8;
    const sl_frame *heard = sl_receive(nic);
    if (heard && !(sl_param(nic, 0) == FORGETS && sl_self(nic) == 0))
        for (uint32_t k = 0; k < bytes; k++) s->known[k] |= heard->payload[k];
    for (uint32_t item = 0; item < sl_processors(nic); item++) {
        const int knows = s->known[item / 8] >> item % 8 & 1;
        if (sl_param(nic, 0) == DELIVERS && knows) sl_deliver(nic, (sl_packet){item, sl_self(nic)});
        if (sl_param(nic, 0) != LIES || sl_self(nic) != 2 || sl_slot(nic) != 2 || knows) continue;
        sl_deliver(nic, (sl_packet){item, sl_self(nic)});
        break;
    }
    sl_bus_schedule now = sl_bus_scheduled(nic);
    if (now.send_port != SL_PORT_NONE) {
        const int32_t how = sl_self(nic) == 3 ? sl_param(nic, 0) : RIGHT;
        sl_frame *frame = sl_send(nic, now.send_port, how == SENDS_DATA ? SL_KIND_DATA : SL_KIND_CONTROL, SL_ANY, bytes + (how == SENDS_MORE));
        for (uint32_t k = 0; k < bytes; k++) frame->payload[k] = s->known[k];
        if (how == LISTENS) now.listen_port = now.send_port ^ 1;
    }
    sl_listen(nic, now.listen_port);
    sl_result(nic, 0, sl_param(nic, 0) == DELIVERS && sl_self(nic) == 0 ? 2 : 1);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
