package doctor

import (
	"errors"
	"slices"
	"strings"
)

// clockSources says which clock sources can be read without a system call, by the vDSO.
var clockSources = map[string]verdict{
	"tsc": isOK, "kvm-clock": isOK, "hyperv_clocksource_tsc_page": isOK, // x86
	"arch_sys_counter": isOK, // ARM
	"hpet":             isLow,
	"acpi_pm":          isLow,
	"pit":              isLow,
	"jiffies":          isLow,
	"refined-jiffies":  isLow,
}

// checkClock looks how the kernel tells the time, which a server asks for with every deadline.
func (m *machine) checkClock() diagnosis {
	const dir = "sys/devices/system/clocksource/clocksource0/"
	name, err := m.word(dir + "current_clocksource")
	if err != nil {
		return unjudged("", err)
	}
	switch clockSources[name] {
	case isOK:
		return enough(name)
	case isLow:
		return tooLow(name, "every look at the time is a system call, or reads a slow device", m.betterClock(dir))
	}
	if name == "xen" {
		return unjudged(name, errors.New("on older kernels and hypervisors every look at the time is a system call; tsc, if offered, is none"))
	}
	return unjudged(name, errors.New("this clock source is not known here"))
}

// betterClock returns the command that chooses a better clock source, if the kernel offers one.
func (m *machine) betterClock(dir string) string {
	offered, err := m.text(dir + "available_clocksource")
	if err != nil {
		return ""
	}
	for _, name := range []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page"} {
		if slices.Contains(strings.Fields(offered), name) {
			return "echo " + name + " > /" + dir + "current_clocksource"
		}
	}
	return ""
}
