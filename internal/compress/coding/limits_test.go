package coding

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// A body may be as long as the limit, and not a byte longer.
func TestBytes(t *testing.T) {
	plain := text(50_000)
	for _, codings := range all {
		body := coded(t, codings, plain)
		for _, limit := range []int64{1, 1000, 49_999, 50_000, 50_001} {
			got, err := io.ReadAll(opened(t, bytes.NewReader(body), codings, Limits{Bytes: limit}))
			if want := limit < 50_000; errors.Is(err, ErrTooBig) != want || (err == nil) == want {
				t.Errorf("%s, %d bytes at most: %v", codings, limit, err)
			}
			// In a list the limit holds for what is between two codings, too, which may be longer than the text.
			if inner := strings.Contains(codings, ","); !inner && !bytes.Equal(got, plain[:min(limit, 50_000)]) || !bytes.HasPrefix(plain, got) {
				t.Errorf("%s, %d bytes at most: %d bytes", codings, limit, len(got))
			}
		}
	}
}

// endless repeats a part, and counts.
type endless struct {
	part string
	rest string
	n    int64
}

func (e *endless) Read(p []byte) (n int, err error) {
	if e.rest == "" {
		e.rest = e.part
	}
	n = copy(p, e.rest)
	e.rest = e.rest[n:]
	e.n += int64(n)
	return n, nil
}

// The parts of bodies that become as long as one likes. The frame of zstd says that it is 1 TiB long, with a window of
// 8 MiB, and is made of blocks of 4 bytes that become 128 KiB (RFC 8878 §3.1.1).
const (
	zstdTebibyte = "\x28\xb5\x2f\xfd\xc0\x68\x00\x00\x00\x00\x00\x01\x00\x00"
	zstdZeros    = "\x02\x00\x10\x00"
)

// bombs returns what each kind of bomb begins with, what it repeats, and its codings.
func bombs(t testing.TB) map[string][2]string {
	member := string(coded(t, "gzip", make([]byte, 10<<20)))
	stored := string(coded(t, "gzip", nil))
	return map[string][2]string{
		"gzip":             {"", member},
		"gzip, gzip":       {"", string(coded(t, "gzip", []byte(strings.Repeat(member, 100))))},
		"zstd":             {zstdTebibyte, zstdZeros},
		"br":               {string(coded(t, "br", make([]byte, 48<<20))), "\x00"},
		"gzip, br":         {string(coded(t, "gzip, br", make([]byte, 48<<20))), "\x00"},
		"zstd, gzip":       {"", string(coded(t, "gzip", []byte(zstdTebibyte+strings.Repeat(zstdZeros, 10_000))))},
		"gzip, gzip, gzip": {"", string(coded(t, "gzip, gzip", []byte(strings.Repeat(stored, 100_000))))}, // of nothing at all
	}
}

// A small body that grows without end is refused, in memory that does not grow with it.
func TestBombs(t *testing.T) {
	if raceEnabled {
		t.Skip("it is long, and one goroutine's")
	}
	for codings, parts := range bombs(t) {
		for _, limits := range []Limits{{}, {Bytes: 24 << 20, Ratio: -1}, {Bytes: -1, Ratio: 100}} {
			if limits.Bytes == 0 && codings == "gzip" {
				limits.Bytes = 24 << 20 // its ratio is not beyond the default, and 1 GiB takes long
			}
			src := &endless{part: parts[1]}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := opened(t, io.MultiReader(strings.NewReader(parts[0]), src), codings, limits)
			n, err := io.Copy(io.Discard, r)
			r.Close()
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrTooBig) && !errors.Is(err, ErrRatio) {
				t.Errorf("%s, %+v: %d bytes, %v", codings, limits, n, err)
			}
			if n > 64<<20 || limits.Bytes > 0 && n > limits.Bytes {
				t.Errorf("%s, %+v: %d bytes were read", codings, limits, n)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 {
				t.Errorf("%s, %+v: %d bytes of memory", codings, limits, used)
			}
		}
	}
}

// The ratio is judged only of bodies longer than 16 MiB, and a negative one is no limit.
func TestRatio(t *testing.T) {
	if raceEnabled {
		t.Skip("it is long, and one goroutine's")
	}
	const size = ratioFree + 1<<20
	zeros := coded(t, "gzip", make([]byte, size))
	for limits, want := range map[Limits]error{
		{}: nil, {Ratio: 100, Bytes: ratioFree}: ErrTooBig, {Ratio: 10}: ErrRatio,
	} {
		n, err := io.Copy(io.Discard, opened(t, bytes.NewReader(zeros), "gzip", limits))
		if !errors.Is(err, want) || n < ratioFree || err == nil && n != size {
			t.Errorf("%+v: %d bytes, %v", limits, n, err)
		}
	}
	honest := coded(t, "gzip", make([]byte, ratioFree))
	if n, err := io.Copy(io.Discard, opened(t, bytes.NewReader(honest), "gzip", Limits{Ratio: 1})); n != ratioFree || err != nil {
		t.Errorf("what is just short enough: %d bytes, %v", n, err)
	}
}

// A limit of zero is the default, and a negative one is none.
func TestDefaults(t *testing.T) {
	for given, want := range map[Limits]Limits{
		{}: {DefaultBytes, DefaultRatio}, {-1, -5}: {0, 0}, {7, 9}: {7, 9}, {0, -1}: {DefaultBytes, 0},
	} {
		if got := given.withDefaults(); got != want {
			t.Errorf("%+v becomes %+v", given, got)
		}
	}
	for _, tc := range []struct {
		in, out int64
		want    error
	}{
		{1 << 40, DefaultBytes, nil}, {1 << 40, DefaultBytes + 1, ErrTooBig}, {0, ratioFree, nil}, {0, ratioFree + 999, nil}, {0, ratioFree + 1000, ErrRatio},
		{20_000, ratioFree + 20_000_999, nil}, {20_000, ratioFree + 20_001_000, ErrRatio},
	} {
		l := Limits{}.withDefaults()
		if err := l.check(tc.in, tc.out); err != tc.want {
			t.Errorf("%d bytes of %d: %v", tc.out, tc.in, err)
		}
	}
	none := Limits{-1, -1}.withDefaults()
	if err := none.check(1, 1<<60); err != nil {
		t.Errorf("without limits: %v", err)
	}
	big := bytes.NewReader(make([]byte, 100))
	if got, err := io.ReadAll(opened(t, big, "", Limits{Bytes: 1})); len(got) != 100 || err != nil {
		t.Errorf("what is not coded: %d bytes, %v", len(got), err)
	}
}

// zstd may ask for a window of 8 MiB (RFC 9659 §3) and not for more, also where the frame is the window.
func TestWindow(t *testing.T) {
	last := "\x03\x04\x00" + "a" // 128 times a
	for frame, ok := range map[string]bool{
		"\x28\xb5\x2f\xfd\x00\x68" + last:                             true,  // 2^23
		"\x28\xb5\x2f\xfd\x00\x69" + last:                             false, // an eighth more
		"\x28\xb5\x2f\xfd\xe0\x01\x00\x80\x00\x00\x00\x00\x00":        false, // one segment of 8 MiB and a byte
		"\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00":        false, // of 1 TiB
		"\x28\xb5\x2f\xfd\x20\x80" + last:                             true,
		"\x28\xb5\x2f\xfd\x20\x81" + last:                             false, // says 129
		"\x28\xb5\x2f\xfd\x21\x05\x80" + last:                         false, // wants a dictionary
		"\x28\xb5\x2f\xfd\xe0\x80\x00\x00\x00\x00\x00\x00\x00" + last: true,
	} {
		got, err := decoded(t, []byte(frame), "zstd")
		if ok != (err == nil) || ok && string(got) != strings.Repeat("a", 128) {
			t.Errorf("%x: %d bytes, %v", frame, len(got), err)
		}
	}
}
