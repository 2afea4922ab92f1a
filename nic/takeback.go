package nic

// Kept is what handlers can write of their NICs, as it was before they were called: of a handler
// that comes too late nothing of it counts.
//
//	put back      registers with their flags (not sleeping: the handler is called in the next slot),
//	              FIFO of frames to send, listening table, request list, tag filter
//	not put back  the state; the frames that were taken from the RX FIFO
type Kept struct {
	words  []uint64 // per cell, in the order of the list
	listen []uint16 // ListenSlots per cell
	choice []uint32
	valid  []uint64
	accept []uint16
	frames []byte // of all TX FIFOs, one after the other...
	first  []int  // ...where those of each cell start
}

// Keep notes what the NICs of some cells are like.
func (b *Bank) Keep(k *Kept, cells []uint32) {
	k.words, k.listen, k.choice, k.valid, k.accept = k.words[:0], k.listen[:0], k.choice[:0], k.valid[:0], k.accept[:0]
	k.frames, k.first = k.frames[:0], k.first[:0]
	for _, at := range cells {
		cell := int(at)
		k.words = append(k.words, b.Words[cell])
		k.first = append(k.first, len(k.frames))
		for place := range int(b.Registers[cell].TxCount) {
			k.frames = append(k.frames, b.frame(cell, &b.tx, place)...)
		}
	}
	for column := range b.listenSlots {
		for _, cell := range cells {
			k.listen = append(k.listen, b.listen[column*b.Cells+int(cell)])
		}
	}
	words := b.ValidWords()
	for _, cell := range cells {
		if b.Choice != nil {
			k.choice = append(k.choice, b.Choice[cell])
			k.valid = append(k.valid, b.Valid[int(cell)*words:int(cell+1)*words]...)
		}
		if b.AcceptTag != nil {
			k.accept = append(k.accept, b.AcceptTag[cell])
		}
	}
}

// TakeBack drops what the handler of a cell has written to its NIC since Keep, of which it is
// at this place of the list.
func (b *Bank) TakeBack(k *Kept, place, cell int) {
	received := b.Registers[cell].RxCount
	b.Words[cell] = k.words[place]
	r := &b.Registers[cell]
	r.RxCount = received
	for n := range int(r.TxCount) {
		copy(b.frame(cell, &b.tx, n), k.frames[k.first[place]+n*b.frameStride:])
	}
	for column := range b.listenSlots {
		b.SetListen(cell, column, k.listen[column*len(k.words)+place])
	}
	if words := b.ValidWords(); len(k.choice) > 0 {
		b.Choice[cell] = k.choice[place]
		copy(b.Valid[cell*words:(cell+1)*words], k.valid[place*words:])
	}
	if len(k.accept) > 0 {
		b.AcceptTag[cell] = k.accept[place]
	}
	b.Wake(cell)
}
