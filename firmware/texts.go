package firmware

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

const listShown = 3

func some(list []string) string {
	if n := len(list) - listShown; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:listShown], ", "), n)
	}
	return strings.Join(list, ", ")
}

func allI32(types []api.ValueType, count int) bool {
	return len(types) == count && !slices.ContainsFunc(types, func(t api.ValueType) bool { return t != api.ValueTypeI32 })
}

func signature(params, results []api.ValueType) string {
	list := func(types []api.ValueType) string {
		names := make([]string, len(types))
		for i, t := range types {
			names[i] = api.ValueTypeName(t)
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	return list(params) + " -> " + list(results)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
