// SPDX-License-Identifier: MIT
//
// go.go - goroutines. They switch through Go's scheduler: runtime.Gosched yields.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

const sites = 4

var counter [sites]int
var left int
var never = make(chan int)

func body0(done *sync.WaitGroup) {
	for ; left > 0; left-- {
		runtime.Gosched()
	}
	counter[0]++
	done.Done()
}

func body1(done *sync.WaitGroup) {
	for ; left > 0; left-- {
		runtime.Gosched()
	}
	counter[1]++
	done.Done()
}

func body2(done *sync.WaitGroup) {
	for ; left > 0; left-- {
		runtime.Gosched()
	}
	counter[2]++
	done.Done()
}

func body3(done *sync.WaitGroup) {
	for ; left > 0; left-- {
		runtime.Gosched()
	}
	counter[3]++
	done.Done()
}

func switches(count, n int) float64 {
	bodies := [sites]func(*sync.WaitGroup){body0, body1, body2, body3}
	var done sync.WaitGroup
	left = count / 4
	done.Add(n)
	for i := 0; i < n; i++ {
		go bodies[i%sites](&done)
	}
	t := time.Now()
	done.Wait()
	return float64(time.Since(t).Nanoseconds()) / float64(count/4)
}

func waits() { <-never }

func create(count int) {
	for i := 0; i < count; i++ {
		go waits()
		if i%1000 == 999 {
			runtime.Gosched()
		}
	}
	runtime.Gosched()
}

func warm(count int) {
	done := make(chan int)
	for i := 0; i < count; i++ {
		go func() { done <- 1 }()
		<-done
	}
}

func statusBytes(key string) float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(text), "\n") {
		word := strings.Fields(line)
		if len(word) > 1 && word[0] == key+":" {
			kib, _ := strconv.ParseFloat(word[1], 64)
			return kib * 1024
		}
	}
	return 0
}

func grown(key string, count int) float64 {
	before := statusBytes(key)
	create(count)
	return (statusBytes(key) - before) / float64(count)
}

func main() {
	count := 1
	if len(os.Args) < 2 {
		os.Exit(1)
	}
	if len(os.Args) > 2 {
		count, _ = strconv.Atoi(os.Args[2])
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	var v float64
	switch os.Args[1] {
	case "version":
		fmt.Println("Go " + strings.TrimPrefix(runtime.Version(), "go"))
		return
	case "switch":
		v = switches(count, sites)
	case "switch-1000":
		v = switches(count, 1000)
	case "create":
		t := time.Now()
		create(count)
		v = float64(time.Since(t).Nanoseconds()) / float64(count)
	case "create-warm":
		warm(1000)
		t := time.Now()
		warm(count)
		v = float64(time.Since(t).Nanoseconds()) / float64(count)
	case "memory":
		v = grown("VmRSS", count)
	case "memory-pagetables":
		v = grown("VmPTE", count)
	default:
		run, ok := workloads[os.Args[1]]
		if !ok {
			os.Exit(2)
		}
		v = run(count)
	}
	fmt.Printf("%.6f\n", v)
}
