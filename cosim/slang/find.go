package slang

import (
	"os"
	"path/filepath"

	"starloom/cosim"
)

const (
	// Package is the npm package with Yosys as WebAssembly. Its regular releases lack slang.
	Package = "@yowasp/yosys@0.70.62-dev.1236"
	// Variable names the environment variable with the folder of the package.
	Variable = "STARLOOM_SLANG"
)

const file = "yosys.core.wasm"

// Folder returns the folder in which Find searches: that of the variable, or one in the user's cache.
func Folder() string {
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	dir, _ := cosim.UserCache()
	return filepath.Join(dir, "starloom", "slang")
}

// Install returns the command that installs the package.
func Install() string { return "npm install --prefix " + Folder() + " " + Package }

// Find returns the path of Yosys' WebAssembly. The folder may be a prefix of npm, an unpacked package, or the folder
// of the file itself.
func Find() (string, error) {
	for _, under := range []string{"node_modules/@yowasp/yosys/gen", "package/gen", "gen", "."} {
		path := filepath.Join(Folder(), under, file)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", &cosim.InputError{Place: Folder(), Reason: "there is no " + file + ", Yosys with slang",
		Remedy: "install it: " + Install()}
}
