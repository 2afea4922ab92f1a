package fabrictest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Blocks returns the code blocks of a page in a language.
func Blocks(t testing.TB, page, language string) (blocks []string) {
	t.Helper()
	guide, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?\n)```").FindAllSubmatch(guide, -1) {
		blocks = append(blocks, string(match[1]))
	}
	return blocks
}

// RequireGuide compares a page's Go blocks with files in this order, without their package comments. A block that
// starts with a package clause starts a file.
func RequireGuide(t testing.TB, page string, files ...string) {
	t.Helper()
	written := []string{}
	for _, block := range Blocks(t, page, "go") {
		if strings.HasPrefix(block, "package ") {
			written = append(written, block)
		} else {
			written[len(written)-1] += "\n" + block
		}
	}
	require.Len(t, written, len(files))
	for i, file := range files {
		requireFile(t, file, written[i])
	}
}

// RequireBlocks compares a page's blocks in a language with one file.
func RequireBlocks(t testing.TB, page, language, file string) {
	t.Helper()
	requireFile(t, file, strings.Join(Blocks(t, page, language), "\n"))
}

func requireFile(t testing.TB, file, text string) {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, packageComment.ReplaceAllString(string(source), "$1"), text, file)
}

// packageComment matches a package comment, which a guide omits because it names the guide.
var packageComment = regexp.MustCompile(`^(?:// .*\n)+(package )`)
