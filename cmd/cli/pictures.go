package cli

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"starloom"
	"starloom/traces/input"
)

// pictures is the value of an option that names kinds of pictures and files for them: KIND=F, once for each.
type pictures struct {
	given []string
	kinds []string
	of    []*output
}

func (all *outputs) pictures(f *pflag.FlagSet, to *starloom.Pictures) {
	p := &pictures{}
	for _, kind := range []struct {
		name string
		to   *starloom.Output
	}{{"topology", &to.Topology}, {"heat", &to.Heat}, {"latency", &to.Latency}, {"timeline", &to.Timeline}} {
		o := &output{option: "--svg " + kind.name, take: func(path string) error {
			*kind.to = starloom.File(path)
			return nil
		}}
		p.kinds, p.of, all.list = append(p.kinds, kind.name), append(p.of, o), append(all.list, o)
	}
	f.Var(p, "svg", "write a picture to `KIND=F.svg`, KIND being "+p.words()+"; once for each")
}

func (p *pictures) words() string {
	last := len(p.kinds) - 1
	return strings.Join(p.kinds[:last], ", ") + " or " + p.kinds[last]
}

func (p *pictures) String() string { return strings.Join(p.given, ",") }

func (p *pictures) Type() string { return "KIND=F" }

func (p *pictures) Set(text string) error {
	kind, path, ok := strings.Cut(text, "=")
	for i, name := range p.kinds {
		if name != kind {
			continue
		}
		if !ok || p.of[i].path != "" || p.several(path) || path != "-" && !strings.HasSuffix(path, ".svg") {
			break
		}
		p.of[i].path, p.given = path, append(p.given, text)
		return nil
	}
	return errors.New("not a kind and a file") // remedy says what is
}

func (p *pictures) several(path string) bool {
	for _, kind := range p.kinds {
		if strings.Contains(path, ","+kind+"=") {
			return true
		}
	}
	return false
}

func (p *pictures) remedy(text string) string {
	kind, path, _ := strings.Cut(text, "=")
	for i, name := range p.kinds {
		switch {
		case name == kind && path == "":
			return "name a file: --svg " + kind + "=" + kind + ".svg"
		case name == kind && p.of[i].path != "":
			return "give each kind once: there is --svg " + kind + "=" + p.of[i].path
		case name == kind && p.several(path):
			return "give the option once for each kind: --svg " + strings.ReplaceAll(text, ",", " --svg ")
		case name == kind:
			return "give a path that ends in .svg"
		}
	}
	return input.DidYouMean(kind, p.kinds, "write KIND=F.svg, KIND being "+p.words())
}
