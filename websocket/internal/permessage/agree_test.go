package permessage

import (
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/budget"
)

// plenty is a budget that is large enough.
var plenty = budget.New(1 << 30)

// says returns a server's response to lines of offers: "-" for nothing.
func says(m Mode, lines ...string) string {
	p, err := Choose(lines, m, plenty)
	switch {
	case err != nil:
		return "malformed"
	case p == nil:
		return "-"
	}
	return strings.TrimPrefix(string(p.Append(nil)), "permessage-deflate")
}

// A server responds to each form of offer with the parameters that it and the Mode allow.
func TestChoose(t *testing.T) {
	const fresh = "; server_no_context_takeover; client_no_context_takeover"
	for _, c := range []struct{ offer, takeover, without string }{
		{"permessage-deflate", "", fresh},
		{"permessage-deflate; client_max_window_bits", "", fresh}, // as browsers do
		{"permessage-deflate; server_no_context_takeover", "; server_no_context_takeover", fresh},
		{"permessage-deflate; client_no_context_takeover", "; client_no_context_takeover", fresh},
		{"permessage-deflate; server_max_window_bits=8", "; server_max_window_bits=8",
			"; server_no_context_takeover; server_max_window_bits=8; client_no_context_takeover"},
		{"permessage-deflate; server_max_window_bits=15", "; server_max_window_bits=15",
			"; server_no_context_takeover; server_max_window_bits=15; client_no_context_takeover"},
		{`permessage-deflate; client_max_window_bits="10"`, "; client_max_window_bits=10", fresh + "; client_max_window_bits=10"},
		{`permessage-deflate;server_max_window_bits="1\0" ; client_max_window_bits = 9`, "; server_max_window_bits=10; client_max_window_bits=9",
			"; server_no_context_takeover; server_max_window_bits=10; client_no_context_takeover; client_max_window_bits=9"},
		{"x-webkit-deflate-frame, permessage-deflate", "", fresh},
		{", ,permessage-deflate,", "", fresh},
		// The first offer that can be accepted is.
		{"permessage-deflate; server_max_window_bits=7, permessage-deflate; server_max_window_bits=9", "; server_max_window_bits=9",
			"; server_no_context_takeover; server_max_window_bits=9; client_no_context_takeover"},
		{"permessage-deflate; mode=best, permessage-deflate", "", fresh},
	} {
		if got := says(Takeover, c.offer); got != c.takeover {
			t.Errorf("%q with takeover: %q, want %q", c.offer, got, c.takeover)
		}
		if got := says(NoTakeover, c.offer); got != c.without {
			t.Errorf("%q without takeover: %q, want %q", c.offer, got, c.without)
		}
		if got := says(Off, c.offer); got != "-" {
			t.Errorf(`%q without compression: got %q, want "-"`, c.offer, got)
		}
	}
}

// An offer with a parameter that is undefined, repeated or has a bad value is declined.
func TestChooseDeclines(t *testing.T) {
	for _, params := range []string{
		"server_no_context_takeover=1", "client_no_context_takeover=true", "server_no_context_takeover; server_no_context_takeover",
		"client_no_context_takeover; client_no_context_takeover", "server_max_window_bits", "server_max_window_bits=7",
		"server_max_window_bits=16", "server_max_window_bits=08", "server_max_window_bits=+9", "server_max_window_bits=9.0",
		"server_max_window_bits=9; server_max_window_bits=9", "client_max_window_bits=7", "client_max_window_bits=16",
		"client_max_window_bits=0x9", "client_max_window_bits=99999999999999999999", "client_max_window_bits; client_max_window_bits",
		"client_max_window_bits; client_max_window_bits=9", "mux", "Server_no_context_takeover",
	} {
		if got := says(Takeover, "permessage-deflate; "+params); got != "-" {
			t.Errorf(`%q: got %q, want "-"`, params, got)
		}
	}
	for _, offer := range []string{"permessage-deflate2", "deflate", "PerMessage-Deflate"} {
		if got := says(Takeover, offer); got != "-" {
			t.Errorf(`%q: got %q, want "-"`, offer, got)
		}
	}
	if got := says(Takeover); got != "-" {
		t.Errorf(`no offer: got %q, want "-"`, got)
	}
}

// Both sides refuse a field that does not match the grammar (RFC 6455 §9.1).
func TestMalformed(t *testing.T) {
	for _, line := range []string{
		"", " ", ",", ", ,", ";", "permessage-deflate;", "permessage-deflate;;", "permessage-deflate; =1", "permessage-deflate; a=",
		`permessage-deflate; a="`, `permessage-deflate; a=""`, `permessage-deflate; a="1 0"`, `permessage-deflate; a="10\`, `permessage-deflate; a="1"0`,
		`permessage-deflate; a=1"0"`, `"permessage-deflate"`, "permessage-deflate a", "permessage-deflate; a b", "permessage-deflate/1", "permessage-déflate",
		"permessage-deflate; a=1=2", "permessage-deflate, ;", "permessage-deflate; a=b\x00c",
	} {
		for _, c := range []Mode{Off, Takeover} {
			if got := says(c, line); got != "malformed" {
				t.Errorf(`%q: got %q, want "malformed"`, line, got)
			}
		}
		if p, refused := Agree([]string{line}, Offers(Takeover, plenty)); p != nil || refused != ErrMalformed {
			t.Errorf("%q as a response: got %v, %v; want nil, %v", line, p, refused, ErrMalformed)
		}
	}
	if got := says(Takeover, "permessage-deflate", "a;"); got != "malformed" {
		t.Errorf(`on the second line: got %q, want "malformed"`, got)
	}
	if got := says(Takeover, "a", "permessage-deflate"); got != "" {
		t.Errorf(`two lines: got %q, want ""`, got)
	}
}

// offered returns what a client offers.
func offered(m Mode, memory *budget.Budget) string {
	return string(AppendOffers(nil, Offers(m, memory)))
}

// A client offers what its Mode and the memory allow.
func TestOffers(t *testing.T) {
	for m, want := range []string{
		Off:        "",
		NoTakeover: "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits",
		Takeover: "permessage-deflate; client_max_window_bits, " +
			"permessage-deflate; client_no_context_takeover; client_max_window_bits",
	} {
		if got := offered(Mode(m), plenty); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const fresh = "permessage-deflate; server_no_context_takeover; "
	if got := offered(Takeover, budget.New(0)); got != fresh+"client_max_window_bits, "+fresh+"client_no_context_takeover; client_max_window_bits" {
		t.Errorf("without memory: got %q", got)
	}
}

// A client agrees to parameters that fit its offers, and to no others.
func TestAgree(t *testing.T) {
	const deflate = "permessage-deflate"
	for _, c := range []struct {
		response string
		with     Mode
		want     Params
		err      error
	}{
		{deflate, Takeover, Params{}, nil},
		{deflate + "; server_no_context_takeover", Takeover, Params{FromServer: Side{NoTakeover: true}}, nil},
		{deflate + "; client_no_context_takeover", Takeover, Params{FromClient: Side{NoTakeover: true}}, nil},
		{deflate + "; server_max_window_bits=9; client_max_window_bits=10", Takeover,
			Params{FromServer: Side{Bits: 9}, FromClient: Side{Bits: 10}}, nil},
		{deflate + "; server_no_context_takeover", NoTakeover,
			Params{FromServer: Side{NoTakeover: true}, FromClient: Side{NoTakeover: true}}, nil},
		{deflate, NoTakeover, Params{}, ErrParams},
		{deflate, Off, Params{}, ErrNotOffered},
		{"mux", Takeover, Params{}, ErrNotOffered},
		{deflate + ", mux", Takeover, Params{}, ErrNotOffered},
		{deflate + ", " + deflate, Takeover, Params{}, ErrNotOffered},
		{deflate + "; client_max_window_bits", Takeover, Params{}, ErrParams},
		{deflate + "; server_max_window_bits=16", Takeover, Params{}, ErrParams},
		{deflate + "; server_no_context_takeover; server_no_context_takeover", Takeover, Params{}, ErrParams},
		{deflate + "; mode=best", Takeover, Params{}, ErrParams},
	} {
		p, err := Agree([]string{c.response}, Offers(c.with, plenty))
		if err != c.err || (p == nil) != (c.err != nil) || p != nil && *p != c.want {
			t.Errorf("%q: %+v, %v, want %+v, %v", c.response, p, err, c.want, c.err)
		}
	}
	if p, err := Agree(nil, Offers(Takeover, plenty)); p != nil || err != nil {
		t.Errorf("no response: got %v, %v", p, err)
	}
}

// A client can agree to every response of a server.
func FuzzExtensions(f *testing.F) {
	for _, seed := range []string{
		"permessage-deflate; client_max_window_bits", `a; b="c\d"; e, permessage-deflate; server_max_window_bits=9; client_max_window_bits="8"`,
		"permessage-deflate; server_no_context_takeover; client_no_context_takeover", ",", `x;y="`, "permessage-deflate\npermessage-deflate;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		lines := strings.Split(field, "\n")
		list, ok := parseExtensions(lines)
		var again []string
		for _, e := range list {
			s := e.name
			for _, p := range e.params {
				if s += ";" + p.name; p.valued {
					s += "=" + p.value
				}
			}
			again = append(again, s)
		}
		if list2, ok2 := parseExtensions(again); ok && (!ok2 || !slices.EqualFunc(list, list2, func(a, b extension) bool {
			return a.name == b.name && slices.Equal(a.params, b.params)
		})) {
			t.Errorf("%q is read as %v, and that as %v", lines, list, list2)
		}
		for _, c := range []Mode{NoTakeover, Takeover} {
			p, refused := Choose(lines, c, plenty)
			if (refused == nil) != ok {
				t.Errorf("%q: parsed %v, refused %v", lines, ok, refused)
			}
			if p == nil {
				continue
			}
			response := string(p.Append(nil))
			if agreed, err := Agree([]string{response}, Offers(c, plenty)); err != nil || *agreed != *p {
				t.Errorf("%q: got the response %q: %+v, %v, want %+v", lines, response, agreed, err, p)
			}
		}
	})
}
