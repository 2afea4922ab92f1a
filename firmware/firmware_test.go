package firmware

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestX(t *testing.T) {
	require.NoError(t, Build(context.Background(), BuildOptions{Source: "programs/pops/random.c", Output: "images/pops/random.wasm"}))
	i, err := Inspect("images/pops/random.wasm")
	require.NoError(t, err)
	fmt.Printf("%+v\n", i)
	_ = errors.New
}
