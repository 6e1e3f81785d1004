package hpack

// staticSlots is a hash table of the names in the static table. A slot holds the first index with a name, 0 if it is
// empty. If the slot of a name is taken, the name is in one of the following slots.
var staticSlots [256]uint8

func init() {
	for i := 1; i <= staticLen; i++ {
		if name := staticTable[i].name; name != staticTable[i-1].name {
			slot := uint8(hash(0, []byte(name)))
			for staticSlots[slot] != 0 {
				slot++
			}
			staticSlots[slot] = uint8(i)
		}
	}
}

// findStatic returns the first index of name in the static table, 0 if there is none. h is the hash of name.
func findStatic(h uint64, name []byte) int {
	for slot := uint8(h); ; slot++ {
		i := int(staticSlots[slot])
		if i == 0 || staticTable[i].name == string(name) {
			return i
		}
	}
}

// findStaticValue returns the index of the entry with the name of entry i and the value, 0 if there is none. i must be
// the first index with that name.
func findStaticValue(i int, value []byte) int {
	for name := staticTable[i].name; i <= staticLen && staticTable[i].name == name; i++ {
		if staticTable[i].value == string(value) {
			return i
		}
	}
	return 0
}
