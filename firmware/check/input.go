package check

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"starloom/internal/config"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// FuzzInput is input that does not occur in the run. After Slots slots of the run, the slot handler of a processor is
// called once per step, and its state persists between steps. With Call, a function for the network is called
// instead.
type FuzzInput struct {
	Seed      uint64     `json:"seed"` // seed of the run
	Slots     uint32     `json:"slots"`
	Processor int        `json:"processor"`
	Steps     []FuzzStep `json:"steps,omitempty"` // consecutive slots
	Call      *FuzzCall  `json:"call,omitempty"`
}

// FuzzStep is the input of one slot: received frames and statuses, and overwritten registers. Other inputs have
// default values: idle receivers, a transmitter that has sent as much as possible, and the word of the schedule.
type FuzzStep struct {
	Frames   []FuzzFrame `json:"frames,omitempty"`
	Statuses []FuzzLane  `json:"statuses,omitempty"` // receiver statuses
	Transmit []FuzzLane  `json:"transmit_statuses,omitempty"`
	Schedule *uint64     `json:"schedule,omitempty"` // word of the schedule
	Workload *uint32     `json:"workload,omitempty"` // word of the workload
	ROM      []FuzzWord  `json:"rom,omitempty"`
	State    string      `json:"state,omitempty"` // state bytes in hex, starting with the first
}

// FuzzFrame is a received frame, one per port that the processor hears. If the processor hears a single port, Port is
// that port.
type FuzzFrame struct {
	Port        uint16 `json:"port"`
	Kind        uint8  `json:"kind"`
	Flags       uint8  `json:"flags,omitempty"`
	Tag         uint16 `json:"tag,omitempty"`
	Source      uint32 `json:"source"`
	Destination uint32 `json:"destination"`
	Payload     string `json:"payload"` // payload bytes in hex
}

// FuzzLane is the status of a receiver or transmitter: of the lane's port if the NIC uses all ports at once,
// otherwise of port 0.
type FuzzLane struct {
	Port   uint16 `json:"port"`
	Status uint8  `json:"status"`
	Served uint32 `json:"served,omitempty"` // addressee, for transmitters
}

// FuzzWord is a word of the network's tables, in the table of the processor or of the machine.
type FuzzWord struct {
	Machine bool   `json:"machine"` // table of the machine
	Word    int    `json:"word"`
	Value   uint32 `json:"value"`
}

// FuzzCall is a call of an image's function by name.
type FuzzCall struct {
	Name      string   `json:"name"`
	Arguments []uint32 `json:"arguments"`
}

const (
	fuzzStepsMax   = 16 // steps of an input
	fuzzInputBytes = 8 << 20
)

func (in *FuzzInput) received() bool {
	return in.Call == nil && !slices.ContainsFunc(in.Steps, func(x FuzzStep) bool {
		return x.Workload != nil || x.Schedule != nil || len(x.ROM) > 0 || x.State != ""
	})
}

func (in *FuzzInput) clone() FuzzInput {
	out := *in
	out.Steps = slices.Clone(in.Steps)
	for k := range out.Steps {
		x := &out.Steps[k]
		x.Frames, x.ROM = slices.Clone(x.Frames), slices.Clone(x.ROM)
		x.Statuses, x.Transmit = slices.Clone(x.Statuses), slices.Clone(x.Transmit)
	}
	return out
}

func (x *FuzzStep) empty() bool {
	return len(x.Frames)+len(x.Statuses)+len(x.Transmit)+len(x.ROM) == 0 && x.Schedule == nil &&
		x.Workload == nil && x.State == ""
}

func (x *FuzzFrame) view(payloadBytes int) nic.FrameView {
	payload, _ := hex.DecodeString(x.Payload) // checked on reading
	h := nic.Header{Kind: nic.Kind(x.Kind), Flags: x.Flags, Tag: x.Tag, PayloadBytes: len(payload), Source: x.Source,
		Destination: x.Destination}
	view := make(nic.FrameView, nic.FrameStride(payloadBytes))
	view.PutWire(nic.Marshal(make([]byte, nic.FrameBytes(len(payload))), h, payload))
	return view
}

// ReadInput reads an input and checks it against the network.
func ReadInput(path string, c *config.Config) (*FuzzInput, error) {
	const remedy = "give a file that --reproduce has written"
	text, err := input.Read(path, fuzzInputBytes)
	if err != nil {
		return nil, input.Unreadable(path, err, remedy)
	}
	in := &FuzzInput{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(in); err != nil {
		return nil, input.Mistake(path, fmt.Sprintf("this is not the input of a handler: %v", err), remedy)
	}
	if err := in.check(c); err != nil {
		return nil, input.Mistake(path, err.Error(), remedy)
	}
	return in, nil
}

func (in *FuzzInput) check(c *config.Config) error {
	shape := c.Network.Shape()
	if in.Slots < 1 || in.Slots > c.Slots {
		return fmt.Errorf("slots is %d; allowed: 1 to %d", in.Slots, c.Slots)
	}
	if in.Processor < 0 || in.Processor >= shape.Processors() {
		return fmt.Errorf("there is no processor %d; the network has 0 to %d", in.Processor, shape.Processors()-1)
	}
	if len(in.Steps) > fuzzStepsMax {
		return fmt.Errorf("there are %d steps; at most %d are allowed", len(in.Steps), fuzzStepsMax)
	}
	if len(in.Steps) == 0 && in.Call == nil {
		return errors.New("there are no steps and no call")
	}
	for k := range in.Steps {
		if err := in.Steps[k].check(c); err != nil {
			return fmt.Errorf("steps[%d]: %w", k, err)
		}
	}
	return nil
}

func (x *FuzzStep) check(c *config.Config) error {
	shape := c.Network.Shape()
	lanes := shape.Lanes()
	if _, err := hex.DecodeString(x.State); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	for k, x := range slices.Concat(x.Statuses, x.Transmit) {
		if int(x.Port) >= lanes {
			return fmt.Errorf("statuses[%d]: there is no port %d; a NIC uses 0 to %d in one slot", k, x.Port, lanes-1)
		}
	}
	for k, x := range x.Frames {
		payload, err := hex.DecodeString(x.Payload)
		switch {
		case err != nil:
			return fmt.Errorf("frames[%d]: payload: %w", k, err)
		case len(payload) > c.NIC.PayloadBytes:
			return fmt.Errorf("frames[%d]: a payload of %s; nic.payload_bytes is %d", k,
				traces.Plural(len(payload), "byte", "bytes"), c.NIC.PayloadBytes)
		case int(x.Port) >= shape.Ports:
			return fmt.Errorf("frames[%d]: there is no port %d; a NIC has 0 to %d", k, x.Port, shape.Ports-1)
		case nic.Kind(x.Kind) >= nic.KindCount:
			return fmt.Errorf("frames[%d]: there is no kind %d of frames", k, x.Kind)
		}
	}
	return nil
}
