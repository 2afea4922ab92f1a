package nic

// Kept stores the NIC data that handlers can write, with the values before the calls, because the writes of an
// overrunning handler are undone.
//
//	restored      registers with their flags (not sleeping: the handler is called in the next slot),
//	              TX FIFO, listening table, request list, tag filter, word of the schedule
//	not restored  the state; frames taken from the RX FIFO
//
// Columns are stored from the first cell of the list to the last. For sparse cells, only their elements are stored.
type Kept struct {
	few    bool
	origin int // first cell
	words  []uint64
	listen []uint16 // ListenSlots columns as long as words
	choice []uint32
	valid  []uint64
	accept []uint16
	shown  []uint64 // words of the schedule, which handlers clear
	frames []byte   // frames of all TX FIFOs in sequence
	first  []int    // start of each cell's frames
}

// Keep saves the NIC data of the cells.
func (b *Bank) Keep(k *Kept, cells []uint32) {
	if len(cells) == 0 {
		return
	}
	k.origin = int(cells[0])
	k.few = int(cells[len(cells)-1])-k.origin >= keptSpan*len(cells)
	k.words = gather(k.words[:0], b.Words, cells, k.few)
	k.listen = k.listen[:0]
	for column := range b.listenSlots {
		k.listen = gather(k.listen, b.listen[column*b.Cells:(column+1)*b.Cells], cells, k.few)
	}
	if b.AcceptTag != nil {
		k.accept = gather(k.accept[:0], b.AcceptTag, cells, k.few)
	}
	if b.Schedule != nil {
		k.shown = gather(k.shown[:0], b.Schedule, cells, k.few)
	}
	if b.Choice != nil {
		k.choice, k.valid = gather(k.choice[:0], b.Choice, cells, k.few), k.valid[:0]
		words := b.ValidWords()
		for _, cell := range cells {
			k.valid = append(k.valid, b.Valid[int(cell)*words:int(cell+1)*words]...)
		}
	}
	k.keepFrames(b, cells)
}

func (k *Kept) keepFrames(b *Bank, cells []uint32) {
	k.frames, k.first = k.frames[:0], k.first[:0]
	any := uint64(0)
	for _, word := range k.words {
		any |= word
	}
	if any>>WordTxCountShift&0xFF == 0 {
		return
	}
	for _, cell := range cells {
		k.first = append(k.first, len(k.frames))
		for place := range min(int(b.Registers[cell].TxCount), b.TxFrames) {
			k.frames = append(k.frames, b.frame(int(cell), &b.tx, place)...)
		}
	}
}

// keptSpan is the number of adjacent cells whose copy takes as long as the copy of one separate cell.
const keptSpan = 4

// gather appends elements of a column: with few, only the elements of cells, otherwise all elements from the first
// cell to the last.
func gather[T any](to, column []T, cells []uint32, few bool) []T {
	if !few {
		return append(to, column[cells[0]:cells[len(cells)-1]+1]...)
	}
	for _, cell := range cells {
		to = append(to, column[cell])
	}
	return to
}

// TakeBack undoes a cell's writes to its NIC since Keep. place is the cell's index in the list.
func (b *Bank) TakeBack(k *Kept, place, cell int) {
	received, at := b.Registers[cell].RxCount, place
	if !k.few {
		at = cell - k.origin
	}
	b.Words[cell] = k.words[at]
	r := &b.Registers[cell]
	r.RxCount = received
	for n := range min(int(r.TxCount), b.TxFrames) {
		copy(b.frame(cell, &b.tx, n), k.frames[k.first[place]+n*b.frameStride:])
	}
	for column := range b.listenSlots {
		b.SetListen(cell, column, k.listen[column*len(k.words)+at])
	}
	if words := b.ValidWords(); len(k.choice) > 0 {
		b.Choice[cell] = k.choice[at]
		copy(b.Valid[cell*words:(cell+1)*words], k.valid[place*words:])
	}
	if len(k.accept) > 0 {
		b.AcceptTag[cell] = k.accept[at]
	}
	if len(k.shown) > 0 {
		b.Schedule[cell] = k.shown[at]
	}
	b.Wake(cell)
}
