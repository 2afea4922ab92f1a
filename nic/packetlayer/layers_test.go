package packetlayer

import (
	"bytes"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/nic"
	"starloom/traces/pcapng"
)

// feedback is a gopacket.DecodeFeedback that remembers.
type feedback struct{ truncated bool }

func (f *feedback) SetTruncated() { f.truncated = true }

// serialised returns a captured data frame, made through the layers.
func serialised(t testing.TB, payload []byte) []byte {
	t.Helper()
	b := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		&PseudoHeaderLayer{Direction: pcapng.Received, Status: nic.StatusOK, Port: 3, Slot: 5, Cycle: 77},
		&FrameLayer{Header: nic.Header{Kind: nic.KindData, Flags: 1, Source: 2, Destination: 3, Tag: 4}},
		gopacket.Payload(payload))
	require.NoError(t, err)
	return bytes.Clone(b.Bytes())
}

func TestLayersRoundTrip(t *testing.T) {
	for _, payload := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte{0xA5}, nic.PayloadBytesMax)} {
		data := serialised(t, payload)
		want := nic.Marshal(make([]byte, nic.FrameBytes(len(payload))),
			nic.Header{Kind: nic.KindData, Flags: 1, Source: 2, Destination: 3, Tag: 4}, payload)
		require.Equal(t, []byte(want), data[pcapng.PseudoHeaderBytes:], "the layer writes what Marshal writes")

		packet := gopacket.NewPacket(data, LayerTypePseudoHeader, gopacket.DecodeOptions{SkipDecodeRecovery: true})
		require.Nil(t, packet.ErrorLayer())
		pseudo := packet.Layer(LayerTypePseudoHeader).(*PseudoHeaderLayer)
		assert.Equal(t, pcapng.Received, pseudo.Direction)
		assert.Equal(t, nic.StatusOK, pseudo.Status)
		assert.EqualValues(t, 5, pseudo.Slot)
		assert.EqualValues(t, 77, pseudo.Cycle)
		frame := packet.Layer(LayerTypeFrame).(*FrameLayer)
		assert.Equal(t, nic.Header{Kind: nic.KindData, Flags: 1, PayloadBytes: len(payload), Source: 2,
			Destination: 3, Tag: 4}, frame.Header)
		assert.True(t, frame.Valid)
		assert.Equal(t, want.CRC(), frame.CRC)
		if len(payload) == 0 {
			assert.Nil(t, packet.ApplicationLayer())
			assert.Equal(t, gopacket.LayerTypeZero, frame.NextLayerType())
		} else {
			assert.Equal(t, payload, packet.ApplicationLayer().Payload())
		}
	}
}

// The parser that does not allocate walks the same way.
func TestLayersInDecodingLayerParser(t *testing.T) {
	var pseudo PseudoHeaderLayer
	var frame FrameLayer
	var payload gopacket.Payload
	parser := gopacket.NewDecodingLayerParser(LayerTypePseudoHeader, &pseudo, &frame, &payload)
	var decoded []gopacket.LayerType
	require.NoError(t, parser.DecodeLayers(serialised(t, []byte("hello")), &decoded))
	assert.Equal(t, []gopacket.LayerType{LayerTypePseudoHeader, LayerTypeFrame, gopacket.LayerTypePayload}, decoded)
	assert.Equal(t, "hello", string(payload))
}

func TestCollisionHasNoFrame(t *testing.T) {
	data := make([]byte, pcapng.PseudoHeaderBytes)
	pcapng.PutPseudoHeader(data,
		&pcapng.Header{Direction: pcapng.Received, Status: uint8(nic.StatusCollision), Slot: 1, Cycle: 2})
	packet := gopacket.NewPacket(data, LayerTypePseudoHeader, gopacket.Default)
	require.Nil(t, packet.ErrorLayer())
	assert.Len(t, packet.Layers(), 1)
	assert.Equal(t, nic.StatusCollision, packet.Layer(LayerTypePseudoHeader).(*PseudoHeaderLayer).Status)
}

func TestDamagedFrameDecodesWithValidFalse(t *testing.T) {
	data := serialised(t, []byte("hello"))
	data[len(data)-4] ^= 1
	frame := gopacket.NewPacket(data, LayerTypePseudoHeader, gopacket.Default).Layer(LayerTypeFrame).(*FrameLayer)
	assert.False(t, frame.Valid)
}

func TestFrameLayerWritesWrongValuesOnRequest(t *testing.T) {
	b := gopacket.NewSerializeBuffer()
	l := &FrameLayer{Header: nic.Header{PayloadBytes: 9}, CRC: 0x1234}
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, l, gopacket.Payload("ab")))
	assert.Equal(t, 9, nic.GetHeader(b.Bytes()).PayloadBytes)
	assert.EqualValues(t, 0x1234, nic.Frame(b.Bytes()).CRC())
	for _, bad := range []*FrameLayer{{Header: nic.Header{PayloadBytes: -1}}, {Header: nic.Header{PayloadBytes: 65536}},
		{Header: nic.Header{Kind: 16}}} {
		assert.Error(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, bad))
	}
	assert.ErrorContains(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, l, gopacket.Payload(make([]byte, nic.PayloadBytesMax+1))), "65505 bytes")
}

func TestLayersRefuse(t *testing.T) {
	good := serialised(t, []byte("hello"))
	for name, c := range map[string]struct {
		change    func(b []byte) []byte
		truncated bool
	}{
		"short pseudo-header":  {func(b []byte) []byte { return b[:15] }, true},
		"pseudo version":       {func(b []byte) []byte { b[0] = 1; return b }, false},
		"direction":            {func(b []byte) []byte { b[1] = 0x20; return b }, false},
		"status":               {func(b []byte) []byte { b[1] = 0x15; return b }, false},
		"short frame":          {func(b []byte) []byte { return b[:31] }, true},
		"frame version":        {func(b []byte) []byte { b[16] = 0x20; return b }, false},
		"kind":                 {func(b []byte) []byte { b[16] = 0x13; return b }, false},
		"frame longer than it": {func(b []byte) []byte { return append(b, 0) }, false},
		"frame cut":            {func(b []byte) []byte { return b[:len(b)-1] }, true},
	} {
		packet := gopacket.NewPacket(c.change(bytes.Clone(good)), LayerTypePseudoHeader,
			gopacket.DecodeOptions{SkipDecodeRecovery: true})
		assert.NotNil(t, packet.ErrorLayer(), name)
		assert.Equal(t, c.truncated, packet.Metadata().Truncated, name)
	}
}

// FuzzLayers: arbitrary bytes give layers or an error; decoded layers encode to the same bytes.
func FuzzLayers(f *testing.F) {
	f.Add(serialised(f, nil))
	f.Add(serialised(f, []byte("hello, world")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		gopacket.NewPacket(data, LayerTypePseudoHeader, gopacket.DecodeOptions{SkipDecodeRecovery: true})
		var frame FrameLayer
		_ = frame.DecodeFromBytes(data, &feedback{})
		var pseudo PseudoHeaderLayer
		if pseudo.DecodeFromBytes(data, &feedback{}) != nil || frame.DecodeFromBytes(pseudo.Payload, &feedback{}) != nil {
			return
		}
		b := gopacket.NewSerializeBuffer()
		err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &pseudo, &frame, gopacket.Payload(frame.Payload))
		if len(frame.Payload) > nic.PayloadBytesMax {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, data, b.Bytes())
	})
}
