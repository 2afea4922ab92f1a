package page

import "slices"

const leadID = "picture"

// lead moves the first waveform or picture of the sections below the cause.
func (p *Page) lead() {
	if p.Lead != nil {
		return
	}
	for _, s := range p.Sections {
		for _, part := range append([]*Section{s}, s.Parts...) {
			i := slices.IndexFunc(part.Blocks, func(b Block) bool { return b.Waves != nil || b.Picture != nil })
			if i < 0 {
				continue
			}
			p.Lead = []Block{part.Blocks[i]}
			part.Blocks = slices.Delete(part.Blocks, i, i+1)
			if part != s {
				part.Blocks = slices.Insert(part.Blocks, i, text("The signals are in [the first picture](#%s).", leadID))
			}
			p.Sections = slices.DeleteFunc(p.Sections, empty)
			return
		}
	}
}

func empty(s *Section) bool { return len(s.Blocks) == 0 && len(s.Parts) == 0 }

// sayOnce drops asides and legends that stand on the page before.
func (p *Page) sayOnce() {
	said := map[string]bool{}
	p.eachBlock(func(b *Block) {
		switch {
		case b.Waves != nil && said[b.Waves.Legend]:
			b.Waves.Legend = ""
		case b.Waves != nil:
			said[b.Waves.Legend] = true
		case said[b.Aside]:
			b.Aside = ""
		case b.Aside != "":
			said[b.Aside] = true
		}
	})
}

// listed is a cell that opens a list.
type listed struct {
	Summary string
	Items   []string
}
