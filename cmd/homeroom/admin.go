package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"homeroom/internal/app"
)

// adminCmd manages super-administrators.
type adminCmd struct {
	Create          adminCreate     `cmd:"" help:"Create a super-administrator, who can create schools."`
	SecondFactorOff secondFactorOff `cmd:"" help:"Remove the second factor of a super-administrator who has lost phone and recovery codes."`
}

type secondFactorOff struct {
	store
	Email string `required:"" placeholder:"ADDRESS" help:"E-mail address that the super-administrator signs in with."`
}

// Run removes the second factor.
func (s *secondFactorOff) Run(c *command) error {
	if err := app.RemoveSecondFactor(c, s.Store, s.Logger(c.err), s.Email); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%s now signs in with the password alone.\n", s.Email)
	return err
}

type adminCreate struct {
	store
	Email        string `required:"" placeholder:"ADDRESS" help:"E-mail address to sign in with."`
	Name         string `required:"" help:"Name of the person."`
	PasswordFile string `placeholder:"FILE" help:"File whose first line is the password. Without it: HOMEROOM_ADMIN_PASSWORD, or a prompt."`
}

const passwordEnv = "HOMEROOM_ADMIN_PASSWORD"

// Run creates the account.
func (a *adminCreate) Run(c *command) error {
	password, err := a.password(c)
	if err != nil {
		return err
	}
	err = app.CreateAdmin(c, a.Store, a.Logger(c.err), app.Admin{Email: a.Email, Name: a.Name, Password: app.Secret(password)})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s can now sign in at /auth/login.\n", a.Email)
	return err
}

// password reads the password from a file, the environment or a prompt. There is
// no flag for it, because other users of the machine can read command lines.
func (a *adminCreate) password(c *command) (string, error) {
	if a.PasswordFile != "" {
		text, err := os.ReadFile(a.PasswordFile)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		return strings.TrimSuffix(line, "\r"), nil
	}
	if p, ok := c.env(passwordEnv); ok {
		return p, nil
	}
	return c.ask()
}

// ask prompts twice, without echo.
func (c *command) ask() (string, error) {
	fd := int(c.in.Fd())
	if !term.IsTerminal(fd) {
		return "", usage{fmt.Errorf("there is no terminal for a password prompt: set %s or --password-file", passwordEnv)}
	}
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("ask for the password: %w", err)
	}
	var answers [2]string
	for i, prompt := range []string{"Password (at least 10 characters): ", "Once more: "} {
		typed := make(chan error, 1)
		fmt.Fprint(c.err, prompt)
		go func() { // blocks until the line is read or the process ends
			p, err := term.ReadPassword(fd)
			answers[i] = string(p)
			typed <- err
		}()
		select {
		case err = <-typed:
		case <-c.Done():
			err = errors.Join(c.Err(), term.Restore(fd, state))
		}
		fmt.Fprintln(c.err)
		if err != nil {
			return "", fmt.Errorf("ask for the password: %w", err)
		}
	}
	if answers[0] != answers[1] {
		return "", errors.New("the two passwords differ: try again")
	}
	return answers[0], nil
}
