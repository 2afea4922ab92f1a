/* bus/sensors: sensors that share a bus with a controller.
 *
 * Vertex 0 is the controller: it listens at its first tap and acknowledges nothing. All others are
 * sensors, which send readings at their first tap: in slots 0, T, 2T, ... with T = period + spread *
 * (vertex - 1), or with events > 0 in each slot with a probability of events in 1000. The arbiter of
 * the bus delays competing sensors; a new reading queues after a waiting one. A sensor is done after
 * its number of readings. */
#define STARLOOM_ROM
#define STARLOOM_TX_STATUS
#include "starloom_bus.h"

STARLOOM_PARAMS("period=16", "spread=0", "readings=20", "events=0")
STARLOOM_PROBES("readings", "waiting") /* read or received so far; slots that the reading has waited which is sent next */

enum { PERIOD, SPREAD, READINGS, EVENTS };

typedef struct {
    uint32_t readings; /* of a sensor, or received by the controller */
    uint32_t next;     /* slot of the next reading */
    uint32_t waiting;
} state_t;

static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, sl_self(nic) == 0 && sl_taps(nic) > 0 ? 0 : SL_PORT_NONE);
}

static void control(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) s->readings++;
    sl_done(nic); /* it waits for nothing: the run ends with the sensors */
    sl_sleep(nic, SL_LONG);
}

/* Whether this slot has a reading. */
static int due(sl_nic *nic, state_t *s) {
    if (sl_param(nic, EVENTS) > 0) return sl_chance(nic, (uint32_t)sl_param(nic, EVENTS), 1000);
    if (sl_slot(nic) != s->next) return 0;
    int32_t period = sl_param(nic, PERIOD) + sl_param(nic, SPREAD) * (int32_t)(sl_self(nic) - 1);
    s->next += period > 0 ? (uint32_t)period : 1;
    return 1;
}

static void sense(sl_nic *nic, state_t *s) {
    s->waiting = sl_tx_status(nic) == SL_TX_BLOCKED ? s->waiting + 1 : 0;
    if (s->readings < (uint32_t)sl_param(nic, READINGS) && due(nic, s)) {
        sl_frame *frame = sl_send(nic, 0, SL_KIND_DATA, 0, sizeof(uint32_t));
        frame->tag = (uint16_t)s->readings++;
        *(uint32_t *)frame->payload = sl_random(nic);
    }
    if (s->readings >= (uint32_t)sl_param(nic, READINGS)) sl_done(nic);
}

static void on_slot(sl_nic *nic, state_t *s) {
    if (sl_self(nic) == 0)
        control(nic, s);
    else if (sl_taps(nic) == 0)
        sl_done(nic);
    else
        sense(nic, s);
    sl_probe(nic, 0, s->readings);
    sl_probe(nic, 1, s->waiting);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
