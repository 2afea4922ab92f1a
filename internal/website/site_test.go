package main

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	loads   = regexp.MustCompile(`(?i)<(?:script|img|iframe|source|embed)[^>]*\ssrc="([^"]*)"|<link[^>]*\shref="([^"]*)"|@import\s+(?:url\()?["']?([^"')\s]+)|url\(["']?([^"')]+)`)
	leads   = regexp.MustCompile(`<a\s[^>]*href="([^"]*)"`)
	written = regexp.MustCompile(`\sid="([^"]*)"`)
)

// TestStage stages the pages: links lead to staged files, folders have a page, headings keep the identifiers of code
// hosts.
func TestStage(t *testing.T) {
	s, err := newStage("../..")
	require.NoError(t, err)
	require.Greater(t, len(s.pages), 40)
	require.Contains(t, s.pages["docs/reference/rules.md"], "# Rules {#rules}\n")
	require.Contains(t, s.pages["docs/how-to/write-firmware.md"], "](../../examples/languages/README.md)")
	require.NotContains(t, s.pages["docs/how-to/use-from-go.md"], "```sh long")
	for _, name := range s.tracked {
		if strings.HasPrefix(name, "docs/") && strings.HasSuffix(name, ".md") {
			require.Contains(t, s.pages, name)
		}
	}
	config := s.config()
	require.Contains(t, config, `  - "First run: a lost packet, seen from all sides": docs/tutorials/first-run.md`)
	require.Equal(t, "what-equal-means-and-what-it-rests-on", anchor(`What "equal" means, and what it rests on`))
}

// TestLongSite builds the site without a warning. No page of it loads anything from another host, and all links between
// pages lead to a file and an identifier.
func TestLongSite(t *testing.T) {
	if _, err := exec.LookPath("mkdocs"); err != nil {
		t.Skip("mkdocs is not installed; make test installs it")
	}
	site := filepath.Join(t.TempDir(), "site")
	require.NoError(t, run(t.Context(), "../..", site, false))
	places, pages := map[string]map[string]bool{}, map[string]string{}
	require.NoError(t, filepath.WalkDir(site, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if ending := filepath.Ext(path); ending == ".html" || ending == ".css" || ending == ".svg" {
			for _, m := range loads.FindAllStringSubmatch(string(text), -1) {
				from := m[1] + m[2] + m[3] + m[4]
				to, err := url.Parse(from)
				require.NoError(t, err, path)
				require.Empty(t, to.Host, "%s loads %s", path, from)
			}
		}
		if filepath.Ext(path) == ".html" {
			pages[path], places[path] = string(text), map[string]bool{}
			for _, m := range written.FindAllStringSubmatch(string(text), -1) {
				places[path][m[1]] = true
			}
		}
		return nil
	}))
	require.Greater(t, len(pages), 40)
	for path, text := range pages {
		if filepath.Base(path) == "404.html" || filepath.Base(path) == "search.html" {
			continue
		}
		for _, m := range leads.FindAllStringSubmatch(text, -1) {
			requireLeads(t, places, path, m[1])
		}
	}
}

// requireLeads requires that a link of a page leads to a file, and to a place of it.
func requireLeads(t *testing.T, places map[string]map[string]bool, path, link string) {
	t.Helper()
	to, err := url.Parse(link)
	require.NoError(t, err, "%s: %s", path, link)
	if to.Host != "" || to.Scheme != "" {
		return
	}
	file := path
	if to.Path != "" {
		file = filepath.Join(filepath.Dir(path), to.Path)
	}
	info, err := os.Stat(file)
	require.NoError(t, err, "%s leads to %s", path, link)
	if info.IsDir() {
		file = filepath.Join(file, "index.html")
	}
	if ids, page := places[file]; page && to.Fragment != "" {
		require.True(t, ids[to.Fragment], "%s leads to %s", path, link)
	}
}
