package outcome

import (
	"path"
	"strings"
)

// ownImage is the image of firmware of one's own in commands that build and run it.
const ownImage = "mine.wasm"

// SourceOf is the command that writes the source of a program, the file that it writes, and the command that builds what
// one makes of it.
func SourceOf(program string) (write, file, build string) {
	file = "sdk/" + path.Base(program) + ".c"
	return "starloom firmware sdk sdk --program " + program, file, "starloom firmware build " + file + " -o " + ownImage
}

// WithOwn is the command of a run with firmware of one's own in the place of a program.
func WithOwn(command, program string) string { return WithFirmware(command, program, ownImage) }

// WithFirmware is the command of a run with other firmware, a program or an image, in the place of a program.
func WithFirmware(command, program, other string) string {
	return strings.Replace(command, " --firmware "+program, "", 1) + " --firmware " + other
}
