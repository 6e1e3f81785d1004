package shockwave

// Add appends a line. It copies name and value and does not check them: invalid lines are refused when a Header is
// written.
func (h *Header) Add(name, value string) { add(h, name, value) }

// AddBytes is Add for byte slices.
func (h *Header) AddBytes(name, value []byte) { add(h, name, value) }

func add[T string | []byte](h *Header, name, value T) {
	h.reserve(len(name) + len(value))
	h.lines = append(h.lines, store(h, name, value))
}

// Set replaces all lines called name by one, or adds it. The new line takes the place of the first one, and its name is
// written as given.
func (h *Header) Set(name, value string) {
	i := h.find(name, 0)
	if i < 0 {
		add(h, name, value)
		return
	}
	h.delFrom(name, i+1)
	h.reserve(len(name) + len(value))
	h.lines[i] = store(h, name, value)
}

// Del removes every line called name.
func (h *Header) Del(name string) { h.delFrom(name, 0) }

// delFrom removes every line called name at index i or later.
func (h *Header) delFrom(name string, i int) {
	kept := h.find(name, i)
	if kept < 0 {
		return
	}
	for j := kept + 1; j < len(h.lines); j++ {
		s := h.lines[j].Name
		if int(s.End-s.Start) != len(name) || !sameName(h.bytes(s), name) {
			h.lines[kept] = h.lines[j]
			kept++
		}
	}
	h.lines = h.lines[:kept]
}
