package firmware

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

func (img *Image) faultEvent(err error) Event {
	event := Event{Kind: EventTrap}
	event.Text, event.Function, event.Source, event.Backtrace = img.parseTrap(err)
	var own interpretedError
	if errors.As(err, &own) {
		event.Text, event.Function, event.Source = own.text(firstLine(own.error)), own.frame.Function, own.frame.Source
		event.Backtrace = []wasm.Frame{own.frame}
	}
	var gaveUp gaveUpError
	var failed assertError
	var endless endlessError
	var kept keptError
	var overflow overflowError
	switch {
	case errors.As(err, &overflow):
		event.Text += overflow.what
	case errors.As(err, &kept):
		event.Backtrace = img.breaking(kept.global)
		event.Function, event.Source = event.Backtrace[0].Function, event.Backtrace[0].Source
	case errors.As(err, &endless):
		event.Text = endless.Error()
	case errors.As(err, &gaveUp):
		event.Kind, event.Text = EventFail, strconv.Itoa(int(gaveUp))
	case errors.As(err, &failed):
		event.Kind, event.Text = EventAssert, failed.condition
		if failed.source != placeless { // otherwise the place is that of the calling code
			event.Source = failed.source
			event.Function = cmp.Or(failed.function, functionAt(event.Backtrace, failed.source))
		}
	}
	var spent spentError
	if errors.As(err, &spent) {
		event.Text = spent.Error()
	}
	return event
}

type overflowError struct {
	error
	what string // added to the runtime's message
}

func (e overflowError) Unwrap() error { return e.error }

type gaveUpError int32

func (e gaveUpError) Error() string { return fmt.Sprintf("gave up with code %d", int32(e)) }

// placeless is the place of an assertion without file and line.
const placeless = ":0"

type assertError struct{ condition, function, source string }

func (e assertError) Error() string {
	return fmt.Sprintf("assertion `%s` failed in %s at %s", e.condition, e.function, e.source)
}

// functionAt returns the function at source (file:line without folder), or the innermost function if no function is
// at that place.
func functionAt(backtrace []wasm.Frame, source string) string {
	for _, frame := range backtrace {
		if strings.HasPrefix(path.Base(frame.Source), source+":") {
			return frame.Function
		}
	}
	if len(backtrace) > 0 {
		return backtrace[0].Function
	}
	return ""
}

type keptError struct {
	global        *wasm.Global
	before, after int32
}

func (e keptError) Error() string {
	kept := e.before - e.after
	if kept < 0 {
		return fmt.Sprintf("the handler has returned with %s %d bytes above its previous value", e.global.Name, -kept)
	}
	return fmt.Sprintf("the handler has returned but kept %d bytes of the stack: %s has changed", kept,
		e.global.Name)
}

// frameName matches a line of wazero's stack trace: a name, then parameter and result types.
var frameName = regexp.MustCompile(`^(.*?)\((?:\w+(?:,\w+)*)?\)(?: \w+| \(\w+(?:,\w+)*\))?$`)

// parseTrap extracts reason, innermost function, source line and backtrace from wazero's error, whose text is
//
//	wasm error: unreachable
//	wasm stack trace:
//		.on_slot(i32,i32)
//			0x1a: ?
//
// The number is an offset in the copy's code; the image's debug information has other offsets.
func (img *Image) parseTrap(err error) (reason, function, source string, backtrace []wasm.Frame) {
	lines := strings.Split(err.Error(), "\n")
	reason = strings.TrimPrefix(lines[0], "wasm error: ")
	name, placed, disassembled := "", true, false
	end := func() { // ends the lines of a function
		if !placed {
			backtrace = append(backtrace, wasm.Frame{Function: name})
		}
		placed = true
	}
frames:
	for _, line := range lines[1:] {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "\t\t"):
			number, _, _ := strings.Cut(text, ":")
			offset, err := strconv.ParseUint(number, 0, 32)
			if placed || err != nil {
				continue
			}
			frames := img.frames(offset)
			if len(frames) == 0 {
				continue
			}
			if function == name && source == "" && len(backtrace) == 0 {
				function, source = cmp.Or(frames[0].Function, name), frames[0].Source
			}
			if !disassembled {
				frames[0].Instructions = img.interpreted.around(img.copy.Origin(offset))
				disassembled = frames[0].Instructions != ""
			}
			frames[len(frames)-1].Function = cmp.Or(frames[len(frames)-1].Function, name)
			backtrace, placed = append(backtrace, frames...), true
		case strings.HasPrefix(line, "\t"):
			end()
			if name = frameName.ReplaceAllString(text, "$1"); strings.HasPrefix(name, importModule+".") {
				continue
			}
			if name = strings.TrimPrefix(name, "."); strings.HasPrefix(name, wasm.EachName) {
				function = cmp.Or(function, strings.TrimPrefix(name, wasm.EachName)) // the handler has returned
				break frames                                                         // an entry point of the copy, not of the image
			}
			placed = false
			function = cmp.Or(function, name)
		}
	}
	end()
	if img.interpreted != nil {
		if backtrace = rv32.InProgram(backtrace, func(f wasm.Frame) string { return f.Function }); len(backtrace) > 0 {
			function, source = backtrace[0].Function, backtrace[0].Source
		}
	}
	if k := ownFrame(backtrace); k > 0 {
		function, source = backtrace[k].Function, backtrace[k].Source
	}
	return reason, function, source, backtrace[:min(len(backtrace), backtraceMax)]
}

// ownFrame returns the index of the innermost frame in user code. The cause of a trap in a language's library (panic,
// checks) is the user code that called the library. ownFrame skips frames inside a panic, such as a user's panic
// handler.
func ownFrame(backtrace []wasm.Frame) int {
	at := max(slices.IndexFunc(backtrace, func(f wasm.Frame) bool {
		return strings.Contains(f.Source, "/core/src/panicking.rs:") || strings.HasPrefix(f.Function, "core::panicking::")
	}), 0)
	for k, f := range backtrace[at:] {
		if !ofLibrary(f) {
			return at + k
		}
	}
	return 0
}

var libraries = regexp.MustCompile(`/library/(core|alloc|std|panic_abort|compiler-builtins)/|/compiler_builtins-`)

var libraryFunctions = []string{"core::", "alloc::", "std::", "compiler_builtins::", "~lib/", "runtime."}

func ofLibrary(f wasm.Frame) bool {
	return libraries.MatchString(f.Source) ||
		slices.ContainsFunc(libraryFunctions, func(start string) bool { return strings.HasPrefix(f.Function, start) })
}

const backtraceMax = 64
