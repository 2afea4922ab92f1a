package starloom

import (
	"context"
	"io"

	"starloom/internal/maps"
	"starloom/internal/outputs"
	"starloom/internal/tools"
	"starloom/nic"
	"starloom/traces/decode"
	"starloom/traces/diff"
	"starloom/traces/info"
)

// TraceInfo describes the content of waveforms and packet captures. Errors about a file are *InputErrors.
func TraceInfo(ctx context.Context, paths []string, o info.Options) (*info.Report, error) {
	return tools.Info(ctx, paths, o)
}

// LoadDiffMap reads a map of `trace diff` into options. Every error is an *InputError with file, line and column.
func LoadDiffMap(path string, o *diff.Options) error { return maps.LoadDiff(path, o) }

// DecodeMap locates the frames in a waveform; LoadDecodeMap reads one.
type DecodeMap = maps.Decode

// LoadDecodeMap reads a map of `trace decode`. Every error is an *InputError with file, line and column.
func LoadDecodeMap(path string) (*DecodeMap, error) { return maps.LoadDecode(path) }

// DecodeReport lists the frames found in a VCD. Its JSON form is stable.
type DecodeReport = decode.Report

// DecodeInterface describes the frames found on one interface.
type DecodeInterface = decode.Interface

// DecodeOutputs are the outputs of TraceDecode. Files appear together or not at all.
type DecodeOutputs struct {
	PCAPNG Output // the frames
	Lua    Output // dissector of Starloom's frames; by default beside a PCAPNG file
	JSON   Output // the report
}

// TraceDecode extracts frames from the waveform at path and writes them as a packet capture. Packets are in the order
// of their cycles, then of the interfaces. A sent frame has the cycle of its first phit, a received frame that of its
// last. All outputs are opened before the waveform is read. Errors about files and the map are *InputErrors.
func TraceDecode(ctx context.Context, path string, m *DecodeMap, to DecodeOutputs) (*DecodeReport, error) {
	var o outputs.Set
	defer o.Abort()
	if !to.PCAPNG.Given() {
		to.PCAPNG = Writer(io.Discard)
	}
	packets, err := o.Open("--pcapng", "pcapng", to.PCAPNG)
	if err != nil {
		return nil, err
	}
	lua, err := o.Open("--pcapng", "lua", to.PCAPNG.Beside(to.Lua, ".lua").Unless(m.Octets))
	if err != nil {
		return nil, err
	}
	if lua != nil {
		if err := nic.WriteDissector(lua, nil); err != nil {
			return nil, err
		}
	}
	figures, err := o.Open("--json", "json", to.JSON)
	if err != nil {
		return nil, err
	}
	report, err := tools.Decode(ctx, path, m, packets)
	if err != nil {
		return nil, err
	}
	if figures != nil {
		if err := report.WriteJSON(figures); err != nil {
			return nil, err
		}
	}
	return report, o.Files.Commit()
}
