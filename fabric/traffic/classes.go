package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

const kinds = fabric.TrafficTypeCount

// class is a class of packets with values for all defaults.
type class struct {
	fabric.TrafficClass
	name string
	spec *Spec // packets of the class, as if no other class existed
	vcs  [kinds]hw.VCRange
}

// settleClasses fills in the defaults of all classes. Its errors have the key of the class or, for values of the
// traffic, the key of the traffic as their place.
func (s *Spec) settleClasses(n fabric.Network) error {
	routers, names := fabric.RoutersOf(n), s.ClassNames()
	unnamed := slices.IndexFunc(names, func(name string) bool { return !fabric.TrafficClassName.MatchString(name) })
	err := refuse(
		refusal{routers == nil || s.Timebase.Word != "", "classes",
			"classes are for packets of routers without firmware", "delete classes"},
		refusal{len(names) > fabric.TrafficClassesMax, "classes", fmt.Sprintf("there are %d classes", len(names)),
			fmt.Sprintf("at most %d are allowed", fabric.TrafficClassesMax)},
		refusal{unnamed >= 0, "classes", fmt.Sprintf("the name of a class is %q", input.Clip(names[max(0, unnamed)])),
			"write up to 63 letters, digits, _ and -, with no - in front"})
	if err != nil {
		return err
	}
	for _, name := range names {
		c := class{TrafficClass: s.Classes[name], name: name, spec: s.alone(name)}
		if err := c.check(n.Shape().Processors()); err != nil {
			return err
		}
		if err := c.settleVCs(routers, s); err != nil {
			return err
		}
		s.classes = append(s.classes, c)
	}
	if s.divided && routers.Routes.Torus.K != nil {
		if err := s.checkApart(); err != nil {
			return err
		}
	}
	return s.classify()
}

// alone returns the workload of a class as if no other class existed.
func (s *Spec) alone(name string) *Spec {
	own, c := *s, s.Classes[name]
	own.Classes, own.classes = nil, nil
	if c.Rate > 0 {
		own.Rate = c.Rate
	}
	if len(c.Size) > 0 {
		own.Size = c.Size
	}
	if c.Pattern != "" {
		own.Pattern = c.Pattern
	}
	return &own
}

func (c *class) check(processors int) error {
	err := c.spec.check(processors)
	var wrong *input.Error
	if errors.As(err, &wrong) {
		key, _, _ := strings.Cut(strings.TrimPrefix(wrong.Place, "workload.traffic."), "[")
		if c.Rate > 0 && key == "rate" || len(c.Size) > 0 && key == "size" || c.Pattern != "" && key == "pattern" {
			wrong.Place = strings.Replace(wrong.Place, "workload.traffic.", "workload.traffic.classes."+c.name+".", 1)
		}
	}
	return cmp.Or(err, refuse(refusal{c.Requests != nil && len(c.Size) > 0, "classes." + c.name + ".size",
		"a size is given, but requests and replies have sizes of their own", "delete size, or give size in requests"}))
}

// settleVCs sets the virtual channels of each type of the class.
func (c *class) settleVCs(routers *fabric.Routers, s *Spec) error {
	all, key := routers.Config.VCs, "classes."+c.name+"."
	set := func(given []int, usual hw.VCRange, key string) (of hw.VCRange, err error) {
		if given == nil {
			return usual, nil
		}
		if s.divided = true; len(given) != 2 {
			return usual, refuse(refusal{true, key, fmt.Sprintf("%d virtual channels are given", len(given)),
				"give first and last, for example [0, 1]"})
		}
		return hw.VCRange{Low: uint8(given[0]), High: uint8(given[1])}, refuse(
			refusal{given[0] > given[1] || given[1] >= all, key,
				fmt.Sprintf("the virtual channels are %d to %d, but routers have %d", given[0], given[1], all),
				fmt.Sprintf("give first and last, within 0 to %d", all-1)},
			refusal{given[0] == given[1] && routers.Routes.Torus.K != nil, key, "the range has one virtual channel, but " +
				"routes on a torus need two", "give a range of two or more"},
			refusal{routers.Routes.Sets != nil || routers.Routes.Classes != nil || routers.Routes.VCs != nil ||
				routers.Later != nil, key, "the routes choose virtual channels by themselves",
				"delete vcs, or use routes of dimension order or tables"})
	}
	usual, err := set(c.VCs, hw.VCRange{High: uint8(all - 1)}, key+"vcs")
	if err != nil {
		return err
	}
	c.vcs[fabric.PlainPacket] = usual
	for kind := fabric.ReadRequest; kind < kinds; kind++ {
		if c.vcs[kind] = usual; c.Requests == nil {
			continue
		}
		c.vcs[kind], err = set(c.Requests.Message(kind).VCs, usual, fmt.Sprintf("%srequests.%s.vcs", key, kind))
		if err != nil {
			return err
		}
	}
	return nil
}

// checkApart refuses ranges of virtual channels that overlap in part on a torus. The routes divide each range into a
// part before and a part after a wraparound link. A virtual channel in both parts of two ranges may close a cycle.
func (s *Spec) checkApart() error {
	var before []hw.VCRange
	for i := range s.classes {
		before = append(before, s.classes[i].used()...)
		for _, a := range s.classes[i].used() {
			k := slices.IndexFunc(before, func(b hw.VCRange) bool { return a != b && a.Low <= b.High && b.Low <= a.High })
			if k >= 0 {
				return refuse(refusal{true, "classes." + s.classes[i].name,
					fmt.Sprintf("the virtual channels %d to %d overlap %d to %d in part, so packets may deadlock on a torus",
						a.Low, a.High, before[k].Low, before[k].High), "give equal ranges, or ranges without a common channel"})
			}
		}
	}
	return nil
}

// used returns the ranges of the types that the class has.
func (c *class) used() []hw.VCRange {
	if c.Requests == nil {
		return c.vcs[:fabric.ReadRequest]
	}
	return c.vcs[fabric.ReadRequest:]
}

// rate returns the packets per processor and cycle of all classes.
func (s *Spec) rate() (sum float64) {
	if len(s.classes) == 0 {
		return s.Rate
	}
	for i := range s.classes {
		if sum += s.classes[i].spec.Rate; s.classes[i].Requests != nil {
			sum += s.classes[i].spec.Rate
		}
	}
	return sum
}

// Replies reports whether packets get replies: those of a file by its rows, others by their classes.
func (s *Spec) Replies() bool {
	if s.rows != nil {
		return slices.ContainsFunc(s.rows, func(x rowClass) bool { return x.request > 0 })
	}
	return slices.ContainsFunc(s.classes, func(c class) bool { return c.Requests != nil })
}

// rowClass is the class of a packet of a file.
type rowClass struct {
	class, asks uint8 // numbers of its class and, for a reply, of the class of its request, otherwise equal
	kind        fabric.TrafficType
	request     uint32 // 1 + number of the row that it replies to; 0 for none
}

// rowClass returns the class that a row states, the zero value for none.
func (s *Spec) rowClass(row uint32) (of fabric.TrafficRowClass) {
	if class := s.Rows[row].Class; class > 0 {
		of = s.RowClasses[class-1]
	}
	return of
}

// classify finds the classes of all rows of a file.
func (s *Spec) classify() error {
	number, row := map[string]uint8{}, make(map[uint64]uint32, len(s.Rows))
	for i := range s.classes {
		number[s.classes[i].name] = uint8(i)
	}
	for i := range s.Rows {
		row[s.Rows[i].ID] = uint32(i)
	}
	answered := make([]bool, len(s.Rows))
	for i := range s.Rows {
		r, of := &s.Rows[i], s.rowClass(uint32(i))
		class, known := number[of.Name]
		x := rowClass{class, class, of.Type, 0}
		asked, exists := row[of.Request-1] // a key that no id has for no request
		fits := exists && !answered[asked] && s.rowClass(asked).Request == 0 &&
			s.Rows[asked].Source == r.Destination && s.Rows[asked].Destination == r.Source
		place := func() string { return fmt.Sprintf("%s:%d:1", s.Path, r.Line) }
		switch {
		case !known:
			return input.Mistake(place(), fmt.Sprintf("the class is %q", input.Clip(of.Name)),
				input.DidYouMean(of.Name, s.ClassNames(), "write a name of classes: "+strings.Join(s.ClassNames(), ", ")))
		case of.Type >= kinds:
			return input.Mistake(place(), "the type is unknown",
				"write one of: "+strings.Join(fabric.TrafficTypes(), ", ")+"; or BookSim's number: 0 to 3, 4 for plain")
		case of.Request > 0 && !fits:
			return input.Mistake(place(), fmt.Sprintf("packet %d is no reply to a packet", r.ID),
				"request is the id of a packet in the opposite direction, which has one reply; -1 or nothing for none")
		case of.Request > 0:
			answered[asked], x.asks, x.request = true, number[s.rowClass(asked).Name], asked+1
		}
		s.rows = append(s.rows, x)
	}
	return nil
}
