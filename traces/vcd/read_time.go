package vcd

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

const (
	// placesMax is how many digits after the point of a time are read.
	placesMax = 6
	// measureBytes is how much of the changes says how many digits times have after the point.
	measureBytes = 64 << 10
)

// measureTimes makes the time scale finer if times have fractions: those at the beginning of the changes tell.
func (r *Reader) measureTimes() error {
	for r.end-r.pos < measureBytes && !r.eof {
		if _, err := r.more(); err != nil {
			return err
		}
	}
	rest := r.buf[r.pos:min(r.end, r.pos+measureBytes)]
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, newline)
		rest = after
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] != '#' {
			continue
		}
		if token, _, _ := bytes.Cut(bytes.TrimSpace(line[1:]), []byte(" ")); isDecimal(token) {
			_, fraction, _ := bytes.Cut(token, []byte("."))
			r.places = max(r.places, len(bytes.TrimRight(fraction, "0")))
		}
	}
	r.places = min(r.places, placesMax, int(r.header.Timescale-timescaleMin))
	r.header.Timescale -= Timescale(r.places)
	high, low := bits.Mul64(r.tick, power10(Timescale(r.places)))
	if high != 0 {
		return r.fail(r.pos, "the $timescale is too long for times with a fraction", "correct the $timescale")
	}
	r.tick, r.header.Tick = low, low
	return nil
}

// isDecimal reports whether a token is digits, with at most one point among or after them.
func isDecimal(token []byte) bool {
	points := 0
	for _, c := range token {
		switch {
		case c == '.':
			points++
		case c-'0' > 9:
			return false
		}
	}
	return len(token) > 0 && points <= 1 && token[0] != '.'
}

// readTime reads #time. It returns true when it is the next one.
func (r *Reader) readTime(at int) bool {
	start := at + 1
	number, overflow := uint64(0), false
	end := start
	for ; r.buf[end]-'0' <= 9; end++ {
		digit := uint64(r.buf[end] - '0')
		overflow = overflow || number > (math.MaxUint64-digit)/10
		number = 10*number + digit
	}
	if end == start || r.buf[end] > ' ' || overflow || r.tick != 1 {
		return r.readOddTime(at)
	}
	if end == r.end {
		r.cut()
		return false
	}
	return r.timeAt(at, end, number)
}

// readOddTime reads what is not a # and digits alone: # 5, #3.0, #2.75.
func (r *Reader) readOddTime(at int) (done bool) {
	start := at + 1
	for start < r.end && (r.buf[start] == ' ' || r.buf[start] == '\t') {
		start++
	}
	end := r.tokenEnd(start)
	if end == r.end {
		r.cut()
		return false
	}
	token := r.buf[start:end]
	expected := func() bool {
		r.bad(at, fmt.Sprintf("found %s, expected a time such as #120", shown(bytes.TrimSpace(r.buf[at:end]))))
		return false
	}
	if !isDecimal(token) {
		return expected()
	}
	whole, fraction, _ := bytes.Cut(token, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	number, err := strconv.ParseUint(string(whole), 10, 64)
	high, low := bits.Mul64(number, r.tick)
	if err != nil || high != 0 {
		return expected()
	}
	if len(fraction) > r.places {
		fraction = fraction[:r.places]
		r.cutOff++
	}
	part, _ := strconv.ParseUint("0"+string(fraction), 10, 64) // at most placesMax digits
	low, carry := bits.Add64(low, part*(r.tick/power10(Timescale(len(fraction)))), 0)
	if carry != 0 {
		return expected()
	}
	return r.timeAt(at, end, low)
}

// timeAt takes a time, in units of the time scale. It returns true when it is the next one.
func (r *Reader) timeAt(at, end int, number uint64) bool {
	switch {
	case r.started && number < r.now:
		now := strconv.FormatUint(r.now, 10)
		if r.tick != 1 {
			now = strconv.FormatFloat(float64(r.now)/float64(r.tick), 'f', -1, 64)
		}
		r.bad(at, fmt.Sprintf("time %s after #%s, expected a later one", r.buf[at:end], now))
		return false
	case r.started && number == r.now:
		r.pos = end
		return false
	}
	r.pos = end
	r.next, r.hasNext, r.snapshot = number, true, noSnapshot // not every writer has an $end
	return true
}
