// Command website stages the pages of docs for MkDocs, and builds them as a site or serves them.
//
//	README.md, docs, RATIONALE.md, ... --(links followed)--> a folder of its own --(mkdocs build --strict)--> dist/site
//
// The stage contains every linked file at its path in the repository, so that links work in the sources, on a code
// host and on the site. `make site` and `make site-serve` run this command. The site loads nothing from another host.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	folder := flag.String("o", "dist/site", "folder for the site")
	serve := flag.Bool("serve", false, "serve the site at http://127.0.0.1:8000 until interrupted, in place of writing it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", *folder, *serve); err != nil {
		fmt.Fprintln(os.Stderr, "website:", err)
		os.Exit(1)
	}
}

// run stages the pages of a repository, and has MkDocs build or serve them.
func run(ctx context.Context, top, folder string, serve bool) error {
	if _, err := exec.LookPath("mkdocs"); err != nil {
		return fmt.Errorf("mkdocs is not installed; on Debian: apt install mkdocs")
	}
	s, err := newStage(top)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "starloom-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	config, err := s.write(work)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if serve {
		command := exec.CommandContext(ctx, "mkdocs", "serve", "-f", config)
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("mkdocs: %w", err)
		}
		return nil
	}
	said, err := exec.CommandContext(ctx, "mkdocs", "build", "--strict", "--clean", "-f", config,
		"-d", to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mkdocs: %w\n%s", err, said)
	}
	return nil
}
