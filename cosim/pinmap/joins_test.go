package pinmap

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

type wired struct {
	cosim.Device
	ports           []cosim.Port
	inputs, outputs []uint64
}

func (w *wired) Ports() []cosim.Port { return w.ports }
func (w *wired) Inputs() []uint64    { return w.inputs }
func (w *wired) Outputs() []uint64   { return w.outputs }
func (w *wired) Unknown() []uint64   { return nil }
func (w *wired) Settle() error       { return nil }
func (w *wired) Edge(uint64) error   { return nil }

// couple connects RTL to a round-robin arbiter of n with ports request_i, grant_o and index_o of 6 bits.
func couple(t *testing.T, n int, request, grant, index []string, rtl ...cosim.Port) (*Device, *wired, error) {
	m := &Map{
		Library: Library{Twins: twin.All()}, Model: "arbiter_round_robin", Parameters: twin.Parameters{"REQUESTERS": n},
		Pins: []Wiring{{"request", request}, {"grant", grant}, {"index", index}},
	}
	model, err := m.NewModel()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	ports := slices.Clone(rtl)
	require.NoError(t, cosim.PlacePorts(ports, nil))
	in, out := cosim.Words(ports)
	w := &wired{ports: ports, inputs: make([]uint64, in), outputs: make([]uint64, out)}
	d, err := m.adapt(model, w)
	return d, w, err
}

func in(name string, bits int) cosim.Port  { return cosim.Port{Name: name, Bits: bits, Input: true} }
func out(name string, bits int) cosim.Port { return cosim.Port{Name: name, Bits: bits} }

// TestJoins checks the items of ports and the values at pins. The device's inputs are reset and request, its outputs
// grant and index.
func TestJoins(t *testing.T) {
	none := []string{"g"}
	for _, c := range []struct {
		request, grant, index []string
		rtl                   []cosim.Port
		given                 uint64            // value of request, 5 bits
		driven                []uint64          // expected values at pins of the RTL
		shows                 []uint64          // outputs of the RTL
		seen                  [2]uint64         // grant, index
		fits                  uint64            // 0b10110 after Fit
		breaks                map[uint64]string // reason, by value of the RTL's last output
	}{
		{
			request: []string{"a[3:0]", "b"}, grant: none, index: []string{"0", "i"},
			rtl:   []cosim.Port{in("a", 4), in("b", 1), out("g", 5), out("i", 3)},
			given: 0b10110, driven: []uint64{0b1011, 0}, shows: []uint64{0b100, 5}, seen: [2]uint64{4, 5}, fits: 0b10110,
		},
		{
			request: []string{"reverse(a)"}, grant: []string{"~reverse(g)"}, index: []string{"2'b01", "~i", "1'd0"},
			rtl:   []cosim.Port{in("a", 5), out("g", 5), out("i", 3)},
			given: 0b10110, driven: []uint64{0b01101}, shows: []uint64{0b11101, 0b101},
			seen: [2]uint64{0b01000, 0b010100}, fits: 0b10110,
		},
		{
			request: []string{"2'b10", "a"}, grant: none, index: []string{"low(i)"},
			rtl:   []cosim.Port{in("a", 3), out("g", 5), out("i", 9)},
			given: 0b10110, driven: []uint64{0b110}, shows: []uint64{0, 63}, seen: [2]uint64{0, 63}, fits: 0b10110,
			breaks: map[uint64]string{64: "index_o is low(i)", 1 << 8: "index_o is low(i)"},
		},
		{
			request: []string{"1'b0", "low(a)"}, grant: none, index: []string{"1", "i"},
			rtl:   []cosim.Port{in("a", 7), out("g", 5), out("i", 3)},
			given: 0b00110, driven: []uint64{0b0110}, shows: []uint64{0, 2}, seen: [2]uint64{0, 0b111010}, fits: 0b00110,
		},
		{
			request: []string{"onehot(s, v)"}, grant: []string{"onehot(i, go)"}, index: []string{"0", "i[2:0]"},
			rtl:   []cosim.Port{in("s", 3), in("v", 1), out("go", 1), out("i", 3)},
			given: 0b01000, driven: []uint64{3, 1}, shows: []uint64{1, 4}, seen: [2]uint64{0b10000, 4}, fits: 0,
			breaks: map[uint64]string{5: "grant_o is onehot(i, go)", 7: "grant_o is onehot(i, go)"},
		},
		{
			request: []string{"onehot1(s)"}, grant: []string{"onehot1(i)"}, index: []string{"0", "less1(i)"},
			rtl:   []cosim.Port{in("s", 3), out("i", 3)},
			given: 0b01000, driven: []uint64{4}, shows: []uint64{5}, seen: [2]uint64{0b10000, 4}, fits: 0,
			breaks: map[uint64]string{0: "", 1: "", 6: "grant_o is onehot1(i)", 7: "grant_o is onehot1(i)"},
		},
		{
			request: []string{"~onehot(s)"}, grant: none, index: []string{"index(h)"},
			rtl:   []cosim.Port{in("s", 3), out("g", 5), out("h", 6)},
			given: 0b11101, driven: []uint64{1}, shows: []uint64{0, 0b100000}, seen: [2]uint64{0, 5}, fits: 0b10111,
			breaks: map[uint64]string{3: "index_o is index(h)", 0b100001: "index_o is index(h)", 0: ""},
		},
	} {
		d, rtl, err := couple(t, 5, c.request, c.grant, c.index, c.rtl...)
		require.NoError(t, err, c.request)
		d.inputs[1] = c.given
		copy(rtl.outputs, c.shows)
		require.NoError(t, d.Edge(0))
		require.Equal(t, c.driven, rtl.inputs, c.request)
		require.Equal(t, c.seen[:], d.Outputs(), c.request)
		require.NoError(t, d.Check(), c.request)
		given := []uint64{0, 0b10110}
		d.Fit(given)
		require.Nil(t, d.BrokenBy(given), c.request)
		require.Equal(t, c.fits, given[1], c.request)
		d.inputs[1] = c.given
		for value, text := range c.breaks {
			rtl.outputs[len(rtl.outputs)-1] = value
			if text == "" {
				require.NoError(t, d.Check())
				continue
			}
			require.ErrorContains(t, d.Check(), text)
			require.Equal(t, text, d.Broken().Text)
		}
	}
}

// TestLimitsSayWhy checks the reason that is given if several apply, and the shown value of the RTL.
func TestLimitsSayWhy(t *testing.T) {
	for item, says := range map[string]string{
		"low(h)":             "index_o is low(h), and discarded bits of h are not 0: its value is 0xe3",
		"index(h)":           "index_o is index(h), and more than one bit of h is 1: its value is 0xe3",
		"onehot(h[4:0])":     "",
		"onehot(h[2:0])":     "",
		"index(~h[6:0])":     "index_o is index(~h[6:0]), and more than one bit of ~h[6:0] is 1: its value is 0x1c",
		"onehot1(h[7:5])":    "index_o is onehot1(h[7:5]), and h[7:5] is an index that is too large: its value is 0x7",
		"low(reverse(h))":    "index_o is low(reverse(h)), and discarded bits of reverse(h) are not 0: its value is 0xc7",
		"when(h[5:0], h[6])": "",
	} {
		d, rtl, err := couple(t, 5, []string{"r"}, []string{"g"}, []string{item}, in("r", 5), out("g", 5), out("h", 8))
		if err != nil { // the item has no limit
			require.Empty(t, says, err)
			continue
		}
		rtl.outputs[1] = 0xe3
		require.NoError(t, d.Edge(0))
		limit := d.Broken()
		require.Equal(t, says == "", limit == nil, item)
		if limit != nil {
			require.Equal(t, says, d.LimitText(limit))
		}
	}
}

// TestJoinsAreInverse checks for every legal value that the expression of a model port by RTL pins is the inverse of
// driving the pins.
func TestJoinsAreInverse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, request := range [][]string{
		{"a"}, {"~a[8:3]", "reverse(a[2:0])"}, {"0", "a[6:0]"}, {"onehot(b)"}, {"~onehot(b, ~c)"}, {"c", "onehot(b[2:0], d)"},
		{"~index(a)"}, {"onehot1(b)"}, {"~onehot1(~b)"}, {"c", "onehot1(b)"}, {"9'h1f3"}, {"low(wide)"}, {"a[8:7]", "~low(wide)", "1'b1"}, {"reverse(onehot(b))"},
	} {
		var rtl []cosim.Port
		for _, p := range []cosim.Port{in("a", 9), in("b", 4), in("c", 1), in("d", 1), in("wide", 70)} {
			if slices.ContainsFunc(request, func(item string) bool { return pinOf(item, p.Name) }) {
				rtl = append(rtl, p)
			}
		}
		if slices.Contains(request, "reverse(onehot(b))") {
			_, _, err := couple(t, 9, request, []string{"g"}, []string{"i"}, append(rtl, out("g", 9), out("i", 6))...)
			require.ErrorContains(t, err, "onehot(b) in reverse(onehot(b)) has no width of its own")
			continue
		}
		m := &Map{
			Library: Library{Twins: twin.All()}, Model: "arbiter_round_robin", Parameters: twin.Parameters{"REQUESTERS": 9},
			Pins: []Wiring{{"request", request}}, Absent: []string{"grant", "index"},
		}
		for i, p := range rtl { // bits that no item names
			if free := freeBits(request, p); free != "" {
				m.Ties = append(m.Ties, Tie{Pin: free, Value: uint64(i)})
			}
		}
		model, err := m.NewModel()
		require.NoError(t, err)
		require.NoError(t, cosim.PlacePorts(rtl, nil))
		words, _ := cosim.Words(rtl)
		d, err := m.adapt(model, &wired{ports: rtl, inputs: make([]uint64, words)})
		require.NoError(t, err, request)
		taken := 0
		for range 3000 {
			value := random.Uint64() & random.Uint64() & 0x1ff
			if random.IntN(2) == 0 {
				value ^= 0x1ff
			}
			given := []uint64{0, value}
			if d.BrokenBy(given) == nil {
				taken++
			} else {
				d.Fit(given)
				require.NotEqual(t, value, given[1], request)
			}
			require.Nil(t, d.BrokenBy(given), "%v %b", request, value)
			d.push()
			for bit, b := range d.Wires.Ports[1] {
				got, _ := d.value(b)
				require.Equal(t, given[1]>>bit&1, got, "%v: bit %d of %b", request, bit, given[1])
			}
		}
		require.Positive(t, taken, request)
		require.NoError(t, model.Close())
	}
}

func pinOf(item, name string) bool {
	read, why := ParseItem(item)
	return why == "" && names(read, name)
}

func names(item Item, name string) bool {
	return item.IsPin && item.Pin.Name == name ||
		slices.ContainsFunc(item.Of, func(of Item) bool { return names(of, name) })
}

// freeBits returns the bits of a pin that the items of TestJoinsAreInverse leave free.
func freeBits(request []string, p cosim.Port) string {
	switch text := fmt.Sprintf("%v %s", request, p.Name); text {
	case "[0 a[6:0]] a":
		return "a[8:7]"
	case "[a[8:7] ~low(wide) 1'b1] a":
		return "a[6:0]"
	case "[c onehot(b[2:0], d)] b":
		return "b[3]"
	}
	return ""
}

func TestItemsRefused(t *testing.T) {
	for item, reason := range map[string]string{
		"a b": `"a b" is not a pin`, "": `"" is not a pin`, "sum(a)": "there is no function sum", "4'b10000": "does not fit into its bits",
		"3'd8": "does not fit", "2'b12": "does not fit", "onehot(a, b, c)": "has 3 arguments", "onehot1(a, b)": "has 2 arguments", "low1(a)": "there is no function low1", "low()": `"" is not a pin`, "index(0)": "0 in index(0) has no width of its own",
	} {
		_, why := ParseItem(item)
		require.Contains(t, why, reason, item)
	}
	for _, c := range []struct {
		request []string
		reason  string
	}{
		{[]string{"0", "low(a)"}, "0 and low(a) both fill the rest of request_i"},
		{[]string{"low(a[3:0])"}, "low(a[3:0]) stands for 9 bits of request_i, but it has 4; write [0, a[3:0]]: the other bits are 0"},
		{[]string{"onehot(a[2:0])"}, "an index of 3 bits has 8 values; give both the same size by params of the RTL or parameters of the model, or write [1'd0, onehot(a[2:0])]"},
		{[]string{"1'd0", "onehot1(a[2:0])"}, "an index of 3 bits has 7 values beside 0; give both the same size by params of the RTL or parameters of the model, or write [1'd0, onehot1(a[2:0])]"},
		{[]string{"less1(a)"}, "less1(a) is for outputs of the RTL; map an input from one bit per requester"},
		{[]string{"a[3:0]"}, "or, for a number, write onehot(a[3:0]), or onehot1(a[3:0]) if it counts from 1 and 0 means none, or join"},
		{[]string{"onehot(a[3:0], a[5:4])"}, "a[5:4] has 2 bits; name one bit"},
		{[]string{"7'd0", "index(a)"}, "an index of 9 pins needs 4"},
		{[]string{"a[0:8]"}, "without bits [0:8]; bits are [8:0], with the higher index first; reverse(a) reverses the order"},
	} {
		_, _, err := couple(t, 9, c.request, []string{"g"}, []string{"i"}, in("a", 9), out("g", 9), out("i", 6))
		require.ErrorContains(t, err, c.reason)
	}
}

// This package has no long tests, but -full is passed to all packages of cosim.
var _ = flag.Bool("full", false, "run the long tests")
