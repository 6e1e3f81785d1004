package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// Times returns the CPU time that a process has used, in seconds, from /proc/PID/stat, in steps of 10 ms. The fields are
// counted from the end of the program's name, which may contain any characters.
func Times(pid int) (user, system float64, err error) {
	const userField, systemField, hertz = 11, 12, 100
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= systemField {
		return 0, 0, fmt.Errorf("/proc/%d/stat is too short", pid)
	}
	user, err = strconv.ParseFloat(string(fields[userField]), 64)
	system, err2 := strconv.ParseFloat(string(fields[systemField]), 64)
	return user / hertz, system / hertz, errors.Join(err, err2)
}
