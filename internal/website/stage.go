package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// first lists the pages from which links are followed.
var first = []string{"docs/README.md", "README.md"}

// A stage is the content of a site: tracked files, and pages that list the files of linked folders.
type stage struct {
	top     string
	tracked []string
	pages   map[string]string // text by path, rewritten for MkDocs
	files   map[string]bool   // other files, which are copied
}

// newStage follows the links of the first pages through the repository at top.
func newStage(top string) (*stage, error) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = top
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	s := &stage{top: top, tracked: strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"),
		pages: map[string]string{}, files: map[string]bool{}}
	for _, page := range first {
		if err := s.add(page); err != nil {
			return nil, err
		}
	}
	return s, nil
}

var (
	fence   = regexp.MustCompile("(?m)^```.*$")
	heading = regexp.MustCompile(`^(#{1,6}) (.+?)\s*$`)
	link    = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)\s]*)?\)`)
	notID   = regexp.MustCompile(`[^\w -]`)
	comment = regexp.MustCompile(`(?m)^(<!-- .* -->)$`)
)

// add stages a page and everything to which it links.
func (s *stage) add(page string) error {
	if _, ok := s.pages[page]; ok {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(s.top, page))
	if err != nil {
		return err
	}
	s.pages[page] = "" // being read: pages link one another
	var out strings.Builder
	quoted := false
	for line := range strings.Lines(string(text)) {
		switch {
		case fence.MatchString(line):
			quoted = !quoted
			kind, _, _ := strings.Cut(strings.TrimSpace(line), " ") // MkDocs knows no "sh long"
			line = kind + "\n"
		case quoted:
		default:
			if line, err = s.follow(page, line); err != nil {
				return err
			}
			if h := heading.FindStringSubmatch(line); h != nil {
				line = fmt.Sprintf("%s %s {#%s}\n", h[1], h[2], anchor(h[2]))
			}
			line = comment.ReplaceAllString(line, "\n$1\n")
		}
		out.WriteString(line)
	}
	s.pages[page] = out.String()
	return nil
}

// anchor returns the identifier that code hosts assign to a heading.
func anchor(title string) string {
	return strings.ReplaceAll(notID.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// follow stages the targets of a line's links, and returns the line with the site's links.
func (s *stage) follow(page, line string) (string, error) {
	var failed error
	line = link.ReplaceAllStringFunc(line, func(written string) string {
		m := link.FindStringSubmatch(written)
		to, err := s.target(path.Join(path.Dir(page), m[1]))
		if err != nil {
			failed = fmt.Errorf("%s: %w", page, err)
			return written
		}
		relative, err := filepath.Rel(path.Dir(page), to)
		if err != nil {
			failed = err
		}
		return "](" + filepath.ToSlash(relative) + m[2] + ")"
	})
	return line, failed
}

// target stages the target of a link, and returns its path in the stage. A folder gets a page.
func (s *stage) target(to string) (string, error) {
	if strings.HasSuffix(to, ".md") {
		return to, s.add(to)
	}
	below := slices.DeleteFunc(slices.Clone(s.tracked), func(name string) bool { return !strings.HasPrefix(name, to+"/") })
	if readme := path.Join(to, "README.md"); slices.Contains(below, readme) {
		return readme, s.add(readme)
	}
	if len(below) > 0 {
		return path.Join(to, "index.md"), s.list(to, below)
	}
	s.files[to] = true
	return visible(to), nil
}

// visible returns the path of a linked file in the stage. MkDocs omits names with a leading dot.
func visible(name string) string { return strings.ReplaceAll(name, "/.", "/dot-") }

// list stages a page with the files of a folder.
func (s *stage) list(folder string, files []string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n", folder)
	for _, name := range files {
		if strings.HasSuffix(name, ".md") {
			if err := s.add(name); err != nil {
				return err
			}
		} else {
			s.files[name] = true
		}
		fmt.Fprintf(&text, "* [%s](%s)\n", strings.TrimPrefix(name, folder+"/"),
			visible(strings.TrimPrefix(name, folder))[1:])
	}
	s.pages[path.Join(folder, "index.md")] = text.String()
	return nil
}

// write writes the stage and its configuration into a folder, and returns the path of the configuration.
func (s *stage) write(folder string) (config string, err error) {
	put := func(name string, data []byte) error {
		to := filepath.Join(folder, "pages", name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	}
	for name, text := range s.pages {
		if err := put(name, []byte(text)); err != nil {
			return "", err
		}
	}
	for name := range s.files {
		data, err := os.ReadFile(filepath.Join(s.top, name))
		if err != nil {
			return "", err
		}
		if err := put(visible(name), data); err != nil {
			return "", err
		}
	}
	config = filepath.Join(folder, "mkdocs.yml")
	return config, os.WriteFile(config, []byte(s.config()), 0o644)
}

// sections are the folders of docs in menu order.
var sections = []string{"tutorials", "how-to", "reference", "explanation"}

// config returns the configuration of MkDocs, with a menu of all pages of docs by section.
func (s *stage) config() string {
	var menu strings.Builder
	menu.WriteString("nav:\n- Starloom: README.md\n- All pages: docs/README.md\n")
	for _, section := range sections {
		fmt.Fprintf(&menu, "- %s%s:\n", strings.ToUpper(section[:1]), strings.ReplaceAll(section[1:], "-", " "))
		var names []string
		for name := range s.pages {
			if strings.HasPrefix(name, "docs/"+section+"/") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(&menu, "  - %q: %s\n", s.title(name), name)
		}
	}
	menu.WriteString("- Contributing: docs/contributing.md\n- Design decisions: RATIONALE.md\n- Changes: CHANGELOG.md\n")
	return `site_name: Starloom
docs_dir: pages
use_directory_urls: false
theme: {name: readthedocs, highlightjs: false}
plugins: [search]
markdown_extensions: [tables, fenced_code, attr_list, sane_lists]
` + menu.String()
}

// title returns the first heading of a page.
func (s *stage) title(page string) string {
	line, _, _ := strings.Cut(s.pages[page], "\n")
	title, _, _ := strings.Cut(strings.TrimPrefix(line, "# "), " {#")
	return title
}
