package verilator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

// Build compiles a design to wasm, or returns the cached result of an earlier build of the same text with the same
// tools. Errors in the design or from the tools are of type *InputError.
func Build(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (*Circuit, error) {
	for again := false; ; again = true {
		path, err := build(ctx, s, o)
		if err != nil {
			return nil, err
		}
		wasm, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		c, err := Load(wasm)
		if err == nil {
			if o.Cache == "" {
				c.cache = filepath.Join(filepath.Dir(path), "compiled")
			}
			return c, nil
		}
		// The cached file is damaged: build once more.
		if removal := os.Remove(path); again || removal != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), removal)
		}
	}
}

func build(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (path string, err error) {
	b, err := newBuilder(ctx, &s, &o, wasmTarget)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	name, err := b.elaborationName()
	if err != nil {
		return "", err
	}
	if path = b.elaborated(name); path != "" {
		return path, nil
	}
	if err := b.discover(); err != nil {
		return "", err
	}
	if path, err = b.cache.Take(b.description.Hash+b.target.ending, b.compile); err != nil {
		return "", err
	}
	return path, b.keepElaboration(name, path)
}

func (b *builder) discover() error {
	if b.VHDL() {
		b.options.Step("ghdl reads " + b.Top)
		if err := b.synthesise(); err != nil {
			return err
		}
	}
	b.options.Step("verilator reads " + b.Top)
	if err := b.readDesign(); err != nil {
		return err
	}
	data, err := b.readData()
	if err != nil {
		return err
	}
	sources, err := b.sources()
	if err != nil {
		return err
	}
	b.description = Description{
		Format: descriptionFormat, Device: b.Name(), Top: b.Top, Ports: b.design.ports, Types: b.design.types,
		Params: b.design.params, CaseBlind: b.VHDL(), Levels: b.design.levels, Edges: b.design.resets,
		Sources: sources, Data: data,
		Warnings: b.design.doubts, // note adds the warnings of the translation
	}
	if b.options.Seeing.Internals {
		b.description.Untraced = b.design.large
	}
	for _, t := range b.tools {
		b.description.Tools = append(b.description.Tools, t.Text)
	}
	b.description.Hash, err = b.hash()
	return err
}

func (b *builder) readData() (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(b.design.data)) {
		path, err := b.FindData(name, b.design.data[name])
		if err != nil {
			return nil, err
		}
		if data[name], err = input.Read(path, cosim.InputBytesMax); err != nil {
			return nil, &cosim.InputError{
				Place:  path,
				Reason: fmt.Sprintf("$readmem cannot read it: %v", cosim.Reason(err)),
				Remedy: "give a file that can be read",
			}
		}
	}
	return data, nil
}

func (b *builder) hash() (string, error) {
	sum := sha256.New()
	say := func(parts ...string) {
		for _, part := range parts {
			fmt.Fprintf(sum, "%d %s\n", len(part), part)
		}
	}
	description, err := json.Marshal(&b.description)
	if err != nil {
		return "", err
	}
	say(string(description), fmt.Sprint(b.IncludeDirs, b.Languages))
	if b.VHDL() {
		say(fmt.Sprint(elaborationFormat))
	}
	for _, argument := range b.arguments() {
		say(strings.TrimPrefix(argument, b.work))
	}
	if b.shell != nil {
		say(b.shell.text)
	}
	say(b.translationFlags()...)
	say(b.compileFlags()...)
	say(b.target.linker.Command, b.libraries.hash)
	say(b.target.link...)
	say(b.portsHeader(nil, ""))
	if err := eachGlueFile(func(name string, text []byte) error { say(name, string(text)); return nil }); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

func (b *builder) sources() (map[string]string, error) {
	hashes := map[string]string{}
	for _, name := range b.design.files {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(b.hdlDir, name)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		hashes[name] = hex.EncodeToString(sum[:16])
	}
	return hashes, nil
}
