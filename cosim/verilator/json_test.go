//go:build linux

package verilator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

// told formats a netlist without the numbers of ports, whose order is that of the tree, and, unless complete, without
// the facts that JSON before 5.044 lacks: signs, and the types of members.
func told(n *netlist, complete bool) (lines []string) {
	var kind func(id string, depth int) string
	kind = func(id string, depth int) string {
		v := n.types[id]
		if v == nil || depth > 8 {
			return "-"
		}
		sign := v.get("signed")
		if !complete || v.get("name") == "real" { // signed in XML alone
			sign = ""
		}
		return strings.Join([]string{v.name, v.get("loc"), v.get("name"), v.get("left"), v.get("right"), sign, kind(v.get("sub_dtype_id"), depth+1)}, " ")
	}
	var walk func(x *xmlNode, depth int)
	walk = func(x *xmlNode, depth int) {
		line := fmt.Sprint(strings.Repeat(" ", depth), x.name)
		for _, a := range []string{"loc", "name", "dir", "direction", "edgeType", "defName", "param", "localparam", "topModule", "left", "right"} {
			line += fmt.Sprintf(" %s=%q", a, x.get(a))
		}
		if complete || x.name != "memberdtype" {
			line += " " + kind(x.get("dtype_id"), 0) + " " + kind(x.get("sub_dtype_id"), 0)
		}
		lines = append(lines, line)
		for _, child := range x.children {
			walk(child, depth+1)
		}
	}
	for _, of := range n.root.all("netlist") {
		walk(of, 0)
	}
	return lines
}

// TestFormats checks that JSON is read as soon as it is complete.
func TestFormats(t *testing.T) {
	for version, option := range map[string]string{"5.006": "--xml-only", "5.032": "--xml-only", "5.042": "--xml-only",
		"5.044": "--json-only", "5.048": "--json-only", "6.002": "--json-only"} {
		require.Equal(t, option, formatOf(cosim.ToolVersion{Text: "Verilator " + version + " 2025-01-01"}).option, version)
	}
}

// TestJSONIsXML checks that both forms agree for the twins and for designs of the tests.
func TestJSONIsXML(t *testing.T) {
	if !cosimtest.Since(t, "verilator", 5, 32) || cosimtest.Since(t, "verilator", 5, 46) {
		t.Skip("this version has not both")
	}
	complete := cosimtest.Since(t, "verilator", 5, 44)
	var files []string
	for _, pattern := range []string{"../rtl/*.v", "testdata/conformance/*.v", "testdata/*.sv", "../prove/testdata/*/*.*v", "../flatten/testdata/*.*v"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	compared := 0
	for _, file := range files {
		dir := t.TempDir()
		common := []string{"--Mdir", dir, "--no-timing", "-Wno-fatal", "--assert", "-fno-dfg", "-fno-const", "-I../rtl", file}
		if text, err := os.ReadFile(file); err == nil {
			top := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			if !strings.Contains(string(text), "module "+top) {
				top = "dut"
			}
			if strings.Contains(string(text), "module "+top) {
				common = append(common, "--top-module", top)
			}
		}
		xml, tree, meta := filepath.Join(dir, "x.xml"), filepath.Join(dir, "x.json"), filepath.Join(dir, "m.json")
		if exec.Command("verilator_bin", append([]string{"--xml-only", "--xml-output", xml}, common...)...).Run() != nil {
			continue
		}
		require.NoError(t, exec.Command("verilator_bin", append([]string{"--json-only", "--json-only-output", tree, "--json-only-meta-output", meta}, common...)...).Run(), file)
		want, err := readXML(xml)
		if err != nil { // the file has several designs
			continue
		}
		got, err := readJSON(tree, meta)
		require.NoError(t, err, file)
		assert.Equal(t, want.files, got.files)
		a, b := told(want, complete), told(got, complete)
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("%s, line %d\n%s\n%s", file, i, a[i], b[i])
				break
			}
		}
		assert.Len(t, b, len(a), file)
		compared++
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Log(compared, "of", len(files))
	require.Greater(t, compared, 50)
}
