package hpack

// staticSlots finds a name of the static table by its hash: the first index with that name, 0 if the slot is empty. A
// name whose slot is taken is in one of the next.
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

// findStatic returns the first index of the static table with that name, 0 if there is none. h is the name's hash.
func findStatic(h uint64, name []byte) int {
	for slot := uint8(h); ; slot++ {
		i := int(staticSlots[slot])
		if i == 0 || staticTable[i].name == string(name) {
			return i
		}
	}
}

// findStaticValue returns the index with that value among those that have the name of index i, 0 if there is none.
func findStaticValue(i int, value []byte) int {
	for name := staticTable[i].name; i <= staticLen && staticTable[i].name == name; i++ {
		if staticTable[i].value == string(value) {
			return i
		}
	}
	return 0
}
