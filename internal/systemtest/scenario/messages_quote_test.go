package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// TestMessagesQuoteALine: a stranger's scenario may name any file that its reader can open. What a message tells of one
// that is not of the kind that is wanted there is one line at most.
func TestMessagesQuoteALine(t *testing.T) {
	folder := t.TempDir()
	lines := func(form string) (text string) {
		for i := range 9 {
			text += strings.ReplaceAll(form, "N", fmt.Sprint(i)) + "\n"
		}
		return text
	}
	others := map[string]string{
		"text": lines("rootN:$6$SECRET-N:0:0"), "words": lines("SECRET-N and more"), "long": strings.Repeat("SECRET-0,", 2000) + "\n",
		"settings": lines("keyN: SECRET-N"), "nested": lines("keyN: {userN: SECRET-N, other: [SECRET-N]}"), "list": lines("- SECRET-N"),
		"table": lines("SECRET-N,SECRET-N,SECRET-N"), "xml": "<a>\n" + lines("<b>SECRET-N</b>") + "</a>\n", "quoted": "\"" + lines("SECRET-N") + "\"\n",
	}
	const netlist = "fabric: {netlist: {%s}}\nfirmware: {program: netlist/next-hop}\n"
	named := map[string]string{
		"permutation": "fabric: {pops: {groups: 16, group_size: 16}}\nfirmware: {program: pops/random}\nworkload: {file: F}\n",
		"netlist":     fmt.Sprintf(netlist, "file: F"), "graphml": fmt.Sprintf(netlist, "graphml: F"), "anynet": fmt.Sprintf(netlist, "anynet: F"),
		"routers": fmt.Sprintf(netlist, "anynet: F, router: {}"), "routes": fmt.Sprintf(netlist, "ring: {n: 4}, routes: {file: F}"),
		"router routes": fmt.Sprintf(netlist, "ring: {n: 4}, router: {}, routes: {file: F}"),
		"packets":       "fabric: {netlist: {ring: {n: 4}, router: {}}}\nworkload: {traffic: {file: F}}\n",
		"orders":        "fabric: {crossbar: {ports: 9}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: F}}\n",
		"values":        "fabric: {crossbar: {ports: 9}}\nfirmware: {program: gossip/voting}\nworkload: {gossip: {values: F}}\n",
		"image":         "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {image: F}\n",
		"pin map":       "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nrtl: [{replace: \"pops.group[*].coupler[*]\", map: F}]\n",
	}
	secret, cases := regexp.MustCompile(`SECRET-[0-9]|key[0-9]`), 0
	for name, text := range others {
		for _, ending := range []string{"", ".csv", ".yml"} {
			file := strings.ReplaceAll(name, " ", "_") + ending
			require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
			for what, scenario := range named {
				s, err := starloom.ParseScenario(filepath.Join(folder, "s.yaml"), []byte("starloom: 1\n"+strings.ReplaceAll(scenario, ": F", ": "+file)))
				if err == nil {
					_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
				}
				require.Error(t, err, "%s as %s", file, what)
				told := map[string]bool{}
				for _, word := range secret.FindAllString(err.Error(), -1) {
					told[word[len(word)-1:]] = true
				}
				require.LessOrEqual(t, len(told), 1, "%s as %s: %v", file, what, err)
				require.Less(t, strings.Count(err.Error(), "SECRET-0"), 20, "%s as %s: %v", file, what, err)
				cases++
			}
		}
	}
	require.Greater(t, cases, 300)
}
