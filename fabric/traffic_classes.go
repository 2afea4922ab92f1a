package fabric

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"starloom/hw"
)

// trafficClassesSource is this file: its comments describe keys of a scenario.
//
//go:embed traffic_classes.go
var trafficClassesSource string

// TrafficClass is a class of packets between routers without firmware, as in BookSim 2. A source has a queue for each
// class, and sends a flit of one class per cycle. Keys that are not given are those of the traffic.
type TrafficClass struct {
	// mean number of packets that a processor creates per cycle (default: rate of the traffic)
	Rate float64 `json:"rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	// flits per packet: a number, or a list of numbers with weights (default: size of the traffic)
	Size []SizeShare `json:"size,omitempty"`
	// destinations of packets (default: pattern of the traffic)
	Pattern string `json:"pattern,omitempty" jsonschema:"minLength=1"`
	// priority at routers with priority: class; the highest goes first (default 0)
	Priority int `json:"priority,omitempty" jsonschema:"minimum=-32768,maximum=32767"`
	// first and last virtual channel that the packets may use, for example [0, 1] (default: all)
	VCs []int `json:"vcs,omitempty" jsonschema:"minItems=2,maxItems=2,minimum=0,maximum=255"`
	// latest arrival after the creation, in cycles, in place of rules.deadline_slots for the packets of this class
	Deadline int `json:"deadline,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// packets are requests to read and to write, and each destination sends a reply; {} for the defaults (default: no
	// replies)
	Requests *TrafficRequests `json:"requests,omitempty"`
}

func (TrafficClass) Declaration() string { return trafficClassesSource }

// TrafficRequests are the messages of a class with requests and replies, as use_read_write of BookSim 2. A sink creates
// the reply in the cycle in which the tail of the request arrives. The reply waits in the queue of its source for any
// class that is free, before the packets of that class.
type TrafficRequests struct {
	// share of requests that write (default 0.5)
	WriteFraction *float64 `json:"write_fraction,omitempty" jsonschema:"minimum=0,maximum=1"`
	// request to read
	ReadRequest TrafficMessage `json:"read_request,omitzero"`
	// reply with the data
	ReadReply TrafficMessage `json:"read_reply,omitzero"`
	// request to write, with the data
	WriteRequest TrafficMessage `json:"write_request,omitzero"`
	// reply to a request to write
	WriteReply TrafficMessage `json:"write_reply,omitzero"`
}

func (TrafficRequests) Declaration() string { return trafficClassesSource }

// TrafficMessage is a kind of packet of a class with requests.
type TrafficMessage struct {
	// flits per packet (default 1)
	Size int `json:"size,omitempty" jsonschema:"minimum=1,maximum=255"`
	// first and last virtual channel (default: those of the class)
	VCs []int `json:"vcs,omitempty" jsonschema:"minItems=2,maxItems=2,minimum=0,maximum=255"`
}

func (TrafficMessage) Declaration() string { return trafficClassesSource }

// TrafficType is the type of a packet. BookSim 2 numbers requests and replies from 0 on, then plain packets.
type TrafficType uint8

const (
	PlainPacket      TrafficType = iota // of a class without requests
	ReadRequest                         // asks for data
	ReadReply                           // brings the data
	WriteRequest                        // brings data
	WriteReply                          // acknowledges the data
	TrafficTypeCount = iota             // number of types
)

var trafficTypes = [TrafficTypeCount]string{"plain", "read_request", "read_reply", "write_request", "write_reply"}

func (t TrafficType) String() string { return trafficTypes[t] }

// TrafficTypes returns the names of all types in ascending order of their numbers.
func TrafficTypes() []string { return trafficTypes[:] }

// Message returns the message of a type other than PlainPacket.
func (r *TrafficRequests) Message(of TrafficType) *TrafficMessage {
	return [...]*TrafficMessage{&r.ReadRequest, &r.ReadReply, &r.WriteRequest, &r.WriteReply}[of-1]
}

// TrafficClassesMax is the maximum number of classes of a scenario: a number selects the channels of class and type.
const TrafficClassesMax = min(hw.PacketClassesMax, 256/TrafficTypeCount)

// TrafficClassName matches the names of classes, which are parts of the names of figures and fields of packet files.
var TrafficClassName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$`)

// ClassNames returns the names of the classes in the order of their numbers: numbers in ascending order, then other
// names in alphabetical order.
func (t *Traffic) ClassNames() []string {
	number := func(name string) int {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 {
			return n
		}
		return TrafficClassesMax
	}
	names := slices.Sorted(maps.Keys(t.Classes))
	slices.SortStableFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}
