/* Generated from nic/window.go by `go test ./nic -run RegisterMap -update`; DO NOT EDIT. */
#ifndef STARLOOM_WINDOW_H
#define STARLOOM_WINDOW_H

#include "starloom_registers.h"

#define SL_WINDOW 0x40000000u /* address of the window */
#define SL_RX_FIFO 0x42000000u /* address of the head of the RX FIFO */
#define SL_TX_FIFO 0x44000000u /* address of the head of the TX FIFO */
#define SL_TX_FRAME 0x46000000u /* address of the frame that tx_push appends */
#define SL_FIFO_END 0x46020000u /* end of the frames */
#define SL_FIFO_STRIDE 0x20000u /* bytes from one frame of a FIFO to the next */
#define SL_SELECT_SHAPE 0x0u /* words 0 to 7 of the network's size */
#define SL_SELECT_PARAM 0x10u /* parameters 0 to 15 */
#define SL_SELECT_SEED 0x20u /* seed of the random stream, low half, then high half */
#define SL_SELECT_PAYLOAD_BYTES 0x22u /* largest payload of a frame */
#define SL_SELECT_RX_FRAMES 0x23u /* depth of the RX FIFO, in frames */
#define SL_SELECT_TX_FRAMES 0x24u /* depth of the TX FIFO, in frames */
#define SL_SELECT_LANES 0x25u /* ports at which the NIC sends and receives in one slot: 1, or all */
#define SL_SELECT_STATUS 0x40u /* receiver status of port 0 and the following ports */

/*
 * The NIC of one processor, memory-mapped: aligned words of 32 bits from SL_WINDOW on. The frames of
 * the FIFOs are at SL_RX_FIFO and SL_TX_FIFO, SL_FIFO_STRIDE bytes apart, the head first. The
 * processor writes a frame at SL_TX_FRAME; tx_push appends the frame to the TX FIFO, and leaves the
 * content. Each frame is a frame block with its payload, and permits aligned accesses of 8, 16 and 32
 * bits. The NIC acts on what the processor has written when the turn has ended (wfi, or the end of
 * the compute window).
 */
typedef struct {
    uint32_t self; /* R, this processor's number */
    uint32_t processors; /* R, processors in the machine */
    uint32_t slot; /* R, the slot that begins now, 0 after reset */
    uint32_t workload; /* R, this processor's word of the workload */
    uint32_t ports; /* R, ports of the NIC */
    uint32_t rx_status; /* R, receiver status of the previous slot */
    uint32_t rx_count; /* R, frames in the RX FIFO */
    uint32_t tx_count; /* R, frames in the TX FIFO */
    uint32_t tx_free; /* R, frames that still fit into the TX FIFO */
    uint32_t flags; /* R, flags of the processor block */
    uint32_t rx_pop; /* W, removes this number of frames from the head of the RX FIFO */
    uint32_t tx_push; /* W, appends the frame at SL_TX_FRAME to the TX FIFO; the value is ignored */
    uint32_t tx_withdraw; /* W, removes the next frame to be sent; the value is ignored */
    uint32_t listen; /* W, port that is heard from this slot on, 0xffff for none, 0xfffe for all */
    uint32_t sleep; /* W, the processor sleeps for this number of slots */
    uint32_t done; /* W, 1: the processor has finished */
    uint32_t held; /* W, packets that the program holds, for the memory rule */
    uint32_t low; /* W, low bits of the value that result or probe reports */
    uint32_t high; /* W, high bits of the value that result or probe reports */
    uint32_t result; /* W, reports the value as the result with this number */
    uint32_t probe; /* W, shows the value at the probe with this number */
    uint32_t log; /* W, writes a line of this number of bytes, from the address in low on, to the firmware log */
    uint32_t deliver; /* W, the packet of this processor has reached its destination */
    uint32_t fail; /* W, the processor gives up with this code */
    uint32_t select; /* RW, number of the register that value shows: SL_SELECT_... */
    uint32_t value; /* R, the selected register */
} sl_window;

SL_STATIC_ASSERT(offsetof(sl_window, value) == 100, "register map");
SL_STATIC_ASSERT(sizeof(sl_window) <= 104, "register map");

#endif
