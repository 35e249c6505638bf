package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"homeroom/internal/apptest/privilege"
)

const (
	privilegeSeed      = 1_000_000
	privilegeSequences = 5_000 // on each engine
	privilegeShown     = 10    // violations that are shrunk and printed in full
	privilegeRounds    = 200   // of each race
)

// privileges searches for privilege escalation with random sequences, and races
// sign-ins against changes of the same account.
func privileges(ctx context.Context, l *lab) error {
	for _, t := range l.targets {
		at, err := l.emptyDatabase(ctx, t, "privileges")
		if err != nil {
			return err
		}
		w, err := privilege.Open(ctx, at.url, filepath.Join(l.dir, "privilege-"+t.engine))
		if err != nil {
			return err
		}
		if err := errors.Join(attack(ctx, w, t.engine), race(ctx, w, t.engine), w.Close()); err != nil {
			return err
		}
	}
	return nil
}

func attack(ctx context.Context, w *privilege.World, engine string) error {
	r, err := w.Run(ctx, privilegeSeed, privilegeSequences, privilegeShown)
	if err != nil {
		return err
	}
	fmt.Println("| Engine | First seed | Sequences | Steps | Violations |")
	fmt.Println("|---|---:|---:|---:|---:|")
	fmt.Printf("| %s | %d | %d | %d | %d |\n\n", engine, privilegeSeed, r.Sequences, r.Steps, len(r.Findings))
	for i, f := range r.Findings {
		if i < privilegeShown {
			fmt.Println(f)
		} else {
			fmt.Printf("seed %d: %s\n", f.Seed, f.Kind)
		}
	}
	return nil
}

func race(ctx context.Context, w *privilege.World, engine string) error {
	races, err := w.Races(ctx, privilegeRounds)
	if err != nil {
		return err
	}
	fmt.Println("| Engine | Sign-in | Change | Rounds | Both succeeded | Survived | Internal errors | |")
	fmt.Println("|---|---|---|---:|---:|---:|---:|---|")
	for _, r := range races {
		fmt.Printf("| %s | %s | %s | %d | %d | %d | %d | %s%s |\n", engine, r.Way, r.Change, r.Rounds, r.Both, r.Survived, r.Broken, r.Skipped,
			r.Example)
	}
	fmt.Println()
	return nil
}
