// Package packetlayer decodes and writes captured packets with gopacket. It is a package of its own because the tables
// of gopacket's layers take 4 ms at the start of every program that imports them.
package packetlayer

import (
	"encoding/binary"
	"fmt"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"starloom/nic"
	"starloom/traces/pcapng"
)

// A captured packet is a pseudo-header, followed by the frame if it was visible:
//
//	+---------------------------+------------------------+-------------------+
//	| PseudoHeaderLayer (16 B)  | FrameLayer: header ... | payload ... | CRC |
//	+---------------------------+------------------------+-------------------+
//
// Captures have link type USER0. This link type has no fixed meaning, so gopacket's table of link types has no
// decoder for it. The decoder is LayerTypePseudoHeader:
//
//	packet := gopacket.NewPacket(data, packetlayer.LayerTypePseudoHeader, gopacket.Default)
//	frame, ok := packet.Layer(packetlayer.LayerTypeFrame).(*packetlayer.FrameLayer)

// LayerTypePseudoHeader is the gopacket layer type, and the decoder, of a captured packet.
var LayerTypePseudoHeader = gopacket.RegisterLayerType(1470, gopacket.LayerTypeMetadata{
	Name:    "StarloomPseudoHeader",
	Decoder: gopacket.DecodeFunc(decodePseudoHeader),
})

// LayerTypeFrame is the gopacket layer type, and the decoder, of a bare frame.
var LayerTypeFrame = gopacket.RegisterLayerType(1471, gopacket.LayerTypeMetadata{
	Name:    "StarloomFrame",
	Decoder: gopacket.DecodeFunc(decodeFrame),
})

// PseudoHeaderLayer is the pseudo-header of a captured packet.
type PseudoHeaderLayer struct {
	layers.BaseLayer
	Direction pcapng.Direction
	Status    nic.Status // StatusIdle for a sent frame
	Port      uint16     // port, pcapng.PortNone if unknown
	Slot      uint32
	Cycle     uint64
}

func (l *PseudoHeaderLayer) LayerType() gopacket.LayerType { return LayerTypePseudoHeader }

func (l *PseudoHeaderLayer) CanDecode() gopacket.LayerClass { return LayerTypePseudoHeader }

// NextLayerType returns LayerTypeFrame, or LayerTypeZero without a frame.
func (l *PseudoHeaderLayer) NextLayerType() gopacket.LayerType {
	if len(l.Payload) == 0 {
		return gopacket.LayerTypeZero
	}
	return LayerTypeFrame
}

// DecodeFromBytes reads the pseudo-header at the start of data. The layer aliases data afterwards. It returns an
// error for bytes that Starloom never writes.
func (l *PseudoHeaderLayer) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < pcapng.PseudoHeaderBytes {
		df.SetTruncated()
	}
	p, err := pcapng.ParsePseudoHeader(data)
	if err != nil {
		return err
	}
	if int(p.Status()) >= len(nic.StatusNames) {
		return fmt.Errorf("pseudo-header: status %d; allowed: 0 to %d", p.Status(), len(nic.StatusNames)-1)
	}
	*l = PseudoHeaderLayer{
		BaseLayer: layers.BaseLayer{Contents: data[:pcapng.PseudoHeaderBytes], Payload: p.Frame()},
		Direction: p.Direction(),
		Status:    nic.Status(p.Status()),
		Port:      p.Port(),
		Slot:      p.Slot(),
		Cycle:     p.Cycle(),
	}
	return nil
}

func (l *PseudoHeaderLayer) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	head, err := b.PrependBytes(pcapng.PseudoHeaderBytes)
	if err != nil {
		return err
	}
	pcapng.PutPseudoHeader(head,
		&pcapng.Header{Direction: l.Direction, Status: uint8(l.Status), Port: l.Port, Slot: l.Slot, Cycle: l.Cycle})
	return nil
}

func decodePseudoHeader(data []byte, p gopacket.PacketBuilder) error {
	return decodeLayer(&PseudoHeaderLayer{}, data, p, LayerTypeFrame)
}

// decodeLayer adds a layer. Decoding then continues with the layer's payload, if any.
func decodeLayer(l interface {
	gopacket.Layer
	DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error
}, data []byte, p gopacket.PacketBuilder, next gopacket.Decoder) error {
	if err := l.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(l)
	if len(l.LayerPayload()) == 0 {
		return nil
	}
	return p.NextDecoder(next)
}

// FrameLayer is a frame. A wrong CRC is not a decoding error, because captures are used to study damaged frames; see
// Valid.
type FrameLayer struct {
	layers.BaseLayer // Contents is the header alone
	nic.Header
	CRC   uint16
	Valid bool // the CRC is correct; set by DecodeFromBytes only
}

func (l *FrameLayer) LayerType() gopacket.LayerType { return LayerTypeFrame }

func (l *FrameLayer) CanDecode() gopacket.LayerClass { return LayerTypeFrame }

// NextLayerType returns gopacket.LayerTypePayload, or LayerTypeZero for a frame without payload.
func (l *FrameLayer) NextLayerType() gopacket.LayerType {
	if len(l.Payload) == 0 {
		return gopacket.LayerTypeZero
	}
	return gopacket.LayerTypePayload
}

// DecodeFromBytes reads the frame in data. The layer aliases data afterwards. It returns an error if version, kind or
// length is illegal.
func (l *FrameLayer) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < nic.FrameBytesMin {
		df.SetTruncated()
		return fmt.Errorf("frame: %d bytes; a frame has at least %d", len(data), nic.FrameBytesMin)
	}
	if v := data[0] >> 4; v != nic.Version {
		return fmt.Errorf("frame: version %d, want %d", v, nic.Version)
	}
	h := nic.GetHeader(data)
	if h.Kind >= nic.KindCount {
		return fmt.Errorf("frame: %v is not data, ack or control", h.Kind)
	}
	if want := nic.FrameBytes(h.PayloadBytes); len(data) != want {
		if len(data) < want {
			df.SetTruncated()
		}
		return fmt.Errorf("frame: %d bytes, its header says %d", len(data), want)
	}
	f := nic.Frame(data)
	*l = FrameLayer{
		BaseLayer: layers.BaseLayer{Contents: data[:nic.HeaderBytes], Payload: f.Payload()},
		Header:    h,
		CRC:       f.CRC(),
		Valid:     f.Valid(),
	}
	return nil
}

// SerializeTo adds header and CRC to the payload in b. It computes the header's length with FixLengths, and the CRC
// with ComputeChecksums. Otherwise it writes the layer's values unchecked. It returns an error for a payload above
// PayloadBytesMax bytes, or for a length that exceeds the field.
func (l *FrameLayer) SerializeTo(b gopacket.SerializeBuffer, opts gopacket.SerializeOptions) error {
	payloadBytes := len(b.Bytes())
	if payloadBytes > nic.PayloadBytesMax {
		return fmt.Errorf("frame: a payload of %d bytes; at most %d are allowed", payloadBytes, nic.PayloadBytesMax)
	}
	h := l.Header
	if opts.FixLengths {
		h.PayloadBytes = payloadBytes
	}
	if h.PayloadBytes < 0 || h.PayloadBytes > 0xFFFF {
		return fmt.Errorf("frame: payload_bytes is %d, but the field holds 0 to 65535", h.PayloadBytes)
	}
	if h.Kind > 0xF {
		return fmt.Errorf("frame: kind is %d, but the field holds 0 to 15", uint8(h.Kind))
	}
	head, err := b.PrependBytes(nic.HeaderBytes)
	if err != nil {
		return err
	}
	nic.PutHeader(head, h)
	tail, err := b.AppendBytes(nic.CRCBytes)
	if err != nil {
		return err
	}
	crc := l.CRC
	if opts.ComputeChecksums {
		all := b.Bytes()
		crc = nic.Checksum(all[:len(all)-nic.CRCBytes])
	}
	binary.BigEndian.PutUint16(tail, crc)
	return nil
}

func decodeFrame(data []byte, p gopacket.PacketBuilder) error {
	return decodeLayer(&FrameLayer{}, data, p, gopacket.LayerTypePayload)
}
