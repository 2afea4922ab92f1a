package outcome

import (
	"fmt"
	"reflect"
)

// Frames counts frames: what NICs sent, and what became of every reception.
type Frames struct {
	Sent      uint64 `json:"sent"`      // that NICs put on the fabric
	Delivered uint64 `json:"delivered"` // receptions with status ok
	Collided  uint64 `json:"collided"`  // sent frames that met another one on a medium, per medium
	// Blocked counts the slots in which a frame had to wait because its medium was taken.
	Blocked  uint64 `json:"blocked"`
	CRC      uint64 `json:"crc"`      // receptions with status crc
	Overflow uint64 `json:"overflow"` // good frames lost at a full RX FIFO, and slots in which a TX FIFO refused frames, however many
	Unheard  uint64 `json:"unheard"`  // alone on a medium to which no one listened, per medium
	Faulted  uint64 `json:"faulted"`  // alone on a medium to which someone listened, and lost there by a fault, per medium
}

// Add adds the counters of another run.
func (f *Frames) Add(o Frames) {
	sum, more := reflect.ValueOf(f).Elem(), reflect.ValueOf(o)
	for i := range sum.NumField() {
		sum.Field(i).SetUint(sum.Field(i).Uint() + more.Field(i).Uint())
	}
}

func (f Frames) text() string {
	return fmt.Sprintf("%d sent, %d delivered, %d collided, %d crc, %d overflow, %d unheard, %d faulted, %d blocked",
		f.Sent, f.Delivered, f.Collided, f.CRC, f.Overflow, f.Unheard, f.Faulted, f.Blocked)
}
