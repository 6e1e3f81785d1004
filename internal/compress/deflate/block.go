package deflate

import "encoding/binary"

// compressed reads the symbols of a block up to its end.
func (d *decoder) compressed(lit *[litSize]entry, dist *[distSize]entry) error {
	for {
		if done, err := d.fastSymbols(lit, dist); done || err != nil {
			return err
		}
		if done, err := d.symbol(lit, dist); done || err != nil {
			return err
		}
	}
}

// symbol reads one symbol: a literal byte, a copy or the end of the block. It may be called at any place of the input.
// One call of fill is enough for a length and a distance, which have at most 15+5+15+13 bits.
func (d *decoder) symbol(lit *[litSize]entry, dist *[distSize]entry) (done bool, err error) {
	d.fill()
	e := lit[d.acc&(1<<litBits-1)]
	if e.linked() {
		e = lit[e.value()+int(d.acc>>litBits&(1<<e.extra()-1))]
	}
	d.take(e.size())
	switch {
	case d.n < 0:
		return false, ErrCorrupt
	case e&ends != 0:
		return true, nil
	case e&literal != 0:
		if err := d.room(1); err != nil {
			return false, err
		}
		d.out[d.at] = byte(e.value())
		d.at++
		return false, nil
	}
	length := e.value() + d.take(e.extra())
	f := dist[d.acc&(1<<distBits-1)]
	if f.linked() {
		f = dist[f.value()+int(d.acc>>distBits&(1<<f.extra()-1))]
	}
	d.take(f.size())
	distance := f.value() + d.take(f.extra())
	if d.n < 0 || e&copies == 0 || f&copies == 0 {
		return false, ErrCorrupt
	}
	return false, d.copy(length, distance)
}

// fastSymbols reads symbols while neither the end of the input nor the end of the output buffer is near.
func (d *decoder) fastSymbols(lit *[litSize]entry, dist *[distSize]entry) (done bool, err error) {
	p, pos, acc, n := d.p, d.pos, d.acc, d.n
	out, at := d.out, d.at
	for pos+8 <= len(p) && at+maxLength <= len(out) {
		acc |= binary.LittleEndian.Uint64(p[pos:]) << (n & 63)
		pos += (63 - n) >> 3
		n |= 56
		e := lit[acc&(1<<litBits-1)]
		if e.linked() {
			e = lit[e.value()+int(acc>>litBits&(1<<e.extra()-1))]
		}
		acc >>= e & 15
		n -= e.size()
		if e&literal != 0 {
			out[at] = byte(e.value())
			at++
			continue
		}
		if e&ends != 0 {
			done = true
			break
		}
		length := e.value() + int(acc&(1<<e.extra()-1))
		acc >>= e.extra()
		n -= e.extra()
		f := dist[acc&(1<<distBits-1)]
		if f.linked() {
			f = dist[f.value()+int(acc>>distBits&(1<<f.extra()-1))]
		}
		acc >>= f & 15
		distance := f.value() + int(acc&(1<<f.extra()-1))
		acc >>= f.extra()
		n -= f.size() + f.extra()
		if e&copies == 0 || f&copies == 0 {
			return false, ErrCorrupt
		}
		if length <= distance && distance <= at && distance <= d.reach {
			copy(out[at:at+length], out[at-distance:])
			at += length
			continue
		}
		d.at = at
		if err := d.copy(length, distance); err != nil {
			return false, err
		}
		at = d.at
	}
	d.pos, d.acc, d.n, d.at = pos, acc, n, at
	return done, nil
}

// maxLength is the maximum length of a copy.
const maxLength = 258

// copy appends length bytes that begin distance bytes back in the output (RFC 1951 §3.2.3). The source may overlap the
// bytes it appends, and may begin in the history.
func (d *decoder) copy(length, distance int) error {
	if distance > d.reach {
		return ErrCorrupt
	}
	if err := d.room(length); err != nil {
		return err
	}
	end := d.at + length
	if back := distance - d.at; back > 0 {
		if back > len(d.history) {
			return ErrCorrupt
		}
		d.at += copy(d.out[d.at:end], d.history[len(d.history)-back:])
	}
	from := max(0, d.at-distance)
	for d.at < end { // the bytes available for copying double each time
		d.at += copy(d.out[d.at:end], d.out[from:d.at])
	}
	return nil
}
