package fabric

import (
	"bufio"
	_ "embed"
	"io"
	"iter"
	"math"
	"strconv"

	"starloom/hw"
)

// trafficSource is this file: its comments describe keys of a scenario.
//
//go:embed traffic.go
var trafficSource string

// Traffic makes every processor send packets to the destinations of a pattern. The packets depend only on these keys,
// the seed and the processor. Package fabric/traffic draws, offers and measures packets, and sets defaults.
type Traffic struct {
	// destinations of packets: uniform to any processor, transpose row i, column j to row j, column i,
	// bit_complement, bit_reverse and shuffle (rotated left by one) by the bits of the processor's number, tornado
	// about halfway round, neighbour to the next processor, next_group to any processor of the group after the
	// source's, hotspot to the processors of hotspots, permutation as in destinations or drawn from the seed (default
	// uniform)
	Pattern string `json:"pattern,omitempty" jsonschema:"minLength=1"`
	// sides of a grid of all processors: patterns tornado and neighbour apply in each dimension, as in BookSim, for
	// example [8, 8] (default: one dimension)
	Dimensions []int `json:"dimensions,omitempty" jsonschema:"minItems=1,minimum=1,maximum=2147483647"`
	// processors in a group of pattern next_group
	Group int `json:"group,omitempty" jsonschema:"minimum=1,maximum=1073741823"`
	// destination of each source, for pattern permutation (default: drawn from the seed)
	Destinations []int `json:"destinations,omitempty" jsonschema:"minItems=1,minimum=0,maximum=2147483646"`
	// allow packets to their own source; otherwise a source whose pattern selects itself sends nothing (default: true
	// on a crossbar, otherwise false)
	Self *bool `json:"self,omitempty"`
	// mean number of packets that a processor creates per slot
	Rate float64 `json:"rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	// creation of packets: bernoulli with probability rate in each slot; bursty in each slot of bursts with geometric
	// lengths and distances; periodic every 1/rate slots from a random start; file as given in the file (default
	// bernoulli)
	Arrivals string `json:"arrivals,omitempty" jsonschema:"enum=bernoulli,enum=bursty,enum=periodic,enum=file"`
	// mean number of packets per burst; only with arrivals: bursty (default 8)
	Burst float64 `json:"burst,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// frames per packet: a number, or a list of numbers with weights (default 1)
	Size []SizeShare `json:"size,omitempty"`
	// destinations of pattern hotspot; other packets are uniform
	Hotspots []Hotspot `json:"hotspots,omitempty" jsonschema:"minItems=1"`
	// time before the measurement: 5000 cycles, 200 slots; a bare number is slots, at routers cycles (default 1000;
	// with arrivals: file 0)
	WarmUp *Duration `json:"warm_up,omitempty" jsonschema:"minimum=0,maximum=1000000000"`
	// time in which created packets are measured, in the same units (default 10000; with arrivals: file up to its
	// last packet)
	Measure *Duration `json:"measure,omitempty" jsonschema:"minimum=1,maximum=1000000000"`
	// time after the measurement in which all measured packets must arrive or be lost, otherwise the run breaks the
	// rule finishes, in the same units; sources continue to create packets (default 10000)
	Drain *Duration `json:"drain,omitempty" jsonschema:"minimum=0,maximum=1000000000"`
	// allow more load than the network can carry: measured packets may remain in flight after drain if some packet
	// has arrived in the measured time. A sweep over the rate sets it
	Overload bool `json:"overload,omitempty"`
	// maximum number of packets of a source that are in flight or unacknowledged; 0 for any number
	Closed int `json:"closed,omitempty" jsonschema:"minimum=0,maximum=65535"`
	// classes of packets by name, for routers without firmware, for example {urgent: {rate: 0.01, priority: 1}, bulk:
	// {rate: 0.1, size: 5}}; they have numbers in the order of their names (default: one queue for each source)
	Classes map[string]TrafficClass `json:"classes,omitempty"`
	// packets to send, for arrivals: file: a CSV file with columns source, destination, size and created, in cycles,
	// as written by --packets, or src, dest, size and ctime; a column choice gives draws for routes, and class, type
	// and request the packet's class, its type, and the id of the packet that it replies to; relative to the
	// scenario's folder
	File string `json:"file,omitempty" jsonschema:"minLength=1"`

	Path string       `json:"-"` // path of File from the working folder
	Rows []TrafficRow `json:"-"` // from the file or from Go

	RowClasses []TrafficRowClass `json:"-"` // by TrafficRow.Class
}

func (Traffic) Declaration() string { return trafficSource }

// Hotspot is a processor that receives a fixed share of all packets.
type Hotspot struct {
	// number of the processor
	Node int `json:"node" jsonschema:"required,minimum=0,maximum=2147483646"`
	// share of all packets
	Share float64 `json:"share" jsonschema:"required,minimum=0,maximum=1"`
}

func (Hotspot) Declaration() string { return trafficSource }

// SizeShare is a packet size with its weight. A scenario may give the number alone, or one object in place of a list.
type SizeShare struct {
	// frames per packet
	Frames int `json:"frames" jsonschema:"required,minimum=1,maximum=255"`
	// relative frequency of this size; 0 or no value means 1
	Weight float64 `json:"weight,omitempty" jsonschema:"minimum=0,maximum=1000000"`
}

func (SizeShare) Declaration() string { return trafficSource }

// Share returns the weight, 1 by default.
func (s SizeShare) Share() float64 {
	if s.Weight == 0 {
		return 1
	}
	return s.Weight
}

func (SizeShare) Short() (key, description string) {
	return "frames", "frames of a packet: a number, or a list of numbers or of {frames, weight} (default 1)"
}

// TrafficRow is a packet of a traffic file. Created is the cycle of its creation.
type TrafficRow struct {
	Created             uint64
	Source, Destination uint32
	Size                uint8
	Line                uint32 // line number in the file
	Via                 uint32 // 1 + processor at the router to visit first, as hw.Packets.Mid; 0: none given
	Class               uint32 // 1 + index in Traffic.RowClasses; 0 without the columns of classes
	Choice              uint64 // draws for routes, as hw.Packets.Choice; 0 without the column choice
	ID                  uint64 // column id or pid, or the row number from 0
}

// TrafficRowClass is the class of a packet of a traffic file.
type TrafficRowClass struct {
	Name    string // name of the class; "" without the column class
	Type    TrafficType
	Request uint64 // 1 + id of the packet that it replies to; 0 for none
}

const (
	PatternUniform       = "uniform"        // to any processor
	PatternTranspose     = "transpose"      // row i, column j to row j, column i
	PatternBitComplement = "bit_complement" // all bits of the number inverted
	PatternBitReverse    = "bit_reverse"    // the bits in reverse order
	PatternShuffle       = "shuffle"        // the bits rotated left by one
	PatternTornado       = "tornado"        // about halfway round
	PatternNeighbour     = "neighbour"      // to the next processor
	PatternNextGroup     = "next_group"     // to any processor of the next group of Traffic.Group
	PatternHotspot       = "hotspot"        // to Traffic.Hotspots, others as uniform
	PatternPermutation   = "permutation"    // Traffic.Destinations, or a permutation drawn from the seed
)

// Patterns returns the values of Traffic.Pattern.
func Patterns() []string {
	return []string{PatternUniform, PatternTranspose, PatternBitComplement, PatternBitReverse, PatternShuffle,
		PatternTornado, PatternNeighbour, PatternNextGroup, PatternHotspot, PatternPermutation}
}

// PatternOf returns a remedy for a BookSim name of a pattern, "" for other words.
func PatternOf(word string) string {
	is := map[string]string{"bitcomp": PatternBitComplement, "bitrev": PatternBitReverse, "randperm": PatternPermutation,
		"neighbor": PatternNeighbour, "bad_dragon": PatternNextGroup, "badperm_dfly": PatternNextGroup,
		"hot_spot": PatternHotspot, "random": PatternUniform}[word]
	switch word {
	case "diagonal", "asymmetric", "taper64", "background", "badperm_yarc":
		return word + " of BookSim is not supported: write its packets into a file, and use arrivals: file"
	}
	if is == "" {
		return ""
	}
	return word + " of BookSim is called " + is + " here: write pattern: " + is
}

const (
	ArrivalsBernoulli = "bernoulli" // with probability Rate in each slot
	ArrivalsBursty    = "bursty"    // in each slot of bursts
	ArrivalsPeriodic  = "periodic"  // every 1/Rate slots
	ArrivalsFile      = "file"      // as Traffic.File says
)

// PacketRow is a row of a packet file. Cycles count from the start of the run.
type PacketRow struct {
	ID                      uint64
	Source, Destination     uint32
	Size, Hops              uint16 // frames or flits; hops so far
	Created, Sent, Received uint64 // NotYet for events that have not happened
	Measured                bool
	Class, Type             string // name of its class, "" without classes; name of its type
	Request                 uint64 // 1 + id of the packet that it replies to; 0 for none
}

// NotYet is the cycle of an event that has not happened.
const NotYet = math.MaxUint64

// PacketRowOf returns the row of a packet of routers. Its ID is the packet's number.
func PacketRowOf(p *hw.Packets, index uint32) PacketRow {
	at := func(cycle uint32) uint64 {
		if cycle == hw.PacketPending {
			return NotYet
		}
		return uint64(cycle)
	}
	return PacketRow{ID: uint64(index), Source: p.Source[index], Destination: p.Destination[index], Size: p.Size[index],
		Hops:    p.Hops[index],
		Created: at(p.Created[index]), Sent: at(p.Sent[index]), Received: at(p.Received[index])}
}

// WritePackets writes packets as CSV with a header. classes adds the columns class, type and request.
func WritePackets(to io.Writer, classes bool, rows iter.Seq[PacketRow]) error {
	w := bufio.NewWriter(to)
	_, _ = w.WriteString("id,source,destination,size,created,sent,received,hops,measured") // Flush returns the error
	if classes {
		_, _ = w.WriteString(",class,type,request")
	}
	_ = w.WriteByte('\n')
	var line []byte
	for r := range rows {
		line = strconv.AppendUint(line[:0], r.ID, 10)
		for _, n := range [...]uint64{uint64(r.Source), uint64(r.Destination), uint64(r.Size), r.Created, r.Sent,
			r.Received, uint64(r.Hops)} {
			if line = append(line, ','); n != NotYet {
				line = strconv.AppendUint(line, n, 10)
			}
		}
		measured := ",0"
		if r.Measured {
			measured = ",1"
		}
		if line = append(line, measured...); classes {
			line = append(append(append(append(append(line, ','), r.Class...), ','), r.Type...), ',')
			if r.Request > 0 {
				line = strconv.AppendUint(line, r.Request-1, 10)
			}
		}
		_, _ = w.Write(append(line, '\n'))
	}
	return w.Flush()
}
