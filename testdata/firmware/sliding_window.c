/* Go-back-N from vertex 0 to vertex 1, with planted mistakes by number; 0 is right for losses that end. An item's
 * number counts for the assertion alone. */
#include "starloom.h"

enum { LOST_ACK = 1, RESTART, WRAP, SHORT_TIMEOUT, WINDOW, SLOT_BYTE, SKIPS };

typedef struct {
    uint32_t base, next;   /* sender: first item without acknowledgement, next item to send */
    uint32_t timer, tries; /* slots until the timeout, timeouts since the last acknowledgement */
    uint32_t expected;     /* receiver: next item */
    uint32_t owes;         /* acknowledgements to send */
    uint8_t deadline;      /* SLOT_BYTE: four slots before the timeout */
} state_t;

typedef struct { uint32_t number, item; } body;

STARLOOM_PARAMS("bug=0", "items=12", "window=4", "timeout=8")

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}

static void take_ack(state_t *s, uint32_t bug, uint32_t number, uint32_t modulus, uint32_t timeout) {
    uint32_t ahead = (number + modulus - s->base % modulus) % modulus;
    if (bug == SHORT_TIMEOUT) ahead = 1; /* and acknowledgements without numbers */
    if (ahead == 0 || ahead > s->next - s->base) return;
    s->base += ahead;
    s->tries = 0;
    s->timer = s->next > s->base ? timeout : 0;
}

static void on_slot(sl_nic *nic, state_t *s) {
    const uint32_t bug = (uint32_t)sl_param(nic, 0), items = (uint32_t)sl_param(nic, 1);
    const uint32_t window = (uint32_t)sl_param(nic, 2) + (bug == WINDOW);
    const uint32_t modulus = (uint32_t)sl_param(nic, 2) + (bug != WRAP);
    const uint32_t timeout = bug == SHORT_TIMEOUT ? 2 : (uint32_t)sl_param(nic, 3);
    const int sender = sl_self(nic) == 0;
    for (const sl_frame *f; (f = sl_receive(nic));) {
        const body *b = (const body *)f->payload;
        if (f->destination != sl_self(nic)) continue;
        if (sender) {
            take_ack(s, bug, b->number, modulus, timeout);
        } else if (b->number == s->expected % modulus) {
            sl_assert(nic, b->item == s->expected);
            s->expected++;
            s->owes = 1;
        } else if (bug != LOST_ACK) {
            s->owes = 1;
        }
    }
    if (!sender) {
        if (s->owes && !sl_tx_head(nic)) {
            *(body *)sl_send(nic, 0, SL_KIND_CONTROL, 0, sizeof(body))->payload = (body){s->expected % modulus, 0};
            s->owes = 0;
        }
        if (s->expected >= items) sl_done(nic);
        return;
    }
    if (s->base >= items) {
        sl_done(nic);
        return;
    }
    int due = s->timer > 0 && --s->timer == 0;
    if (bug == SLOT_BYTE) due = s->next > s->base && (uint8_t)sl_slot(nic) > s->deadline + 3;
    if (due) {
        s->next = s->base;
        if (bug == SKIPS && ++s->tries == 5) s->base = ++s->next;
    }
    if (s->next < items && s->next - s->base < window && !sl_tx_head(nic)) {
        *(body *)sl_send(nic, 0, SL_KIND_DATA, 1, sizeof(body))->payload = (body){s->next % modulus, s->next};
        s->next++;
        s->timer = timeout;
        s->deadline = (uint8_t)(sl_slot(nic) + timeout - 4);
    }
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
