package systemtest

import "starloom"

// Broken are the rules that a run has broken, each once.
func Broken(r *starloom.Report) (rules []string) {
	seen := map[string]bool{}
	for _, v := range r.Violations {
		if !seen[v.Rule] {
			rules = append(rules, v.Rule)
		}
		seen[v.Rule] = true
	}
	return rules
}
