package main

import (
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"homeroom/internal/app"
)

// groups are the headings of the flags.
var groups = []kong.Group{
	{Key: "run", Title: "What runs:"},
	{Key: "listen", Title: "How clients reach it:"},
	{Key: "store", Title: "Where data is kept:"},
	{Key: "rates", Title: "Limits (0 switches one off):"},
	{Key: "sending", Title: "Who sends messages and keeps files:"},
	{Key: "logs", Title: "Logs:"},
}

// newParser reads flags and, where one is not given, its environment variable.
// What can't be read is added to the problems, so that all are told at once.
func newParser(into *cli, s std, problems app.Problems) (*kong.Kong, error) {
	return kong.New(into,
		kong.Name("homeroom"),
		kong.Description("Homeroom runs schools: one program, with a database inside or a PostgreSQL beside it."),
		kong.Writers(s.out, s.err),
		kong.Exit(s.exit),
		kong.ExplicitGroups(groups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.ValueFormatter(describe),
		kong.Resolvers(environment(s.env)),
		lenient(problems, "a whole number, such as 10", strconv.Atoi),
		lenient(problems, "a time, such as 30s or 2m", time.ParseDuration),
		lenient(problems, "networks, such as 10.0.0.0/8,192.168.1.7", prefixes),
		kong.TypeMapper(reflect.TypeFor[bool](), yesNo{problems}),
	)
}

// isSetting holds for the flags that have an environment variable: those of app.Config.
func isSetting(v *kong.Value) bool { return v.Flag != nil && v.Flag.Group != nil }

// describe is the help of a flag with its environment variable and default.
func describe(v *kong.Value) string {
	if !isSetting(v) {
		return v.Help
	}
	text := v.Help + " [" + app.EnvName(v.Name)
	if v.HasDefault {
		text += ", default " + v.Default
	}
	return text + "]"
}

// environment finds settings in the environment. An empty variable is none.
func environment(lookup func(string) (string, bool)) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
		if value, _ := lookup(app.EnvName(f.Name)); value != "" && isSetting(f.Value) {
			return value, nil
		}
		return nil, nil // kong's word for: not here
	})
}

// lenient reads values of type T; what can't be read is a problem, not the end.
func lenient[T any](problems app.Problems, want string, read func(string) (T, error)) kong.Option {
	return kong.TypeMapper(reflect.TypeFor[T](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("value", &text); err != nil {
			return err
		}
		v, err := read(strings.TrimSpace(text))
		if err != nil {
			problems.Add(ctx.Value.Name, "is %q: use %s", text, want)
			return nil
		}
		target.Set(reflect.ValueOf(v))
		return nil
	}))
}

// prefixes reads networks and single addresses.
func prefixes(text string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		if err != nil {
			ip, errIP := netip.ParseAddr(part)
			if errIP != nil {
				return nil, fmt.Errorf("neither network nor address: %w", err)
			}
			p = netip.PrefixFrom(ip, ip.BitLen())
		}
		all = append(all, p)
	}
	return all, nil
}

// yesNo reads switches: --demo, --demo=false, HOMEROOM_DEMO=true.
type yesNo struct{ problems app.Problems }

// IsBool tells kong that the flag needs no value.
func (yesNo) IsBool() bool { return true }

// Decode implements kong.Mapper.
func (y yesNo) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	on, err := strconv.ParseBool(text)
	if err != nil {
		y.problems.Add(ctx.Value.Name, "is %q: use true or false", text)
	}
	target.SetBool(on)
	return nil
}
