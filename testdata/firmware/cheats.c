/* Every processor sends a tag to another one in each slot and hears somebody, on any fabric. In
 * slot 2 the handler of processor 2 lies about its NIC, `how`: 1 sends to a port that there is not,
 * 2 listens to one, 3 releases a frame that it has not, 4 says that it has sent more than fits,
 * 5 delivers a packet of its own that nothing has brought, 6 one of a processor that there is
 * not, 7 one of somebody else's, 8 sends a longer payload than fits, 9 sends no kind of frame. */
#include "starloom.h"

typedef struct {
    uint32_t heard;
} state_t;

STARLOOM_PARAMS("how=0", "all=0", "carry=0")
/* all: hear all ports at once, where the NIC can; carry 1: tell everybody the message of processor 0, and
 * deliver what has come; 2: everybody tells its own one */

static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}

static void cheat(sl_nic *nic, int32_t how) {
    const uint32_t self = sl_self(nic);
    if (how == 1 || how >= 8) nic->registers->tx_count = 0; /* what the NIC would send first */
    switch (how) {
    case 1: sl_send(nic, sl_ports(nic), SL_KIND_DATA, SL_ANY, 4); break;
    case 2: sl_listen(nic, sl_ports(nic) + 3); break;
    case 3:
        while (sl_receive(nic)) {
        }
        starloom_consume(nic);
        nic->taken = 0;
        nic->registers->rx_count--;
        break;
    case 4: nic->registers->tx_count = 255; break;
    case 5: sl_deliver(nic, (sl_packet){sl_processors(nic) - 1 - self, self}); break;
    case 6: sl_deliver(nic, (sl_packet){sl_processors(nic), self}); break;
    case 7: sl_deliver(nic, (sl_packet){self, self}); break;
    case 8: sl_send(nic, 0, SL_KIND_DATA, SL_ANY, nic->bank.payload_bytes + 1); break;
    case 9: sl_send(nic, 0, 9, SL_ANY, 0); break;
    }
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t self = sl_self(nic), ports = sl_ports(nic);
    const int cheats = sl_param(nic, 0) != 0 && self == 2 && sl_slot(nic) == 2;
    const int32_t carry = sl_param(nic, 2);
    for (const sl_frame *frame; (frame = sl_receive(nic)) != 0;) {
        s->heard = frame->tag + frame->source;
        if (carry) sl_deliver(nic, (sl_packet){carry == 1 ? 0 : frame->source, self});
    }
    sl_listen(nic, sl_param(nic, 1) ? SL_PORT_ALL : (sl_slot(nic) + self) % ports);
    if (cheats) cheat(nic, sl_param(nic, 0));
    if (carry && sl_slot(nic) < 6 && sl_tx_free(nic) && (carry == 2 || self == 0 || s->heard)) {
        const uint32_t to = (self + 1 + sl_slot(nic)) % sl_processors(nic);
        sl_frame *frame = sl_send(nic, (sl_slot(nic) + 3 * self) % ports, SL_KIND_DATA, to, 12);
        ((uint32_t *)frame->payload)[0] = carry == 1 ? 0 : self;
        ((uint32_t *)frame->payload)[1] = ((uint32_t *)frame->payload)[2] = 0;
        frame->tag = 1;
    } else if (!carry && sl_slot(nic) < 6 && sl_tx_free(nic)) {
        const uint32_t to = (self + 1 + sl_slot(nic)) % sl_processors(nic);
        sl_send(nic, (sl_slot(nic) + 3 * self) % ports, SL_KIND_ACK, to, 0)->tag = (uint16_t)(s->heard * 31 + self + 1);
    }
    if (sl_slot(nic) == 7) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
