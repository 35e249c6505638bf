package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const years = 20 // seeds, on both engines

// year plays school years with the test of the same name.
func year(ctx context.Context, _ *lab) error {
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout=2h", "-run=TestYear", "./internal/apptest/year",
		"-args", fmt.Sprint("-seeds=", years))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Println("| Engine | Years | Registers, books, lists and messages as in the model | All done after |")
	fmt.Println("|---|---:|---|---:|")
	fmt.Printf("| SQLite and PostgreSQL | %d each | yes | %s |\n", years, time.Since(began).Round(time.Second))
	return nil
}
