package doctor

import (
	"fmt"
	"regexp"
	"strconv"
)

// chosen matches the choice among those that a file of sysfs offers: "always [madvise] never".
var chosen = regexp.MustCompile(`^(?:[a-z+_-]+ )*\[([a-z+_-]+)\](?: [a-z+_-]+)*$`)

// checkHugePages looks whether the kernel makes huge pages of memory of which only a part is in use: so it takes back what the
// Go runtime has returned.
func (m *machine) checkHugePages() diagnosis {
	const dir = "sys/kernel/mm/transparent_hugepage/"
	line, err := m.text(dir + "enabled")
	if err != nil {
		return unjudged("", err)
	}
	choice := chosen.FindStringSubmatch(line)
	if choice == nil {
		return unjudged("", fmt.Errorf("/%senabled has %.60q, want one word in brackets", dir, line))
	}
	value := choice[1]
	switch value {
	case "madvise", "never":
		return enough(value)
	case "always":
	default:
		return unjudged(value, fmt.Errorf("/%senabled has this, want always, madvise or never", dir))
	}
	holes, err := m.number(dir + "khugepaged/max_ptes_none")
	if err != nil {
		return unjudged(value, err)
	}
	value += ", max_ptes_none " + strconv.FormatUint(holes, 10)
	if holes == 0 {
		return enough(value)
	}
	return tooLow(value, "memory that Go has returned to the kernel can become resident again",
		"echo 0 > /"+dir+"khugepaged/max_ptes_none")
}
