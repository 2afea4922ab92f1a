// Package pcapngtest reads captures written by Starloom, for tests. It uses package pcapng only for the
// pseudo-header: after a check of all blocks, gopacket reads the packets.
//
//	capture.pcapng --blocks, one by one--> Read --gopacket--> Capture: comment, interfaces, packets
package pcapngtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"starloom/traces/pcapng"
)

// Capture is a packet capture in memory.
type Capture struct {
	Comment string
	Packets []Packet
}

// Packet is one packet of a capture.
type Packet struct {
	Interface    string
	PseudoHeader pcapng.PseudoHeader // pseudo-header followed by the frame
}

// Block types and lengths that Starloom writes.
const (
	blockSection    = 0x0A0D0D0A
	blockInterface  = 1
	blockPacket     = 6
	blockBytesMin   = 12
	sectionMagic    = 0x1A2B3C4D
	optionName      = 2
	optionTimeScale = 9
)

// Read reads a capture written by Starloom. It first checks lengths, because gopacket's reader does not. It rejects,
// with the place, a file that Starloom would not write.
func Read(data []byte) (*Capture, error) {
	packets, err := checkBlocks(data)
	if err != nil {
		return nil, fmt.Errorf("pcapng: %w: give a capture that Starloom wrote", err)
	}
	r, err := pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.NgReaderOptions{WantMixedLinkType: true})
	if err != nil {
		return nil, fmt.Errorf("pcapng: %w", err)
	}
	capture := &Capture{Comment: r.SectionInfo().Comment, Packets: make([]Packet, 0, packets)}
	for range packets {
		bytes, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("pcapng: packet %d: %w", len(capture.Packets), err)
		}
		port, err := r.Interface(info.InterfaceIndex)
		if err != nil {
			return nil, fmt.Errorf("pcapng: packet %d: %w", len(capture.Packets), err)
		}
		header, err := pcapng.ParsePseudoHeader(bytes)
		if err != nil {
			return nil, fmt.Errorf("pcapng: packet %d: %w", len(capture.Packets), err)
		}
		if got := uint64(info.Timestamp.UnixNano()); got != header.Cycle() {
			return nil, fmt.Errorf("pcapng: packet %d: its time is %d ns, but its cycle is %d",
				len(capture.Packets), got, header.Cycle())
		}
		capture.Packets = append(capture.Packets, Packet{Interface: port.Name, PseudoHeader: header})
	}
	return capture, nil
}

func checkBlocks(data []byte) (packets int, err error) {
	if len(data) < 28 || binary.LittleEndian.Uint32(data) != blockSection ||
		binary.LittleEndian.Uint32(data[8:]) != sectionMagic {
		return 0, errors.New("this is not a little-endian pcapng file")
	}
	interfaces := 0
	for at := 0; at < len(data); {
		rest := data[at:]
		if len(rest) < blockBytesMin {
			return 0, fmt.Errorf("byte %d: %d bytes are left over", at, len(rest))
		}
		kind, length := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		if length < blockBytesMin || length%4 != 0 || uint64(length) > uint64(len(rest)) {
			return 0, fmt.Errorf("byte %d: a block of %d bytes, but only %d are left", at, length, len(rest))
		}
		block := rest[:length]
		if trailer := binary.LittleEndian.Uint32(block[length-4:]); trailer != length {
			return 0, fmt.Errorf("byte %d: the block's two lengths are %d and %d", at, length, trailer)
		}
		body := block[8 : length-4]
		switch {
		case kind == blockSection && at == 0 && len(body) >= 16:
			err = checkOptions(body[16:])
		case kind == blockInterface && len(body) >= 8:
			interfaces++
			if link := binary.LittleEndian.Uint16(body); link != uint16(pcapng.LinkTypeUser0) {
				return 0, fmt.Errorf("byte %d: link type %d, want %d", at, link, pcapng.LinkTypeUser0)
			}
			err = checkInterfaceOptions(body[8:])
		case kind == blockPacket && len(body) >= 20:
			packets++
			err = checkPacket(body, interfaces)
		default:
			err = fmt.Errorf("block type %#x of %d bytes is not expected here", kind, length)
		}
		if err != nil {
			return 0, fmt.Errorf("byte %d: %w", at, err)
		}
		at += int(length)
	}
	return packets, nil
}

func checkPacket(body []byte, interfaces int) error {
	number := binary.LittleEndian.Uint32(body)
	captured, length := binary.LittleEndian.Uint32(body[12:]), binary.LittleEndian.Uint32(body[16:])
	if uint64(number) >= uint64(interfaces) {
		return fmt.Errorf("packet of interface %d, there are %d", number, interfaces)
	}
	if captured != length || uint64(captured+3)&^3 != uint64(len(body)-20) {
		return fmt.Errorf("packet of %d bytes (%d captured) in a block with room for %d", length, captured, len(body)-20)
	}
	return nil
}

func checkOptions(options []byte) error {
	for len(options) > 0 {
		code, length, err := option(options)
		if err != nil {
			return err
		}
		if code == 0 {
			return nil
		}
		options = options[4+(length+3)&^3:]
	}
	return errors.New("options without end")
}

func checkInterfaceOptions(options []byte) error {
	if err := checkOptions(options); err != nil {
		return err
	}
	resolution := byte(0)
	for {
		code, length, _ := option(options) // checked above
		switch code {
		case 0:
			if resolution != 9 {
				return fmt.Errorf("the time resolution is 10^-%d s, not 10^-9 s", resolution)
			}
			return nil
		case optionName:
		case optionTimeScale:
			if length != 1 {
				return fmt.Errorf("a time resolution of %d bytes", length)
			}
			resolution = options[4]
		default:
			return fmt.Errorf("interface option %d is not expected here", code)
		}
		options = options[4+(length+3)&^3:]
	}
}

// option rejects empty options except the end of options, because gopacket's reader would return the previous value
// for them.
func option(options []byte) (code uint16, length int, err error) {
	if len(options) < 4 {
		return 0, 0, fmt.Errorf("%d bytes where an option should be", len(options))
	}
	code, length = binary.LittleEndian.Uint16(options), int(binary.LittleEndian.Uint16(options[2:]))
	switch {
	case code == 0 && (length != 0 || len(options) != 4):
		return 0, 0, errors.New("options end before their block")
	case code != 0 && (length == 0 || 4+(length+3)&^3 > len(options)):
		return 0, 0, fmt.Errorf("option %d of %d bytes, but only %d are left", code, length, len(options)-4)
	}
	return code, length, nil
}

// Tshark returns a command that runs tshark. For root, the command runs tshark as an unprivileged user with read
// access to the files in arguments, because tshark 4.4 and later load no scripts as root.
func Tshark(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("tshark")
	require.NoError(t, err, "tshark is not installed: apt-get install tshark")
	if os.Getuid() != 0 {
		return exec.Command(path, arguments...)
	}
	for _, argument := range arguments {
		file := strings.TrimPrefix(argument, "lua_script:")
		if _, err := os.Stat(file); err != nil || !filepath.IsAbs(file) {
			continue
		}
		for _, folder := range []string{filepath.Dir(file), filepath.Dir(filepath.Dir(file))} {
			if folder != os.TempDir() {
				require.NoError(t, os.Chmod(folder, 0o755))
			}
		}
		require.NoError(t, os.Chmod(file, 0o644))
	}
	plain := []string{"--reuid=65534", "--regid=65534", "--clear-groups", path}
	command := exec.Command("setpriv", append(plain, arguments...)...)
	command.Env = append(os.Environ(), "HOME=/nonexistent")
	return command
}
