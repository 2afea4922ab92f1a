/* A state with members of all kinds. */
#include "starloom.h"

typedef enum { IDLE, WAIT, DONE = 9 } phase_t;
typedef struct {
    uint32_t origin;
    int16_t hops;
} item_t;
struct opaque;
typedef struct {
    phase_t phase;
    uint8_t flags : 3, tries : 5;
    int8_t delta : 4;
    item_t queue[2];
    uint16_t list[40];
    char name[6];
    union {
        uint32_t word;
        float share;
    };
    struct {
        int16_t x, y;
    } at;
    const struct opaque *who;
    uint8_t grid[2][3];
    _Bool on;
    double mean;
    uint64_t big;
    struct {
    } nothing;
    uint8_t tail[];
} state_t;

static void note(sl_nic *nic, item_t *item) {
    item->origin = sl_self(nic);
}

static void on_start(sl_nic *nic, state_t *s) {
    s->phase = WAIT;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    note(nic, &s->queue[1]);
    s->phase = DONE;
    s->flags++;
    s->delta--;
    s->at.x--;
    sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
