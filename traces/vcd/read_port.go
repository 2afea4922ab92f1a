package vcd

// portStates are the states of a bit of a port and what they are as a digit (IEEE 1364-2005, section 18.4.3.1):
// low, high, unknown and three-state of the side that drives in, of the one that drives out, and of both.
var portStates = map[string]byte{"DdLl0": '0', "UuHh1": '1', "NX?AaBbCc": 'x', "ZTFf": 'z'}

var portDigits = makePortDigits()

func makePortDigits() (table [256]byte) {
	for states, digit := range portStates {
		for _, state := range []byte(states) {
			table[state] = digit
		}
	}
	return table
}
