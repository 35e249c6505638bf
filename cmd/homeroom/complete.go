package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completeCmd prints what the last word of a command line can become, for the completion of shells.
type completeCmd struct {
	Words []string `arg:"" optional:"" help:"The words after homeroom; the last is being typed."`
}

// Run prints one candidate a line.
func (m completeCmd) Run(c *command) error {
	for _, word := range candidates(c.parser.Model.Node, m.Words) {
		if _, err := fmt.Fprintln(c.out, word); err != nil {
			return err
		}
	}
	return nil
}

// candidates returns flags if the last word begins with a dash, else commands.
func candidates(n *kong.Node, words []string) (out []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	for _, word := range before {
		if i := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == word }); i >= 0 {
			n = n.Children[i]
		}
	}
	if strings.HasPrefix(last, "-") {
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				out = append(out, "--"+f.Name)
			}
		}
	} else {
		for _, c := range n.Children {
			if !c.Hidden {
				out = append(out, c.Name)
			}
		}
	}
	return slices.DeleteFunc(out, func(w string) bool { return !strings.HasPrefix(w, last) })
}
