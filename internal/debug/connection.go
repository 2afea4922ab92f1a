package debug

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
)

// connection transports packets: $DATA#CHECKSUM, each acknowledged by + unless gdb ends that.
type connection struct {
	net.Conn
	packets     chan string // closed at the end of the connection
	interrupted atomic.Bool // gdb wants a stop
	silent      atomic.Bool // without acknowledgements
}

// packetBytesMax limits the length of a packet.
const packetBytesMax = 16 << 10

const noAcknowledgements = "QStartNoAckMode"

func newConnection(c net.Conn) *connection {
	x := &connection{Conn: c, packets: make(chan string)}
	go x.receive()
	return x
}

func (x *connection) receive() {
	defer close(x.packets)
	r := bufio.NewReaderSize(x, packetBytesMax)
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return
		case b == 0x03:
			x.interrupted.Store(true)
		case b == '$':
			packet, err := x.packet(r)
			if err != nil {
				return
			}
			if packet == noAcknowledgements {
				x.send("OK")
				x.silent.Store(true)
				continue
			}
			x.packets <- packet
		}
	}
}

// packet reads a packet after its first byte, and asks for it again until its checksum is correct.
func (x *connection) packet(r *bufio.Reader) (string, error) {
	for {
		data, err := r.ReadSlice('#')
		if err != nil {
			return "", err
		}
		text := string(data[:len(data)-1])
		var digits [2]byte
		if _, err := io.ReadFull(r, digits[:]); err != nil {
			return "", err
		}
		if x.silent.Load() {
			return text, nil
		}
		if fmt.Sprintf("%02x", checksum(text)) == strings.ToLower(string(digits[:])) {
			_, err := io.WriteString(x, "+")
			return text, err
		}
		if _, err := io.WriteString(x, "-"); err != nil {
			return "", err
		}
		if _, err := r.ReadSlice('$'); err != nil {
			return "", err
		}
	}
}

// send sends a packet. An error shows as the end of the connection.
func (x *connection) send(text string) { fmt.Fprintf(x, "$%s#%02x", text, checksum(text)) }

func checksum(text string) (sum byte) {
	for _, b := range []byte(text) {
		sum += b
	}
	return sum
}
