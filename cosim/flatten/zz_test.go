//go:build linux

package flatten

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/verilator"
)

func TestZZ(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("ZZ"))
	for _, file := range files {
		s := cosim.Source{Top: "m", Files: []string{file}, Clocks: []string{"clk"}}
		o := cosim.BuildOptions{Cache: testCache}
		c := &comparison{Module: &Module{Top: "m"}, s: s, cycles: 2000, seed: 1, restarts: 20, quiet: true,
			random: rand.New(rand.NewPCG(1, 0x5eed)), hidden: map[string]int{}, valued: map[string]int{}}
		var err error
		for i, b := range []cosim.Backend{verilator.Wasm(), icarus.Backend()} {
			if c.designs[i], err = b.Build(context.Background(), s, o); err != nil {
				break
			}
		}
		text := "?"
		if err == nil {
			w := c.designs[0].Warnings()
			if _, err = c.run(); err == nil {
				text = fmt.Sprintf("SAME hidden %v", c.hidden)
			} else {
				text = fmt.Sprintf("DIFFERS %.150s", err.Error())
			}
			for _, x := range w { text += "\n      " + x.Code + " " + x.Place }
		} else {
			text = fmt.Sprintf("BUILD %.150s", err.Error())
		}
		fmt.Println(filepath.Base(file), text)
		m, err := Print(context.Background(), s, o)
		if err != nil {
			fmt.Println("      PRINT REFUSED ", err)
			continue
		}
		_, err = Compare(context.Background(), s, m, o, 2000, 1)
		_, err2 := CompareSecond(context.Background(), s, m, o, 1)
		fmt.Printf("      print: %.100v  second: %.100v unknown %v\n", err, err2, m.Unknown)
	}
}
