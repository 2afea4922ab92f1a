package verilator

import (
	"context"
	"errors"
	"os"

	"starloom/cosim"
)

// preprocess returns the text of Verilog sources after macros and includes. Columns in lines without macros stay,
// because comments stay.
func preprocess(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (text string, err error) {
	b, err := newBuilder(ctx, &s, &o, target{ending: ".preprocessed", compiler: verilatorTool})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	if b.VHDL() {
		return "", &cosim.InputError{Place: b.Files[0], Reason: "VHDL has no text of a preprocessor",
			Remedy: "translate it first: `ghdl synth --std=08 --out=verilog`"}
	}
	said, err := b.outputOf("-E", "--pp-comments")
	return string(said), err
}

// outputOf returns the standard output of Verilator without its warnings.
func (b *builder) outputOf(args ...string) ([]byte, error) {
	c := cosim.Command(b, b.hdlDir, verilatorTool.Command, append(args, b.arguments()...)...)
	said, err := c.Output()
	if err == nil {
		return said, nil
	}
	said, err = b.runVerilator(args...)
	return nil, b.refusalUnlessStopped(said, err)
}
