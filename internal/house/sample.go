package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// passage is a comment, a message or a sentence of the documentation.
type passage struct {
	path, text string
	line       int
}

const sampleWordsMin = 8

// verdicts holds every draw: the seed, and the numbers of comments, messages and sentences of the documentation that
// at least one of two readers flagged.
//
//go:embed verdicts.txt
var verdicts string

// flaggedMax is the maximum number of flagged passages of a good draw.
var flaggedMax = [3]int{5, 2, 2}

type verdict struct {
	seed    string
	flagged [3]int
}

func (v verdict) all() int { return v.flagged[0] + v.flagged[1] + v.flagged[2] }

func readVerdicts() (all []verdict, err error) {
	for line := range strings.Lines(verdicts) {
		var v verdict
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err = fmt.Sscan(line, &v.seed, &v.flagged[0], &v.flagged[1], &v.flagged[2]); err != nil {
			return nil, fmt.Errorf("verdicts.txt: %q: %w", line, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// printSample draws 100 comments, 50 messages and 50 sentences of the documentation for a reader. seed is the hash of
// the last commit that edited prose.
func printSample(top, seed string) error {
	t, err := readTree(top)
	if err != nil {
		return err
	}
	h := fnv.New64a()
	h.Write([]byte(seed))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	for _, kind := range []struct {
		title string
		size  int
		from  []passage
	}{{"comments", 100, t.comments()}, {"messages", 50, t.messages()}, {"documentation", 50, t.sentences()}} {
		fmt.Printf("%s: %d of %d\n", kind.title, kind.size, len(kind.from))
		random.Shuffle(len(kind.from), func(i, j int) { kind.from[i], kind.from[j] = kind.from[j], kind.from[i] })
		drawn := kind.from[:min(kind.size, len(kind.from))]
		slices.SortStableFunc(drawn, func(a, b passage) int { return cmp.Or(strings.Compare(a.path, b.path), a.line-b.line) })
		for i, p := range drawn {
			fmt.Printf("%3d %s:%d: %s\n", i+1, p.path, p.line, p.text)
		}
	}
	return nil
}

func longEnough(text string) bool { return len(strings.Fields(text)) >= sampleWordsMin }

func (t *tree) comments() (all []passage) {
	for s := range t.code() {
		if s.syn == nil || s.isTest() {
			continue
		}
		for _, group := range s.syn.Comments {
			if text := strings.Join(strings.Fields(group.Text()), " "); longEnough(text) {
				all = append(all, passage{s.path, text, t.line(group.Pos())})
			}
		}
	}
	return all
}

var notProse = regexp.MustCompile(`^"\W*[A-Za-z_]*[={<>(]|\\n.*\\n`)

func (t *tree) messages() (all []passage) {
	for s := range t.code() {
		if s.syn == nil || s.isTest() || strings.HasPrefix(s.path, "internal/house/") {
			continue
		}
		for line, text := range prose(t, s) {
			if strings.HasPrefix(text, `"`) && longEnough(text) && !notProse.MatchString(text) {
				all = append(all, passage{s.path, text, line})
			}
		}
	}
	return all
}

var sentenceEnd = regexp.MustCompile(`[.?!:] +`)

func (t *tree) sentences() (all []passage) {
	for s := range t.documents() {
		quoted, from, paragraph := false, 0, ""
		end := func() {
			for _, text := range sentenceEnd.Split(paragraph, -1) {
				if longEnough(text) {
					all = append(all, passage{s.path, text, from})
				}
			}
			paragraph = ""
		}
		for i, line := range s.lines {
			fence := strings.HasPrefix(line, "```")
			if quoted = quoted != fence; quoted || fence || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "|") ||
				strings.HasPrefix(line, "#") {
				end()
				continue
			}
			if paragraph == "" {
				from = i + 1
			}
			paragraph += strings.TrimSpace(line) + " "
		}
		end()
	}
	return all
}
