package vcd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
)

// Var is a declared variable.
type Var struct {
	Path string // escaped scopes and name, separated by dots; data[3] for one bit of data
	Type string // wire, reg, integer, real, string, event, parameter ...
	Net  NetID
	Kind Kind
	Bits int // bits of the net; 0 for reals, texts and events

	// HasRange means that MSB and LSB are the declared range: [7:0], [0:3], or [3] for a single bit of a vector.
	HasRange bool
	MSB, LSB int
}

// Header is the part of a VCD before the value changes.
type Header struct {
	Date, Version string
	Comments      []string
	Timescale     Timescale // 1 ns if the file has none
	Tick          uint64    // number of Timescale units per time step: 1, except for a $timescale such as 244 ns
	HasTimescale  bool
	Scopes        int
	Vars          []Var // variables in the file's order
}

const (
	// headerTextMax limits the stored bytes of a $comment, $date or $version; headerCommentsMax limits the number of
	// comments.
	headerTextMax     = 4096
	headerCommentsMax = 64
	// headerWordsMax limits the words of a declaration.
	headerWordsMax = 64
)

const badDeclaration = "give a VCD: a declaration reads like $var wire 8 # data [7:0] $end"

// magics are the first bytes and names of other waveform formats. Open has already decompressed some of these files.
var magics = []struct{ start, what, remedy string }{
	{"\x1f\x8b", "this is compressed with gzip", "unpack it: gunzip -k FILE"},
	{fstMagic, "this is an FST file", "convert it: fst2vcd -f FILE -o FILE.vcd"},
	{fstMagicPacked, "this is a compressed FST file", "convert it: fst2vcd -f FILE -o FILE.vcd"},
	{"\x28\xb5\x2f\xfd", "this is compressed with zstd", "unpack it: zstd -d FILE"},
	{"\x0a\x0d\x0d\x0a", "this is a packet capture", "give a VCD; `starloom trace info` also reads captures"},
	{"GHDLwave", "this is a GHW file of GHDL", "let GHDL write a VCD: --vcd=FILE.vcd"},
}

func (r *Reader) readHeader() error {
	if err := r.checkMagic(); err != nil {
		return err
	}
	h := &r.header
	h.Timescale = Nanosecond
	h.Tick = 1
	var scopes []string // full paths
	for {
		token, err := r.token()
		if err != nil {
			return err
		}
		if token == nil {
			if r.read == 0 {
				return input.Mistake(r.file, "the file is empty", "give a VCD")
			}
			return r.fail(r.pos, "the file ends before $enddefinitions", "write the file again: it is truncated")
		}
		switch string(token) {
		case "$enddefinitions":
			return r.endOfHeader()
		case "$scope":
			var words []string
			if words, err = r.words(); err == nil {
				scopes, err = r.openScope(scopes, words)
			}
		case "$upscope":
			_, err = r.words()
			scopes = scopes[:max(len(scopes)-1, 0)]
		case "$var":
			scope := ""
			if len(scopes) > 0 {
				scope = scopes[len(scopes)-1]
			}
			err = r.variable(scope)
		case "$timescale":
			err = r.timescale()
		case "$end": // without a section
		default:
			err = r.remark(token)
		}
		if err != nil {
			return err
		}
	}
}

func (r *Reader) remark(keyword []byte) (err error) {
	h := &r.header
	switch string(keyword) {
	case "$date":
		h.Date, err = r.text()
	case "$version":
		h.Version, err = r.text()
	case "$comment":
		var text string
		if text, err = r.text(); len(h.Comments) < headerCommentsMax {
			h.Comments = append(h.Comments, text)
		}
	default:
		if keyword[0] != '$' {
			return r.fail(r.pos,
				fmt.Sprintf("found %s; expected a declaration ($timescale, $scope, $var ...) or $enddefinitions",
					shown(keyword)), "give a VCD")
		}
		r.pass("the $timezero is not added to times", string(keyword) == "$timezero")
		_, err = r.text() // section of a particular simulator
	}
	return err
}

func (r *Reader) endOfHeader() error {
	token, err := r.token()
	if err == nil && token != nil && string(token) != "$end" {
		r.pos -= len(token)
	}
	return err
}

// headerKeywords begin a declaration or a remark. On a new line they also end a section without $end.
var headerKeywords = map[string]bool{
	"$var": true, "$scope": true, "$upscope": true, "$enddefinitions": true, "$timescale": true,
	"$date": true, "$version": true, "$comment": true,
}

// sectionEnds reports whether a token ends a section: an $end, or the start of the next section, which is then read
// again.
func (r *Reader) sectionEnds(token []byte) bool {
	if token[0] != '$' {
		return false
	}
	if r.newLine && headerKeywords[string(token)] {
		r.pos -= len(token)
		return true
	}
	return string(token) == "$end"
}

func (r *Reader) checkMagic() error {
	for r.end < 16 {
		if ok, err := r.more(); err != nil {
			return err
		} else if !ok {
			break
		}
	}
	for _, magic := range magics {
		if bytes.HasPrefix(r.buf[:r.end], []byte(magic.start)) {
			return input.Mistake(r.file, magic.what+", not a VCD", strings.ReplaceAll(magic.remedy, "FILE", r.file))
		}
	}
	return nil
}

func (r *Reader) words() (words []string, err error) {
	for {
		token, err := r.token()
		switch {
		case err != nil:
			return nil, err
		case token == nil:
			return nil, r.fail(r.pos, "the file ends within a declaration; expected $end", "write the file again: it is "+
				"truncated")
		case r.sectionEnds(token):
			return words, nil
		case len(words) == headerWordsMax:
			return nil, r.fail(r.pos, fmt.Sprintf("a declaration of more than %d words; expected $end",
				headerWordsMax), badDeclaration)
		}
		words = append(words, string(token))
	}
}

// text returns the text before the next $end. White space becomes one space or newline. A long text is truncated.
func (r *Reader) text() (string, error) {
	var text []byte
	for {
		token, err := r.token()
		switch {
		case err != nil:
			return "", err
		case token == nil:
			return "", r.fail(r.pos, "the file ends within a comment; expected $end", "write the file again: it is truncated")
		case r.sectionEnds(token):
			return string(text), nil
		}
		if len(text)+len(token) < headerTextMax {
			switch {
			case len(text) == 0:
			case r.newLine:
				text = append(text, '\n')
			default:
				text = append(text, ' ')
			}
			text = append(text, token...)
		}
	}
}

func (r *Reader) timescale() error {
	words, err := r.words()
	if err != nil {
		return err
	}
	scale, tick, err := parseTimescale(strings.Join(words, " "))
	if err != nil {
		return r.fail(r.pos, "$timescale: "+err.Error(), "correct the line")
	}
	r.header.Timescale, r.tick, r.header.HasTimescale = scale, tick, true
	return nil
}

const scopeDepthMax = 1024

func (r *Reader) openScope(scopes, words []string) ([]string, error) {
	if len(words) < 1 || len(words) > 2 {
		found := traces.Plural(len(words), "word", "words")
		return nil, r.fail(r.pos, fmt.Sprintf("$scope with %s; expected a kind and a name", found),
			"give a VCD: a scope reads like $scope module top $end")
	}
	if len(scopes) == scopeDepthMax {
		return nil, r.fail(r.pos, fmt.Sprintf("more than %d nested scopes", scopeDepthMax), "give a VCD that is nested "+
			"less deeply")
	}
	name := "" // some tools write scopes without a name
	if len(words) == 2 {
		name = escape.Replace(strings.TrimPrefix(words[1], `\`))
	}
	if len(scopes) > 0 {
		name = JoinPath(scopes[len(scopes)-1], name)
	}
	r.header.Scopes++
	return append(scopes, name), nil
}

// escape escapes dots in a name, such as an escaped Verilog name, because dots separate scopes.
var escape = strings.NewReplacer(`\`, `\\`, ".", `\x2e`)

// JoinPath joins a scope and a name; either may be empty.
func JoinPath(scope, name string) string {
	switch {
	case scope == "":
		return name
	case name == "":
		return scope
	}
	return scope + "." + name
}

var varKinds = map[string]Kind{
	"real": KindReal, "realtime": KindReal, "shortreal": KindReal, "real_parameter": KindReal,
	"string": KindText, "event": KindEvent,
}

const portsPassed = "strengths and directions of ports ($dumpports)"

func (r *Reader) variable(scope string) error {
	words, err := r.words()
	if err != nil {
		return err
	}
	if len(words) < 4 {
		found := traces.Plural(len(words), "word", "words")
		return r.fail(r.pos, fmt.Sprintf("$var with %s; expected a kind, bits, an identifier code and a name", found),
			badDeclaration)
	}
	v := Var{Type: r.intern([]byte(words[0])), Kind: varKinds[words[0]]}
	r.pass(portsPassed, words[0] == "port")
	v.Bits, err = strconv.Atoi(words[1])
	if msb, lsb, ok := parseRange(words[1]); ok { // a port in the notation of VCS
		v.Bits, err = max(msb-lsb, lsb-msb)+1, nil
		v.MSB, v.LSB, v.HasRange = msb, lsb, true
	}
	if err != nil || v.Bits < 0 || v.Bits > bitsMax {
		return r.fail(r.pos, fmt.Sprintf("$var with %q bits; expected a number from 1 to %d", words[1],
			bitsMax), badDeclaration)
	}
	v.Bits = max(v.Bits, 1) // an array without elements, as in GTKWave
	v.reference(scope, words[3], strings.Join(words[4:], ""))
	number, ok := codeNumber([]byte(words[2]))
	if !ok {
		return r.fail(r.pos, fmt.Sprintf("identifier code %q, expected printable ASCII", words[2]), badDeclaration)
	}
	v.Net = r.codes.find(number, []byte(words[2]))
	if v.Net == noNet {
		if v.Kind != KindBits {
			v.Bits = 0
		}
		v.Net = NetID(len(r.nets))
		r.nets = append(r.nets, net{bits: uint32(v.Bits), kind: v.Kind})
		r.codes.add(number, words[2], v.Net)
		if words[0] == "parameter" && v.Bits == parameterBits {
			r.parameters = append(r.parameters, parameter{v.Net, []byte(" " + words[2] + "\n")})
		}
	}
	// the first declaration of a net defines its kind and width
	v.Bits, v.Kind = int(r.nets[v.Net].bits), r.nets[v.Net].kind
	r.header.Vars = append(r.header.Vars, v)
	return nil
}

// reference sets path and range from a name and the words after it. An escaped name may contain any characters,
// including brackets.
//
//	data [7:0]   data[7:0]   data [3]   data[3]   mem[2] [7:0]   \odd[1 [7:0]
func (v *Var) reference(scope, name, indices string) {
	if plain, escaped := strings.CutPrefix(name, `\`); escaped {
		name = plain
	} else if at := strings.LastIndexByte(name, '['); at > 0 && indices == "" {
		if _, _, ok := parseRange(name[at:]); ok && (v.Bits == 1 || strings.Contains(name[at:], ":")) {
			name, indices = name[:at], name[at:]
		}
	}
	at := max(strings.LastIndexByte(indices, '['), 0)
	if msb, lsb, ok := parseRange(indices[at:]); ok {
		v.MSB, v.LSB, v.HasRange = msb, lsb, true
		if strings.Contains(indices[at:], ":") {
			indices = indices[:at]
		}
	}
	v.Path = JoinPath(scope, escape.Replace(name+indices))
}

func parseRange(text string) (msb, lsb int, ok bool) {
	if len(text) < 3 || text[0] != '[' || text[len(text)-1] != ']' {
		return 0, 0, false
	}
	high, low, both := strings.Cut(text[1:len(text)-1], ":")
	msb, err := strconv.Atoi(high)
	if err != nil {
		return 0, 0, false
	}
	if !both {
		return msb, msb, true
	}
	lsb, err = strconv.Atoi(low)
	return msb, lsb, err == nil
}

// Indices returns the indices of the first and last digit: the declared range or, without a declared range, [n-1:0].
func (v *Var) Indices() (msb, lsb int) {
	if v.HasRange {
		return v.MSB, v.LSB
	}
	return v.Bits - 1, 0
}

// bitPosition returns the position of the bit with a declared index, counted from the least significant bit.
func (v *Var) bitPosition(index int) (int, bool) {
	msb, lsb := v.Indices()
	position := index - lsb
	if msb < lsb {
		position = -position
	}
	return position, position >= 0 && position < v.Bits
}

// Some simulators declare a real parameter as bits, then assign a real:
//
//	$var parameter 64 ! P $end
//	r3.25 !
//
// The first value of the parameter determines its kind. vcd2fst copies 64 bytes from the memory of that real, and
// fst2vcd writes these bytes in place of digits: the real in the machine's byte order, then arbitrary bytes,
// including white space.

const parameterBits = 64

type parameter struct {
	net NetID
	end []byte // end of a value's line: space, identifier code, newline
}

// parametersBytes is the size in bytes of the changes searched for the first values of parameters.
const parametersBytes = 1 << 20

func (r *Reader) measureParameters(parameters []parameter) error {
	if len(parameters) == 0 {
		return nil
	}
	for r.end-r.pos < parametersBytes && !r.eof {
		if _, err := r.more(); err != nil {
			return err
		}
	}
	rest := r.buf[r.pos:min(r.end, r.pos+parametersBytes)]
	for len(rest) > 0 {
		for _, p := range parameters {
			length := 0
			switch {
			case rest[0]|0x20 == 'r':
				line, _, _ := bytes.Cut(rest, newline)
				if fields := bytes.Fields(line); len(fields) == 2 && bytes.Equal(fields[1], bytes.TrimSpace(p.end)) {
					length = len(line)
				}
			case r.fst && !isDigits(rest):
				length = p.raw(rest)
			}
			if length > 0 {
				r.makeReal(p)
				rest = rest[length:]
				break
			}
		}
		_, rest, _ = bytes.Cut(rest, newline)
	}
	return nil
}

func isDigits(line []byte) bool {
	for _, c := range line[1:min(len(line), 1+parameterBits)] {
		if digitValues[c] == badDigit {
			return false
		}
	}
	return true
}

// raw returns the length of a line with the bytes of a real, 0 for other lines.
func (p *parameter) raw(line []byte) int {
	if line[0] != 'b' || len(line) < 1+parameterBits || !bytes.HasPrefix(line[1+parameterBits:], p.end) {
		return 0
	}
	return parameterBits + len(p.end)
}

func (r *Reader) makeReal(p parameter) {
	if r.fst {
		r.raws = append(r.raws, p)
	}
	r.nets[p.net].kind, r.nets[p.net].bits = KindReal, 0
	for i := range r.header.Vars {
		if v := &r.header.Vars[i]; v.Net == p.net {
			v.Kind, v.Bits, v.HasRange = KindReal, 0, false
		}
	}
}

// readRaw reads the bytes of a real parameter. It returns false for other lines.
func (r *Reader) readRaw(at int) bool {
	for i := range r.raws {
		p := &r.raws[i]
		if r.end < at+1+parameterBits+len(p.end) && !r.eof {
			r.cut()
			return true
		}
		length := p.raw(r.buf[at:r.end])
		if length == 0 {
			continue
		}
		n := &r.nets[p.net]
		r.pos = at + length
		if r.off {
			return true
		}
		n.changes++
		if n.watched {
			r.setReal(n, p.net, math.Float64frombits(binary.LittleEndian.Uint64(r.buf[at+1:])))
		}
		return true
	}
	return false
}
