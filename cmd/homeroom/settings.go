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

// groups are the headings of the flags in the help, as in .env.example.
var groups = []kong.Group{
	{Key: "run", Title: "General:"},
	{Key: "store", Title: "Database and keys:"},
	{Key: "listen", Title: "Network:"},
	{Key: "cluster", Title: "Cluster (several nodes only):"},
	{Key: "rates", Title: "Limits (a rate of 0 means no limit):"},
	{Key: "sending", Title: "Messages and files:"},
	{Key: "logs", Title: "Logs and traces:"},
}

// newParser parses flags and environment variables; flags win. Invalid values
// are added to problems, so that all of them are reported at once.
func newParser(into *cli, s std, problems app.Problems) (*kong.Kong, error) {
	return kong.New(into,
		kong.Name("homeroom"),
		kong.Description("Homeroom is a school management service in one program, with an embedded database or PostgreSQL."),
		kong.Vars{"version": app.Version()},
		kong.Writers(s.out, s.err),
		kong.Exit(s.exit),
		kong.ExplicitGroups(groups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.ValueFormatter(describe),
		kong.Resolvers(environment(s.env)),
		lenient(problems, "a whole number, such as 10", strconv.Atoi),
		lenient(problems, "a number, such as 0.01", number),
		lenient(problems, "a duration, such as 30s or 2m", time.ParseDuration),
		lenient(problems, "networks, such as 10.0.0.0/8,192.168.1.7", prefixes),
		kong.TypeMapper(reflect.TypeFor[bool](), boolMapper{problems}),
	)
}

// isSetting reports whether a flag has an environment variable: those of app.Config do.
func isSetting(v *kong.Value) bool { return v.Flag != nil && v.Flag.Group != nil }

// describe formats the help of a flag with its environment variable and default.
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

// environment resolves settings from environment variables. An empty variable counts as unset.
func environment(lookup func(string) (string, bool)) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
		if value, _ := lookup(app.EnvName(f.Name)); value != "" && isSetting(f.Value) {
			return value, nil
		}
		return nil, nil // not set
	})
}

// lenient parses flags of type T. It adds an invalid value to problems instead of failing.
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

func number(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// prefixes parses a comma-separated list of networks and IP addresses.
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

// boolMapper parses boolean flags: --demo, --demo=false, HOMEROOM_DEMO=true.
type boolMapper struct{ problems app.Problems }

// IsBool tells kong that the flag needs no value.
func (boolMapper) IsBool() bool { return true }

// Decode implements kong.Mapper.
func (b boolMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	on, err := strconv.ParseBool(text)
	if err != nil {
		b.problems.Add(ctx.Value.Name, "is %q: use true or false", text)
	}
	target.SetBool(on)
	return nil
}
