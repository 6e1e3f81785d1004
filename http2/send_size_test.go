package http2

import "testing"

// A header section that is larger than the peer accepts is taken back, and the connection goes on as if it had never been
// begun: the stream has the same identifier, and later sections can be decoded.
func TestSectionIsTakenBack(t *testing.T) {
	tk := client(t, Config{})
	ask := func(s *Stream, value string) ([]byte, error) {
		out := tk.c.BeginHeaders(nil, s)
		for _, f := range fieldsOf(append(getLines[:4:4], "x-name: "+value)...) {
			out = tk.c.AppendField(out, f.Name, f.Value)
		}
		out, err := tk.c.CheckHeaders(out)
		return tk.c.EndHeaders(out, true), err
	}
	first, _ := tk.c.Open(nil)
	out, err := ask(first, "value")
	if err != nil {
		t.Fatal(err)
	}
	tk.wrote(out, "HEADERS 1 :method=GET :scheme=https :authority=example.com :path=/ x-name=value END")
	tk.send(settings(settingListSize, 4*32+len32("GET:methodhttps:schemeexample.com:authority/:path")+32+len32("x-namevalue")))
	tk.want("Settings")
	second, _ := tk.c.Open(nil)
	if out, err = ask(second, "value2"); err != ErrHeadersTooLarge || second.State() != StateIdle {
		t.Fatalf("%v, state %d", err, second.State())
	}
	tk.wrote(out, "SETTINGS ack")
	if _, err := tk.c.Open(nil); err != ErrTooManyStreams {
		t.Error("another stream was opened meanwhile")
	}
	if out, err = ask(second, "other"); err != nil {
		t.Fatal(err)
	}
	tk.wrote(out, "HEADERS 3 :method=GET :scheme=https :authority=example.com :path=/ x-name=other END")
	third, _ := tk.c.Open(nil)
	if _, err = ask(third, "value2"); err == nil {
		t.Fatal("sent")
	}
	tk.c.Release(third)
	fourth, err := tk.c.Open(nil)
	if err != nil || fourth.ID() != 5 {
		t.Fatal(fourth, err)
	}
	if out, err = ask(fourth, "other"); err != nil {
		t.Fatal(err)
	}
	tk.wrote(out, "HEADERS 5 :method=GET :scheme=https :authority=example.com :path=/ x-name=other END")
}

// A trailer section that is taken back leaves the request what it was: the response to a HEAD still has no content.
func TestTrailersAreTakenBack(t *testing.T) {
	tk := client(t, Config{})
	s, _ := tk.c.Open(nil)
	out := tk.c.BeginHeaders(nil, s)
	for _, f := range fieldsOf(append([]string{":method: HEAD"}, getLines[1:4]...)...) {
		out = tk.c.AppendField(out, f.Name, f.Value)
	}
	tk.wrote(tk.c.EndHeaders(out, false), "HEADERS 1 :method=HEAD :scheme=https :authority=example.com :path=/")
	tk.send(settings(settingListSize, 40))
	tk.want("Settings")
	out = tk.c.AppendField(tk.c.BeginHeaders(nil, s), "x-sum", "much more than forty bytes, all in all")
	if _, err := tk.c.CheckHeaders(out); err != ErrHeadersTooLarge {
		t.Fatal(err)
	}
	if s.method != methodHead {
		t.Error("the request is no HEAD any more")
	}
}

func len32(s string) uint32 { return uint32(len(s)) }
