/* Traffic offered by the host, in addition to starloom.h: packets to destinations, one after the other,
 * which the firmware routes. This header includes starloom.h with STARLOOM_SCHEDULE.
 *
 * The host creates packets (workload: {traffic: ...}), queues them, and shows the next one in the word of the schedule,
 * from the first boundary at or after its creation on; that wakes a sleeping handler. sl_offered reads the packet. sl_take
 * takes it: the firmware must then carry it, and the next packet is shown in the next slot at the earliest.
 * A packet consists of one or more frames. Each has a head that identifies its packet for the host and for firmware on the
 * way. The host measures the time from the creation of a packet to its last frame at the destination. Frames may be longer. */
#ifndef STARLOOM_TRAFFIC_H
#define STARLOOM_TRAFFIC_H

#if defined(STARLOOM_H) && !defined(STARLOOM_SCHEDULE)
#error "include starloom_traffic.h before starloom.h and the headers of networks, or define STARLOOM_SCHEDULE before them"
#elif !defined(STARLOOM_SCHEDULE)
#define STARLOOM_SCHEDULE
#endif
#include "starloom.h"

/* An offered packet. */
typedef struct {
    uint32_t destination;
    uint32_t frames; /* 1 to 255 */
    uint32_t number; /* of this source's packets, modulo 2^24 */
} sl_offer;

/* The start of a frame's payload. The upper 8 bits of number are the number of frames of the packet that follow. */
typedef struct {
    uint32_t origin, destination, number;
} sl_traffic;

/* Reads the offered packet; 0 for none. */
SL_INLINE int sl_offered(const sl_nic *nic, sl_offer *offer) {
    const uint64_t word = sl_schedule_word(nic);
    offer->destination = (uint32_t)(word >> 32) & 0x7FFFFFFFu;
    offer->frames = (uint32_t)(word >> 24) & 0xFF;
    offer->number = (uint32_t)word & 0xFFFFFF;
    return word >> 63 != 0;
}

/* Takes the offered packet. */
SL_INLINE void sl_take(sl_nic *nic) { nic->bank.schedule[nic->cell] = 0; }

/* The head of a frame of the offered packet: place 0 to frames-1. */
SL_INLINE sl_traffic sl_traffic_of(const sl_nic *nic, const sl_offer *offer, uint32_t place) {
    sl_traffic head = {sl_self(nic), offer->destination, offer->number | (offer->frames - 1 - place) << 24};
    return head;
}

/* The head of a received frame. */
SL_INLINE const sl_traffic *sl_traffic_in(const sl_frame *frame) { return (const sl_traffic *)frame->payload; }

/* Whether this is the last frame of its packet. */
SL_INLINE int sl_traffic_last(const sl_traffic *head) { return head->number >> 24 == 0; }

/* Sends a frame to a port and the next processor on its way. */
SL_INLINE void sl_send_traffic(sl_nic *nic, uint32_t port, uint32_t next, sl_traffic head) {
    sl_frame *frame = starloom_queue(nic, port, SL_KIND_DATA, next, sizeof head);
    if (frame) *(sl_traffic *)frame->payload = head;
}

/* With a `closed` workload, this is the maximum number of packets of a source in flight, 0 for any number; the host offers no
 * more. After the last frame of a packet, the destination acknowledges the packet: it sends a frame with that frame's head to the
 * origin. */
SL_INLINE uint32_t sl_closed(const sl_nic *nic) { return sl_workload(nic); }
SL_INLINE void sl_acknowledge(sl_nic *nic, uint32_t port, uint32_t next, sl_traffic head) {
    sl_frame *frame = starloom_queue(nic, port, SL_KIND_ACK, next, sizeof head);
    if (frame) *(sl_traffic *)frame->payload = head;
}

#endif
