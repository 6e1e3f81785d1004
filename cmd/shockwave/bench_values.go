package main

import (
	"errors"
	"flag"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
)

// count is the value of a flag for a whole number, such as 64 or 10k.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }

func (c *count) Set(s string) error {
	f, err := thousands(s)
	if err != nil || f != float64(int32(f)) {
		return errors.New("want a whole number such as 64 or 10k")
	}
	*c = count(f)
	return nil
}

// frequency is the value of a flag for events per second, such as 250, 0.5 or 10k.
type frequency float64

func (f *frequency) String() string { return strconv.FormatFloat(float64(*f), 'f', -1, 64) }

func (f *frequency) Set(s string) error {
	v, err := thousands(s)
	if err != nil {
		return errors.New("want a number such as 250 or 10k")
	}
	*f = frequency(v)
	return nil
}

// thousands parses a finite number of at least 0 that may end in k.
func thousands(s string) (float64, error) {
	digits, k := strings.CutSuffix(strings.ToLower(s), "k")
	v, err := strconv.ParseFloat(digits, 64)
	if k {
		v *= 1000
	}
	if err == nil && !(v >= 0 && v <= 1e12) {
		err = strconv.ErrRange
	}
	return v, err
}

// span is the value of a flag for a duration of at least 0, such as 10s, 1m30s, or 10 for seconds.
type span time.Duration

func (d *span) String() string { return time.Duration(*d).String() }

func (d *span) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		v, err = time.ParseDuration(s + "s")
	}
	if err != nil || v < 0 {
		return errors.New("want a time such as 10s or 2m")
	}
	*d = span(v)
	return nil
}

// runLength is the value of -d. In other programs -d is the request body; the error for a wrong value points that out.
type runLength struct{ span }

func (d *runLength) Set(s string) error {
	err := d.span.Set(s)
	if err != nil {
		err = errors.New(err.Error() + "; a body is given with -data TEXT or -body FILE")
	}
	return err
}

// lines is the value of a flag that may be given again; each time adds a line.
type lines []string

func (l *lines) String() string { return strings.Join(*l, "; ") }

func (l *lines) Set(s string) error {
	*l = append(*l, s)
	return nil
}

func (l *lines) each() []string { return *l }

// fields is the value of a flag for header fields; each time adds a field.
type fields struct {
	header shockwave.Header
	shown  []string // header with secret values hidden
}

func (f *fields) String() string { return strings.Join(f.each(), ", ") }

// each returns the fields without secret values.
func (f *fields) each() []string { return f.shown }

func (f *fields) Set(s string) error {
	name, value, ok := strings.Cut(s, ":")
	value = strings.Trim(value, " \t")
	if !ok || !token(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return errors.New("want a field such as 'Accept: text/html'")
	}
	f.header.Add(name, value)
	if secret(name) {
		value = "…"
	}
	f.shown = append(f.shown, name+": "+value)
	return nil
}

// token reports whether s is a valid method or field name (RFC 9110 §5.6.2).
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// secret reports whether a field's value must not be shown.
func secret(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie":
		return true
	}
	return false
}

// commandLine returns a command line that repeats the run, without secrets.
func commandLine(set *flag.FlagSet, targets []string) string {
	words := []string{"shockwave", "bench"}
	set.Visit(func(f *flag.Flag) {
		if list, ok := f.Value.(interface{ each() []string }); ok {
			for _, line := range list.each() {
				words = append(words, "-"+f.Name, quoted(line))
			}
			return
		}
		word := "-" + f.Name
		switch value := f.Value.String(); {
		case isSwitch(f) && value == "true":
			words = append(words, word)
		case isSwitch(f):
			words = append(words, word+"="+value)
		default:
			words = append(words, word, quoted(value))
		}
	})
	for _, s := range targets {
		if u, err := parseTarget(s); err == nil && !strings.HasPrefix(s, "/") {
			s = u.Redacted()
		}
		words = append(words, quoted(s))
	}
	return strings.Join(words, " ")
}

// isSwitch reports whether f is a boolean flag, which needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// quoted returns s quoted for a shell, if necessary.
func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\"'\\$`&|;<>()*?[]#~!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
