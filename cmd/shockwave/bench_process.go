package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// readProcess returns the processor time that a process and its threads have used so far, in steps of 10 ms, and its
// resident memory in bytes. It needs Linux's /proc.
func readProcess(pid int) (used cpu, rss int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return cpu{}, 0, fmt.Errorf("there is no process %d", pid)
	}
	if err != nil {
		return cpu{}, 0, err
	}
	used, pages, err := parseStat(stat)
	if err != nil {
		return cpu{}, 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return used, pages * int64(os.Getpagesize()), nil
}

// Where proc(5) says that a process's times and its resident pages stand; the first field is number 1.
const (
	statUser   = 14
	statSystem = 15
	statPages  = 24
)

// tick is the unit of times in /proc: USER_HZ is 100 on every system that Go knows.
const tick = time.Second / 100

// parseStat reads the line of /proc/PID/stat. The program's name is in brackets and may hold anything, spaces and
// brackets too, so the fields are counted from the last bracket.
func parseStat(line []byte) (used cpu, pages int64, err error) {
	const fieldsBefore = 2 // the process's number and its name
	rest := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	read := func(field int) int64 {
		i := field - fieldsBefore - 1
		if i >= len(rest) {
			err = errors.New("it is too short")
			return 0
		}
		n, wrong := strconv.ParseInt(string(rest[i]), 10, 64)
		if wrong != nil {
			err = wrong
		}
		return n
	}
	used = cpu{time.Duration(read(statUser)) * tick, time.Duration(read(statSystem)) * tick}
	return used, read(statPages), err
}
