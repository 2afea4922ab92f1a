package page

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces"
)

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	return b.String()
}

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&`

// failing is a report with a scene, all of whose texts are hostile.
func failing() *outcome.Report {
	return &outcome.Report{
		Scenario: hostile, Verdict: outcome.VerdictFail, Rules: []string{fabric.RuleTrap, hostile}, Cycles: 60,
		Slots: 10, ViolationsTotal: 1,
		Violations: []outcome.Violation{{Rule: fabric.RuleTrap, Cycle: 12, Slot: 2, Path: hostile, Message: hostile,
			Backtrace: []wasm.Frame{{Function: hostile, Source: hostile, Instructions: hostile}}}},
		Notes: []string{hostile}, Metrics: fabric.Metrics{{Name: hostile, Value: hostile}},
		Firmware: outcome.FirmwareReport{Image: hostile},
		Faults:   []outcome.FaultReport{{Kind: hostile}},
		Beside: outcome.Beside{Aside: outcome.Aside{
			Command: "starloom run " + hostile,
			Scenes: []outcome.Scene{{
				Fault: -1, Path: hostile, Cycle: 12, Slot: 2, Still: []string{hostile},
				Frames: []outcome.SceneFrame{{Path: hostile, Medium: hostile, Status: hostile, Kind: hostile}},
				Waves: &outcome.SceneWaves{Columns: []uint64{11, 12, 14}, Marked: 1,
					Rows: []traces.WaveRow{{Name: hostile, Values: []string{hostile, hostile, "x"}}, {Name: "bit", Bits: 1, Values: []string{"0", "x", "1"}}}},
			}},
		}},
	}
}

// TestExpected checks that a page compares the run's end with the expectation.
func TestExpected(t *testing.T) {
	r := failing()
	for expect, words := range map[string]string{"fail": "This is as expected: fail.", "pass": "This is not as expected: pass."} {
		e, err := outcome.ParseExpectation("--expect", expect)
		require.NoError(t, err)
		r.Expects(e)
		require.Contains(t, written(t, Run(r, nil)), words)
	}
}

// Names of scenarios, firmware and files stay text.
func TestHostileNames(t *testing.T) {
	files := []outcome.OutputFile{{Kind: "vcd", Path: hostile}, {Kind: "pcapng", Path: hostile}}
	html := written(t, Run(failing(), files))
	require.Contains(t, html, "alert(1)")
	for _, part := range []string{"<script>alert", "<img", `onerror="`} {
		require.NotContains(t, html, part)
	}
	require.Equal(t, 1, strings.Count(html, "<script"), "its own")
	html = written(t,
		Seeds(&outcome.SeedsReport{Scenario: hostile, Verdict: outcome.VerdictFail, FailedTotal: 1, Runs: 1,
			Rules:  []string{hostile},
			Failed: []outcome.FailedRun{{Rule: hostile, First: failing().Violations[0]}}}))
	require.NotContains(t, html, "<script>alert")
	require.NotContains(t, html, "<img")
}

// loads is what makes a browser ask for something.
var loads = regexp.MustCompile(`(?i)\b(src|srcset|data|poster|action|background)\s*=|\bhref\s*=\s*"[^#]|@import|url\(|<link|<iframe|<object|<embed|<base`)

func TestPageNeedsNothing(t *testing.T) {
	r := failing()
	r.Aside.Pictures = []outcome.Picture{{Caption: "a picture", SVG: FigureSVG(histogram(histogramOf(3)))}}
	html := written(t, Run(r, nil))
	require.Empty(t, loads.FindAllString(strings.NewReplacer("img src=", "", "img</span> <span>src=", "").Replace(html), -1), "but for texts that have it")
	for _, address := range regexp.MustCompile(`https?://[^" ]*`).FindAllString(html, -1) {
		require.Equal(t, "http://www.w3.org/2000/svg", address, "the name of SVG, which is not loaded")
	}
	require.Contains(t, html, `default-src 'none'`, "a browser would refuse it, too")
	require.Equal(t, html, written(t, Run(r, nil)))
}

// histogramOf has so many values.
func histogramOf(values int) *outcome.Statistic {
	h := outcome.Histogram{}
	for k := range values {
		h.Add(float64(k * k))
	}
	s := h.Statistic("figure")
	return &s
}

// What a page must be: one h1, headings without gaps, all tables with captions and heads with scopes.
func TestPageIsInOrder(t *testing.T) {
	r := failing()
	cycles := &outcome.HandlerCycles{Calls: 2, Max: 3, Worst: &outcome.WorstCall{}}
	r.Firmware.Cycles = cycles
	html := written(t, Run(r, nil))
	before := 0
	for _, h := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(html, -1) {
		level := int(h[1][0] - '0')
		require.LessOrEqual(t, level, before+1)
		before = level
	}
	require.Equal(t, 1, strings.Count(html, "<h1"))
	require.Equal(t, strings.Count(html, "<table"), strings.Count(html, "<caption"))
	require.Equal(t, strings.Count(html, "<th"), strings.Count(html, `scope="`)+strings.Count(html, "<thead"))
	require.Contains(t, html, `<html lang="en">`)
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		require.False(t, ids[id[1]], id[1])
		ids[id[1]] = true
	}
	for _, to := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(html, -1) {
		require.True(t, ids[to[1]], to[1])
	}
}

// A page at its size limit lists the omitted parts.
func TestPageLimits(t *testing.T) {
	p := &Page{Subject: "run", Name: "large"}
	p.Add("a long picture", Block{Picture: &Picture{Caption: "Long", SVG: []byte("<svg>" + strings.Repeat(" ", 2<<20) + "</svg>")}})
	for k := range 8 {
		svg := "<svg>" + strings.Repeat("<path/>", 999) + "</svg>"
		p.Add(fmt.Sprint("picture ", k), Block{Picture: &Picture{Caption: fmt.Sprint("Picture ", k), SVG: []byte(svg)}})
	}
	table := table("Rows", "name", "value")
	for k := range 200_000 {
		table.Rows = append(table.Rows, []string{fmt.Sprint("row ", k), "<&>"})
	}
	p.Add("rows", Block{Table: table})
	p.Add("more rows", Block{Table: &Table{Caption: "None", Columns: []Column{{Name: "name"}}, Rows: [][]string{{strings.Repeat("x", 1<<20)}}}})
	html := written(t, p)
	require.Less(t, len(html), BytesMax)
	require.Equal(t, 5, strings.Count(html, "<svg"))
	inside := 0
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(html, -1) {
		inside += Elements([]byte(svg))
	}
	require.Equal(t, 5000, inside)
	for k := 5; k < 8; k++ {
		require.Contains(t, html, fmt.Sprintf("Left out, because a page has at most 5000 SVG elements: Picture %d (1000).", k))
	}
	require.Contains(t, html, "Left out, because a page would be longer than 3 MB: Long.")
	require.Regexp(t, `\d+ rows are left out, because a page has at most 3 MB`, html)
	require.Contains(t, html, "1 row is left out")
}

func TestElements(t *testing.T) {
	require.Equal(t, 3, Elements([]byte(`<svg><g><!-- < a --><path d="M0 0"/></g></svg>`)))
}

// A timing diagram has each value where it begins, and a mark.
func TestWaves(t *testing.T) {
	w := &Waves{Caption: "c", Columns: []uint64{8, 9, 12}, Marked: 1, Rows: []traces.WaveRow{
		{Name: "a.nic[0].tx.light", Values: []string{"dark", "dark", "3f"}}, {Name: "a.nic[0].busy", Bits: 1, Values: []string{"0", "1", "z"}}}}
	require.Equal(t, []WaveName{{"a.nic[0]", true}, {"tx.light", false}, {"busy", false}}, w.Names())
	svg := w.SVG()
	require.Equal(t, 1, strings.Count(svg, ">dark<"))
	require.Equal(t, 1, strings.Count(svg, ">3f<"))
	require.Contains(t, svg, `height="80" class="now"/>`)
	require.Equal(t, 1, strings.Count(svg, `class="gap"`), "cycles 10 and 11 are left out")
	require.Contains(t, svg, "In cycle 9 a.nic[0].tx.light is dark, a.nic[0].busy is 1.")
	require.Contains(t, svg, `class="x"`, "what is unknown is not a level")

	// Of many columns those stay that are near the mark.
	many := &Waves{Marked: 200, Rows: []traces.WaveRow{{Name: "a", Bits: 1}}}
	for c := range 400 {
		many.Columns, many.Rows[0].Values = append(many.Columns, uint64(c)), append(many.Rows[0].Values, fmt.Sprint(c%2))
	}
	many.SVG()
	require.Less(t, len(many.Columns), 40)
	require.Equal(t, uint64(200), many.Columns[many.Marked])
	require.Len(t, many.Rows[0].Values, len(many.Columns))
}

// A flame graph adds up equal stacks and counts boxes too narrow to draw.
func TestFlameGraph(t *testing.T) {
	stack := func(cost uint64, functions ...string) firmware.ProfileStack {
		s := firmware.ProfileStack{Cost: cost}
		for _, f := range functions {
			s.Frames = append(s.Frames, wasm.Frame{Function: f})
		}
		return s
	}
	svg, left := FlameGraph("t", []firmware.ProfileStack{stack(600, "inner", "main"), stack(300, "main"), stack(99, "inner", "main"), stack(1, "tiny<", "main")})
	text := string(svg)
	require.Contains(t, text, "<title>main: 1000 of 1000, 100%, 300 of them its own</title>")
	require.Contains(t, text, "<title>inner: 699 of 1000, 69%, 699 of them its own</title>")
	require.Equal(t, 1, left)
	require.NotContains(t, text, "tiny<")
}

// Every rule has a meaning and a next step.
func TestRulesAreExplained(t *testing.T) {
	all := fabric.Rules{CollisionFree: &fabric.CollisionFree{}, PacketsPerProcessorMax: 1,
		FinishBy: &fabric.Duration{Count: 1}, Results: &fabric.ResultRules{},
		ExactlyOnce: true, NoLoss: true, DeadlineSlots: 1, NoCreation: true,
		LatencyMax: 1, InOrder: true, Credits: true, OneBus: true, BusLength: true, Deadlock: true,
		Agreement: true, Validity: true, ReceiveStep: true, MeetsBudget: true, Energy: true,
		States: []fabric.StateRule{{Never: "a.count > 1"}, {After: "a.count > 1"}}}
	names := append(all.Checked(), fabric.RuleLateLight, outcome.RuleReplay, outcome.RuleInterrupted,
		outcome.RuleRTLFault, outcome.RuleRTLUnknown, outcome.RuleRTLTool)
	for _, name := range names {
		require.NotEmpty(t, ruleText(name, nil), name)
		require.NotEmpty(t, adviceOn(&outcome.Violation{Rule: name}), name)
	}
	require.Len(t, rules(), len(names))
}

// On paper, tables repeat their heads on every sheet, also those whose heads are buttons; links name their section.
func TestPrinted(t *testing.T) {
	_, print, ok := strings.Cut(pageCSS, "@media print {")
	require.True(t, ok)
	require.Contains(t, print, "thead { display: table-header-group; }")
	require.Contains(t, print, `a[data-to]::after { content: " (see`)
	require.Contains(t, pageJS, `addEventListener("beforeprint", () => head.replaceChildren(button.textContent))`)
	p := &Page{Subject: "run", Name: "n"}
	p.Add("The frames", text("See [them](#the-frames)."))
	require.Contains(t, written(t, p), `See <a href="#the-frames" data-to="The frames">them</a>.`)
}

// A page begins with the cause and the first picture; a definition stands once.
func TestPageBeginsWithThePicture(t *testing.T) {
	r := failing()
	waves := r.Aside.Scenes[0].Waves
	r.Violations = append(r.Violations, outcome.Violation{Rule: fabric.RuleTrap, Cycle: 13, Path: "b", Message: "second"})
	r.Aside.Scenes = append(r.Aside.Scenes, outcome.Scene{Violation: 1, Fault: -1, Path: "b", Waves: waves})
	html := written(t, Run(r, nil))
	at := func(part string) int {
		require.Contains(t, html, part)
		return strings.Index(html, part)
	}
	require.Less(t, at(`<span class="verdict fail">`), at(`<p class="cause">`))
	require.Less(t, at(`<p class="cause">`), at(`id="picture"`))
	require.Less(t, at(`id="picture"`), at("<svg"))
	require.Less(t, at("<svg"), at("<details"))
	require.Equal(t, 1, strings.Count(html, "Numbers are hexadecimal"))
	require.Contains(t, html, `The signals are in <a href="#picture"`)
	require.Equal(t, strings.Count(html, "<h2"), strings.Count(html, "<summary><h2"), "all of it folds")
}

// Failures that are alike are one row with a count and a list that opens.
func TestAlikeIsOneRow(t *testing.T) {
	r := &outcome.SeedsReport{Scenario: "s", Verdict: outcome.VerdictFail, Runs: 40, FailedTotal: 8}
	for _, seed := range []uint64{2, 3, 4, 5, 9, 11, 20} {
		r.Failed = append(r.Failed, outcome.FailedRun{Seed: seed, Rule: fabric.RuleFinishes,
			First: outcome.Violation{Rule: fabric.RuleFinishes, Cycle: 100 + seed, Path: "p[1]", Message: "not done"}})
	}
	r.Failed = append(r.Failed, outcome.FailedRun{Seed: 1, Rule: fabric.RuleTrap, First: outcome.Violation{Path: "p[2]"}})
	html := written(t, Seeds(r))
	require.Contains(t, html, `<summary>7</summary><ul><li>seeds 2 to 5, 9, 11, 20</li></ul>`)
	require.Contains(t, html, "8 of 40 runs failed, 7 of them with <a href=\"#rules\" data-to=\"Rules\">finishes</a> at p[1]: not done.")
	require.Contains(t, html, ">102 to 120</td>")

	table := Alike("c", []outcome.Violation{{Rule: "r", Path: "p[1]", Message: "packet 3 is lost"}, {Rule: "q", Path: "p[1]", Message: "m"},
		{Rule: "r", Cycle: 7, Path: "p[2]", Message: "packet 14 is lost"}}, nil)
	require.Equal(t, [][]string{{"r", "2", "0 to 7", "2 places like p[1]", "packet 3 is lost"}, {"q", "1", "0", "p[1]", "m"}}, table.Rows)
	require.Equal(t, []string{"cycle 0, p[1]: packet 3 is lost", "cycle 7, p[2]: packet 14 is lost"}, table.Lists[0])
}

// The words of a page mean what the glossary says.
func TestWordsAreThoseOfTheGlossary(t *testing.T) {
	glossary, err := os.ReadFile("../../docs/reference/glossary.md")
	require.NoError(t, err)
	none := func(string) bool { return false }
	for _, w := range wordsSection(&outcome.Known{}, none).Blocks[0].Table.Rows {
		require.Contains(t, string(glossary), "| "+w[0]+" | "+w[1]+" |\n")
	}
}
