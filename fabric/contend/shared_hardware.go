package contend

import (
	"starloom/fabric"
	"starloom/hw"
)

// fork connects transmitters to the media shared by lanes. It has no registers.
type fork struct {
	path string
	from Senders
	of   []placeIn
	to   []Senders
}

func newFork(p fabric.Plant, name string, from Senders, shared []Shared) (*fork, error) {
	f := &fork{path: name, from: from, of: make([]placeIn, len(from.Ports.Value))}
	for i := range f.of {
		f.of[i].part = -1
	}
	for i := range shared {
		if len(shared[i].Senders) == 0 {
			f.to = append(f.to, Senders{})
			continue
		}
		bank := hw.Bank{Name: hw.Index(name, i) + ".in", Units: 1, PerUnit: len(shared[i].Senders)}
		light, err := p.Light(bank, nil)
		if err != nil {
			return nil, err
		}
		to := Senders{Light: light, Ports: hw.NewPortSelect(bank, "port"), Asks: hw.NewAsks(bank, "ask", light.Shards())}
		clear(to.Ports.Value) // each transmitter has one port
		f.to = append(f.to, to)
		for place, lane := range shared[i].Senders {
			if lane != NoLane {
				f.of[lane] = placeIn{int32(i), uint32(place)}
			}
		}
	}
	return f, nil
}

func (f *fork) Path() string           { return f.path }
func (f *fork) Reset()                 {}
func (f *fork) State(*hw.StateVisitor) {}

func (f *fork) Inputs() []hw.Wire { return []hw.Wire{f.from.Light, f.from.Asks} }

func (f *fork) Outputs() (wires []hw.Wire) {
	for _, to := range f.to {
		if to.Light == nil {
			continue
		}
		wires = append(wires, to.Light, to.Ports, to.Asks)
	}
	return wires
}

func (f *fork) Settle(s hw.Shard) {
	for _, to := range f.to {
		if to.Light != nil {
			to.Light.Clear(s.Index)
			to.Asks.Clear(s.Index)
		}
	}
	for _, i := range f.from.Asks.High(s.Index) {
		if at := f.of[i]; at.part >= 0 {
			f.to[at.part].Asks.Raise(s.Index, at.place, f.from.Asks.To[i], f.from.Asks.Tag[i])
		}
	}
	for _, i := range f.from.Light.Lit(s.Index, 0) {
		if at := f.of[i]; at.part >= 0 {
			f.to[at.part].Light.Put(s.Index, at.place, f.from.Light.Rail1[i], f.from.Light.Rail0[i])
		}
	}
}

func (f *fork) QuietFor(limit uint64) uint64 {
	if !f.from.Light.Dark() || !f.from.Asks.Low() {
		return 0
	}
	for _, to := range f.to {
		if to.Light != nil && (!to.Light.Dark() || !to.Asks.Low()) {
			return 0
		}
	}
	return limit
}

// joint combines the media of a network with lanes of several classes: the light of the parts and the served
// transmitters.
type joint struct {
	path    string
	parts   []jointPart
	near    *hw.Light
	serving *hw.PortSelect // 0 for a transmitter that sends without a grant
	of      []placeIn
	lanes   []placeIn

	violated [][]uint32 // last result of Violated, by shard
	noted    [][]int    // by shard and part: number of violations already included in violated
}

type jointPart struct {
	*Part
	media   []uint32
	senders []uint32 // transmitters of the part
}

func newJoint(p fabric.Plant, near *hw.Light, parts []jointPart) *joint {
	tx := p.Transmitters()
	j := &joint{path: near.Bank().Path(), parts: parts, near: near,
		serving: hw.NewPortSelect(tx.Light().Bank(), "serving"),
		of:      make([]placeIn, near.Bank().Size()), lanes: make([]placeIn, tx.Light().Bank().Size())}
	for i := range parts {
		for place, medium := range parts[i].media {
			j.of[medium] = placeIn{int32(i), uint32(place)}
		}
		for place, lane := range parts[i].senders {
			if lane == NoLane {
				continue
			}
			j.lanes[lane] = placeIn{int32(i), uint32(place)}
			if j.serving.Value[lane] = hw.PortNone; parts[i].To == nil {
				j.serving.Value[lane] = 0
			}
		}
	}
	j.violated, j.noted = make([][]uint32, near.Shards()), make([][]int, near.Shards())
	for shard := range j.noted {
		j.noted[shard] = make([]int, len(parts))
	}
	return j
}

func (j *joint) Path() string             { return j.path }
func (j *joint) Reset()                   { j.forget() }
func (j *joint) State(v *hw.StateVisitor) { v.AfterRestore(j.forget) }

func (j *joint) forget() {
	for shard := range j.violated {
		j.violated[shard] = j.violated[shard][:0]
		clear(j.noted[shard])
	}
}

func (j *joint) Inputs() (wires []hw.Wire) {
	for i := range j.parts {
		wires = append(wires, j.parts[i].Near)
		if j.parts[i].To != nil {
			wires = append(wires, j.parts[i].To)
		}
	}
	return wires
}

func (j *joint) Outputs() []hw.Wire { return []hw.Wire{j.near, j.serving} }

func (j *joint) Settle(s hw.Shard) {
	j.near.Clear(s.Index)
	for i := range j.parts {
		p := &j.parts[i]
		for _, medium := range p.Near.Lit(s.Index, 0) {
			j.near.Put(s.Index, p.media[medium], p.Near.Rail1[medium], p.Near.Rail0[medium])
		}
		for place, lane := range p.senders {
			if lane != NoLane && p.To != nil {
				j.serving.Value[lane] = p.To.Value[place]
			}
		}
	}
}

func (j *joint) QuietFor(limit uint64) uint64 {
	if !j.near.Dark() {
		return 0
	}
	for i := range j.parts {
		if !j.parts[i].Near.Dark() {
			return 0
		}
		for place, lane := range j.parts[i].senders {
			if lane != NoLane && j.parts[i].To != nil && j.serving.Value[lane] != j.parts[i].To.Value[place] {
				return 0
			}
		}
	}
	return limit
}

func (j *joint) Reached(transmitter, port int) int {
	at := j.lanes[transmitter]
	part := &j.parts[at.part]
	return int(part.media[part.Medium.Reached(int(at.place), port)])
}

func (j *joint) Violated(shard int) []uint32 {
	for i := range j.parts {
		violated := j.parts[i].Medium.Violated(shard)
		for _, medium := range violated[j.noted[shard][i]:] {
			j.violated[shard] = append(j.violated[shard], j.parts[i].media[medium])
		}
		j.noted[shard][i] = len(violated)
	}
	return j.violated[shard]
}

func (j *joint) Met(medium int) bool {
	at := j.of[medium]
	return j.parts[at.part].Medium.Met(int(at.place))
}

func (j *joint) ClearSlot(shard int) {
	for i := range j.parts {
		j.parts[i].Medium.ClearSlot(shard)
		j.noted[shard][i] = 0
	}
	j.violated[shard] = j.violated[shard][:0]
}

type takes struct {
	of      []placeIn
	filters []interface {
		Take(output int, listens bool, tag uint16)
	}
}

func (t *takes) Take(receiver int, listens bool, tag uint16) {
	at := t.of[receiver]
	t.filters[at.part].Take(int(at.place), listens, tag)
}

// Free describes media without arbitration.
type Free struct {
	Senders, Media []uint32
	Part           func(from Senders) (*Part, error)
}

// Join builds one part from the shared media of lanes and the free media. near names all media.
func Join(p fabric.Plant, near hw.Bank, free Free, shared []Shared) (*Part, error) {
	light, err := p.Light(near, nil)
	if err != nil {
		return nil, err
	}
	tx := SendersOf(p)
	shared = append([]Shared{{Senders: free.Senders, Media: free.Media}}, shared...)
	f, err := newFork(p, near.Path()+".lanes", tx, shared)
	if err != nil {
		return nil, err
	}
	all, filters := &Part{Near: light}, &takes{of: make([]placeIn, len(tx.Ports.Value))}
	var parts []jointPart
	all.Parts = append(all.Parts, f)
	for i := range shared {
		s := &shared[i]
		var part *Part
		switch {
		case s.Buses != nil:
			part, err = s.Buses.Part(p, f.to[i])
		case s.Outputs != nil:
			part, err = s.Outputs.Part(p, f.to[i])
		case len(s.Senders) == 0:
			filters.filters = append(filters.filters, nil)
			continue
		default:
			part, err = free.Part(f.to[i])
		}
		if err != nil {
			return nil, err
		}
		filters.filters = append(filters.filters, part.Filters)
		for output, lane := range s.Receivers {
			if lane != NoLane {
				filters.of[lane] = placeIn{int32(i), uint32(output)}
			}
		}
		parts = append(parts, jointPart{Part: part, media: s.Media, senders: s.Senders})
	}
	for i := range parts {
		all.Parts = append(append(all.Parts, parts[i].Medium), parts[i].Parts...)
		all.Composites = append(all.Composites, parts[i].Composites...)
	}
	all.Reseed = func(seed uint64) {
		for i := range parts {
			if parts[i].Reseed != nil {
				parts[i].Reseed(seed)
			}
		}
	}
	j := newJoint(p, light, parts)
	all.Medium, all.Filters, all.To = j, filters, j.serving
	return all, nil
}
