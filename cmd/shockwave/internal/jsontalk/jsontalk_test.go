package jsontalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"
)

// FuzzString: what Str writes is what encoding/json reads, with what is not UTF-8 replaced.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a", "é<>&\u2028", "\x00\x1f\x7f\"\\\n\r\t", "\xff", "a\xc3", "\xed\xa0\x80b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil {
			t.Fatalf("%q: %v", appendString(nil, s), err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); utf8.ValidString(s) && got != s || strings.ToValidUTF8(got, "") != got ||
			strings.ReplaceAll(got, "\uFFFD", "") != strings.ReplaceAll(want, "\uFFFD", "") {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// FuzzParse: text of a good command is UTF-8 as it was meant; anything else is an error.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"text":"a"}`, `{"text":"\ud83d\ude00"}`, `{"text":"\ud83d"}`, `{"text":"\ude00\ud83d"}`,
		`{"text":"\ud83d\\ude00"}`, `{"text":"\\ud83d"}`, `{"text":"\u00e9\ud83d\uDE00"}`, `{"text":"\ud83d\u0041"}`, `null`, ``, `{"text":5}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var c struct{ Payload }
		if err := Parse(line, &c); err != nil {
			if !strings.HasPrefix(err.Error(), "bad command: ") {
				t.Errorf("%q: %v", line, err)
			}
			return
		}
		if c.Text == nil {
			return
		}
		if lower := bytes.ToLower(line); strings.Contains(*c.Text, "\uFFFD") && !bytes.Contains(lower, []byte(`\ufffd`)) &&
			!bytes.Contains(line, []byte("\uFFFD")) {
			t.Errorf("%q became %q", line, *c.Text)
		}
	})
}

// Lone surrogates in a command are refused.
func TestSurrogates(t *testing.T) {
	for line, good := range map[string]bool{
		`{"text":"\ud83d\ude00"}`: true, `{"text":"\\ud83d"}`: true, `{"text":"\\\\ud83d \ud83d\ude00"}`: true,
		`{"text":"\ud83d"}`: false, `{"text":"\ude00"}`: false, `{"text":"\ud83d\u0041"}`: false, `{"text":"\ud83dx\ude00"}`: false,
		`{"text":"\\\ud83d"}`: false, `{"text":"\uD83D\uDE00\uD83D"}`: false,
		`{"text":5}`: false, `{"text":""`: false, `{} {}`: false, "{\"text\":\"\n\"}": false, " \t{}\r": true,
	} {
		var c struct{ Payload }
		if err := Parse([]byte(line), &c); (err == nil) != good {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A member of the wrong type is named in the error.
func TestWrongType(t *testing.T) {
	for line, want := range map[string]string{
		`{"text":5}`: `bad command: "text" has the wrong type: number`, `{"fill":"5"}`: `bad command: "fill" has the wrong type: string`,
		`{"fill":1.5}`: `bad command: "fill" has the wrong type: number 1.5`, `{"do":[]}`: `bad command: "do" has the wrong type: array`,
	} {
		var c struct {
			Do string `json:"do"`
			Payload
		}
		if err := Parse([]byte(line), &c); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// A payload is text, base64 or fill, and only one of them.
func TestPayload(t *testing.T) {
	for _, tc := range []struct {
		json string
		want string
		err  string
	}{
		{`{"text":""}`, "", ""},
		{`{"base64":""}`, "", ""},
		{`{"base64":"/wA="}`, "\xff\x00", ""},
		{`{"base64":"/wA"}`, "", "bad command: "},
		{`{"base64":"/wB="}`, "", "bad command: "},
		{`{"base64":"/w\nA="}`, "", "bad command: "},
		{`{"base64":"/wA=\r\n"}`, "", "bad command: "},
		{`{"fill":0}`, "", ""},
		{`{"fill":3}`, "\x00\x01\x02", ""},
		{`{"fill":-1}`, "", "bad command: "},
		{`{"fill":4294967296}`, "", "message too large"},
		{`{}`, "", "bad command: "},
		{`{"text":"","fill":0}`, "", "bad command: "},
	} {
		var p Payload
		if err := json.Unmarshal([]byte(tc.json), &p); err != nil {
			t.Fatal(err)
		}
		got, err := p.Bytes()
		if string(got) != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.HasPrefix(err.Error(), tc.err) {
			t.Errorf("%s: %q, %v", tc.json, got, err)
		}
	}
	for _, n := range []int{250, 251, 252, 502, 503, 100_000} {
		for i, c := range fill(n) {
			if c != byte(i%251) {
				t.Fatalf("byte %d of %d is %d", i, n, c)
			}
		}
	}
}

// Lines are read whole, whatever ends them.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	l := NewLines(strings.NewReader("a\n\n" + long + "\r\nend"))
	for _, want := range []string{"a", "", long + "\r", "end"} {
		if got, err := l.Next(); string(got) != want || err != nil {
			t.Errorf("%.20q, %v", got, err)
		}
	}
	if _, err := l.Next(); err != io.EOF {
		t.Error(err)
	}
}

// A line that is too long is skipped, whole.
func TestLongLine(t *testing.T) {
	for _, size := range []int{200_000, 300_000} {
		l := NewLines(strings.NewReader(strings.Repeat("x", size) + "\nnext\n" + strings.Repeat("y", size)))
		l.most = 100_000
		if _, err := l.Next(); !TooLong(err) {
			t.Fatal(err)
		}
		if got, err := l.Next(); string(got) != "next" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := l.Next(); !TooLong(err) {
			t.Error(err)
		}
		if _, err := l.Next(); err != io.EOF {
			t.Error(err)
		}
	}
}

// Lines are written whole and in order, and a writer waits while nobody reads.
func TestOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		o := NewOutput(w)
		written := 0
		go func() {
			for ; written < 1000; written++ {
				o.Event("message").Int("n", int64(written)).Payload(make([]byte, 1000)).End()
			}
			o.OK(nil)
			o.OK(json.RawMessage(`"t"`))
			o.Error(nil, errors.New("no"))
			o.Line([]byte("plain"))
			o.Close()
			w.Close()
		}()
		synctest.Wait()
		if written > 3*bound/1000 || written == 0 {
			t.Errorf("%d events of 6,000 bytes are waiting", written)
		}
		var got bytes.Buffer
		io.Copy(&got, r)
		lines := strings.Split(got.String(), "\n")
		for i := range 1000 {
			if want := fmt.Sprintf(`{"event":"message","n":%d,"text":"\u0000`, i); !strings.HasPrefix(lines[i], want) {
				t.Fatalf("line %d: %.60s", i, lines[i])
			}
		}
		if rest := strings.Join(lines[1000:], "\n"); rest != `{"event":"ok","tag":"t"}`+"\n"+`{"event":"error","error":"no"}`+"\nplain\n" {
			t.Errorf("%s", rest)
		}
	})
}

// A writer does not wait for an output that has failed.
func TestOutputFails(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(errors.New("gone"))
	o := NewOutput(w)
	for range 100 {
		o.Line(make([]byte, bound))
	}
	<-o.Failed()
	if err := o.Close(); err == nil || err.Error() != "gone" {
		t.Error(err)
	}
}

// Messages for one peer wait for their turn, and those for others do not.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWaiting[int]()
		var log []string
		gate := make(chan struct{})
		for i := range 3 {
			w.Send(1, MostWaiting/2, func() { <-gate; log = append(log, fmt.Sprint(i)) })
		}
		w.Then(1, func() { log = append(log, "then") })
		w.Then(2, func() { log = append(log, "other") })
		room := make(chan struct{})
		go func() { w.Room(t.Context()); close(room) }()
		synctest.Wait()
		if !w.Busy(1) || w.Busy(2) || w.Sends() != 3 || strings.Join(log, " ") != "other" {
			t.Errorf("%v, %d waiting", log, w.Sends())
		}
		select {
		case <-room:
			t.Error("there is room")
		default:
		}
		gate <- struct{}{}
		<-room
		if n := w.Sends(); n != 2 {
			t.Errorf("%d waiting", n)
		}
		close(gate)
		w.Done(t.Context())
		if got := strings.Join(log, " "); got != "other 0 1 2 then" || w.Busy(1) || w.Sends() != 0 {
			t.Errorf("%s, %d waiting", got, w.Sends())
		}
	})
}
