/* Traffic that the host offers, beside starloom.h: packets to destinations, one after the other, whose
 * way the firmware decides. It includes starloom.h with STARLOOM_SCHEDULE.
 *
 * The host creates packets (workload: {traffic: ...}), keeps those that wait, and shows the next one in the word of the
 * schedule from the first boundary on that is not before its creation: a sleeping handler is called then. sl_offered looks at
 * it. sl_take takes it: the next one is shown in the next slot at the earliest. What is taken is the firmware's to carry.
 * A packet is so many frames. Each has a head, so that the host and the firmware on the way know whose it is; the
 * host measures the time from the creation of a packet to its last frame at the destination. Frames may be longer. */
#ifndef STARLOOM_TRAFFIC_H
#define STARLOOM_TRAFFIC_H

#if defined(STARLOOM_H) && !defined(STARLOOM_SCHEDULE)
#error "include starloom_traffic.h before starloom.h and the headers of networks, or define STARLOOM_SCHEDULE before them"
#elif !defined(STARLOOM_SCHEDULE)
#define STARLOOM_SCHEDULE
#endif
#include "starloom.h"

/* A packet that is offered. */
typedef struct {
    uint32_t destination;
    uint32_t frames; /* 1 to 255 */
    uint32_t number; /* of this source's packets, modulo 2^24 */
} sl_offer;

/* What the payload of a frame begins with; the upper 8 bits of number say how many frames of the packet follow. */
typedef struct {
    uint32_t origin, destination, number;
} sl_traffic;

/* Looks at the packet that is offered; 0 if there is none. */
SL_INLINE int sl_offered(const sl_nic *nic, sl_offer *offer) {
    const uint64_t word = sl_schedule_word(nic);
    offer->destination = (uint32_t)(word >> 32) & 0x7FFFFFFFu;
    offer->frames = (uint32_t)(word >> 24) & 0xFF;
    offer->number = (uint32_t)word & 0xFFFFFF;
    return word >> 63 != 0;
}

/* Takes the packet that is offered. */
SL_INLINE void sl_take(sl_nic *nic) { nic->bank.schedule[nic->cell] = 0; }

/* The head of a frame of the packet that is offered: place 0 to frames-1. */
SL_INLINE sl_traffic sl_traffic_of(const sl_nic *nic, const sl_offer *offer, uint32_t place) {
    sl_traffic head = {sl_self(nic), offer->destination, offer->number | (offer->frames - 1 - place) << 24};
    return head;
}

/* The head of a frame that was received. */
SL_INLINE const sl_traffic *sl_traffic_in(const sl_frame *frame) { return (const sl_traffic *)frame->payload; }

/* Whether it is that of the last frame of its packet. */
SL_INLINE int sl_traffic_last(const sl_traffic *head) { return head->number >> 24 == 0; }

/* Sends a frame to a port, and to the processor that it reaches next. */
SL_INLINE void sl_send_traffic(sl_nic *nic, uint32_t port, uint32_t next, sl_traffic head) {
    sl_frame *frame = starloom_queue(nic, port, SL_KIND_DATA, next, sizeof head);
    if (frame) *(sl_traffic *)frame->payload = head;
}

/* Where the workload says `closed`, so many packets of a source may be on their way, 0 for any number: the host
 * offers no more. Then a destination acknowledges each packet, after its last frame, by a frame with
 * that frame's head to the origin. */
SL_INLINE uint32_t sl_closed(const sl_nic *nic) { return sl_workload(nic); }
SL_INLINE void sl_acknowledge(sl_nic *nic, uint32_t port, uint32_t next, sl_traffic head) {
    sl_frame *frame = starloom_queue(nic, port, SL_KIND_ACK, next, sizeof head);
    if (frame) *(sl_traffic *)frame->payload = head;
}

#endif
