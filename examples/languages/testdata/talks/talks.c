/* Talks at all ports at once: sends frames of every kind with payloads of its own, more than
 * the TX FIFO takes, and gives what it hears, and how much room was left, as results. */
#include "starloom.h"

typedef struct {
    uint32_t hash;
} state_t;

static void on_start(sl_nic *nic, state_t *s) { s->hash = sl_ports(nic); }

static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame;
    for (uint32_t port = 0; port < sl_ports(nic); port++) s->hash = s->hash * 31 + sl_status_of(nic, port);
    while ((frame = sl_receive(nic)) != 0) {
        s->hash = s->hash * 31 + frame->tag + frame->kind + frame->port;
        for (uint32_t i = 0; i < frame->payload_bytes; i++) s->hash = s->hash * 31 + frame->payload[i];
    }
    for (uint32_t k = 0; k < 2 * sl_ports(nic) && sl_slot(nic) < 5; k++) {
        uint32_t port = k / 2, bytes = (sl_self(nic) + port) % 9, room = sl_tx_free(nic);
        sl_frame *out = sl_send(nic, port, (sl_slot(nic) + port) % 3, SL_ANY, bytes);
        for (uint32_t i = 0; i < bytes; i++) out->payload[i] = (uint8_t)(s->hash >> i);
        out->tag = (uint16_t)s->hash;
        s->hash = s->hash * 31 + 2 * room + (room > 0);
    }
    sl_result(nic, sl_slot(nic) % 3, s->hash);
    if (sl_slot(nic) == 5) sl_deliver(nic, (sl_packet){sl_self(nic), sl_self(nic)});
    if (sl_slot(nic) == 6) sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
