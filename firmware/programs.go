package firmware

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"starloom/traces/input"
)

//go:embed images
var images embed.FS

//go:embed programs
var sources embed.FS

// Programs lists the built-in programs by name. The image of net/router is
// images/net/router.wasm, its source programs/net/router.c.
func Programs() []string {
	var names []string
	// The file system is embedded: walking it cannot fail.
	_ = fs.WalkDir(images, "images", func(path string, _ fs.DirEntry, _ error) error {
		if name, ok := strings.CutSuffix(path, ".wasm"); ok {
			names = append(names, strings.TrimPrefix(name, "images/"))
		}
		return nil
	})
	return names
}

// ProgramImage returns the wasm binary of a built-in program.
func ProgramImage(name string) ([]byte, error) {
	wasm, err := images.ReadFile("images/" + name + ".wasm")
	if err != nil {
		return nil, unknown(name)
	}
	return wasm, nil
}

func unknown(name string) error {
	return &input.Error{Place: "--program", Reason: fmt.Sprintf("%q is not a built-in program", name), Remedy: input.RemedyOf(name, Programs())}
}
