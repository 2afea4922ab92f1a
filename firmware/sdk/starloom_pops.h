/* Addressing and schedules on POPS(d,g), in addition to starloom.h: d processors in each of g
 * groups, numbered group by group. Port p of a transmitter leads to group p; port p of a
 * receiver hears group p. */
#ifndef STARLOOM_POPS_H
#define STARLOOM_POPS_H

#include "starloom.h"

/* The size of the network. */
SL_INLINE uint32_t sl_groups(const sl_nic *nic) { return sl_shape(nic, 0); }     /* g */
SL_INLINE uint32_t sl_group_size(const sl_nic *nic) { return sl_shape(nic, 1); } /* d */

/* This processor's group, and its number in the group. */
SL_INLINE uint32_t sl_group(const sl_nic *nic) { return sl_self(nic) / sl_group_size(nic); }
SL_INLINE uint32_t sl_index(const sl_nic *nic) { return sl_self(nic) % sl_group_size(nic); }

/* An off-line schedule's actions of a processor in one slot, the word of sl_schedule_word:
 * ports to send to and to hear, SL_PORT_NONE for none. FINAL and KEEP apply to the frame
 * received in this slot. */
typedef struct {
    uint16_t send_port, listen_port;
    uint32_t actions;
} sl_schedule;
#define SL_ACTION_OWN 0x1u      /* send the own packet, otherwise the held packet */
#define SL_ACTION_FINAL 0x2u    /* the received packet becomes the final packet, otherwise the held packet */
#define SL_ACTION_KEEP_MIN 0x4u /* then the smaller of own and final packet becomes the own packet */
#define SL_ACTION_KEEP_MAX 0x8u /* then the larger of own and final packet becomes the own packet */
#define SL_ACTION_END 0x10u     /* the schedule has ended */

/* The schedule for this slot. The firmware must define STARLOOM_SCHEDULE before it includes
 * this header, and the scenario must have a schedule. */
SL_INLINE sl_schedule sl_scheduled(const sl_nic *nic) {
    uint64_t word = sl_schedule_word(nic);
    sl_schedule schedule = {(uint16_t)word, (uint16_t)(word >> 16), (uint32_t)(word >> 32)};
    return schedule;
}

/* Whether a word neither sends, hears nor keeps a packet. */
SL_INLINE int sl_idles(sl_schedule word) {
    return word.send_port == SL_PORT_NONE && word.listen_port == SL_PORT_NONE && !(word.actions & ~SL_ACTION_END);
}

/* The choices of a deterministic two-hop algorithm: the group to which processor i sends its packet in
 * slot t = 0, 2, 4, ... choose(i, t, groups, group_size) is a pure function, which the adversary calls.
 * */
#define STARLOOM_CHOICE(choose) STARLOOM_CALL(choice, (uint32_t i, uint32_t t, uint32_t g, uint32_t d), choose(i, t, g, d))

#endif
