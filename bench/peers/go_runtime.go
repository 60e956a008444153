// SPDX-License-Identifier: MIT
//
// go_runtime.go - what goes through Go's scheduler, as kcbench does it with kcoro's.
package main

import (
	"math/rand"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const pairs = 8
const spread = 2000

var workloads = map[string]func(int) float64{
	"yield2":         func(n int) float64 { return yields(n, 2) },
	"yield1000":      func(n int) float64 { return yields(n, 1000) },
	"spawn1":         spawnOne,
	"spawn-join":     spawnJoin,
	"spawn100k":      func(n int) float64 { spawn(n); return spawn(n) },
	"spawn100k-cold": spawn,
	"chan0":          pingPong,
	"chan0s":         func(n int) float64 { return stream(n, 0, 1) },
	"chan128":        func(n int) float64 { return stream(n, 128, 1) },
	"mpmc":           func(n int) float64 { return stream(n, 128, pairs) },
	"mpmc0":          func(n int) float64 { return stream(n, 0, pairs) },
	"sieve":          sieve,
	"select8":        select8,
	"mutex":          mutex,
	"cond":           cond,
	"sleep1m":        func(n int) float64 { sleepers(n); return sleepers(n) },
	"timer-add":      func(n int) float64 { add, _ := timers(n); return add },
	"timer-cancel":   func(n int) float64 { _, cancel := timers(n); return cancel },
	"timer-fire":     timerFire,
}

func since(t time.Time, count int) float64 {
	return float64(time.Since(t).Nanoseconds()) / float64(count)
}

func yields(count, n int) float64 {
	var done sync.WaitGroup
	rounds := count/(2*n) + 1
	body := func(site int) func() {
		sites := [4]func(){
			func() {
				for i := 0; i < rounds; i++ {
					runtime.Gosched()
					counter[0]++
					runtime.Gosched()
				}
				done.Done()
			},
			func() {
				for i := 0; i < rounds; i++ {
					runtime.Gosched()
					counter[1]++
					runtime.Gosched()
				}
				done.Done()
			},
			func() {
				for i := 0; i < rounds; i++ {
					runtime.Gosched()
					counter[2]++
					runtime.Gosched()
				}
				done.Done()
			},
			func() {
				for i := 0; i < rounds; i++ {
					runtime.Gosched()
					counter[3]++
					runtime.Gosched()
				}
				done.Done()
			},
		}
		return sites[site]
	}
	done.Add(n)
	for i := 0; i < n; i++ {
		go body(i % 4)()
	}
	t := time.Now()
	done.Wait()
	return since(t, rounds*2*n)
}

var ended int

func ends() { ended++ }

func spawnOne(count int) float64 {
	t := time.Now()
	for i := 0; i < count; i++ {
		go ends()
		runtime.Gosched()
	}
	return since(t, count)
}

func spawnJoin(count int) float64 {
	done := make(chan int)
	t := time.Now()
	for i := 0; i < count; i++ {
		go func() { done <- 1 }()
		<-done
	}
	return since(t, count)
}

func spawn(count int) float64 {
	t := time.Now()
	ended = 0
	for i := 0; i < count; i++ {
		go ends()
	}
	for ended < count {
		runtime.Gosched()
	}
	return since(t, count)
}

func pingPong(count int) float64 {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v
			v, ok := <-there
			if !ok {
				return
			}
			back <- v + 1
		}
	}()
	rounds := count/4 + 1
	t := time.Now()
	for i, v := 0, 0; i < rounds; i++ {
		there <- v
		v = <-back + 1
		there <- v
		v = <-back
	}
	ns := since(t, rounds*4)
	close(there)
	return ns
}

func stream(count, capacity, pairs int) float64 {
	ch := make(chan int, capacity)
	rounds := count/(2*pairs) + 1
	var done sync.WaitGroup
	done.Add(2 * pairs)
	for i := 0; i < pairs; i++ {
		go func() {
			for i := 0; i < rounds; i++ {
				ch <- i
				ch <- i
			}
			done.Done()
		}()
		go func(n int) {
			for i := 0; i < rounds; i++ {
				counter[n] += <-ch
				<-ch
			}
			done.Done()
		}(i % sites)
	}
	t := time.Now()
	done.Wait()
	return since(t, rounds*2*pairs)
}

// The figure is of all of it, in milliseconds.
func sieve(count int) float64 {
	in := make(chan int)
	go func() {
		for v := 2; ; v++ {
			in <- v
		}
	}()
	t := time.Now()
	from := in
	for i := 0; i < count; i++ {
		prime, to := <-from, make(chan int)
		go func(from, to chan int) {
			for v := range from {
				if v%prime != 0 {
					to <- v
				}
			}
		}(from, to)
		from = to
	}
	return since(t, 1000000)
}

func select8(count int) float64 {
	var ch [8]chan int
	for i := range ch {
		ch[i] = make(chan int)
		go func(i int) {
			for v := i; ; v += i {
				ch[i] <- v
			}
		}(i)
	}
	t := time.Now()
	for i := 0; i < count; i++ {
		select {
		case ended = <-ch[0]:
		case ended = <-ch[1]:
		case ended = <-ch[2]:
		case ended = <-ch[3]:
		case ended = <-ch[4]:
		case ended = <-ch[5]:
		case ended = <-ch[6]:
		case ended = <-ch[7]:
		}
	}
	return since(t, count)
}

func mutex(count int) float64 {
	var m [2]sync.Mutex
	rounds := count/2 + 1
	t := time.Now()
	for i := 0; i < rounds; i++ {
		m[0].Lock()
		m[0].Unlock()
		m[1].Lock()
		m[1].Unlock()
	}
	return since(t, rounds*2)
}

func cond(count int) float64 {
	var lock sync.Mutex
	var done sync.WaitGroup
	conds := [2]*sync.Cond{sync.NewCond(&lock), sync.NewCond(&lock)}
	turn, rounds := 0, count/2+1
	player := func(me int) {
		lock.Lock()
		for i := 0; i < rounds; i++ {
			for turn != me {
				conds[me].Wait()
			}
			turn = 1 - me
			conds[1-me].Signal()
		}
		lock.Unlock()
		done.Done()
	}
	done.Add(2)
	go player(0)
	go player(1)
	t := time.Now()
	done.Wait()
	return since(t, rounds*2)
}

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

func sleepers(count int) float64 {
	t := cpu()
	left := count
	for i := 0; i < count; i++ {
		go func() {
			time.Sleep(time.Duration(rand.Int63n(int64(spread * count))))
			left--
		}()
	}
	for left > 0 {
		time.Sleep(time.Millisecond)
	}
	return (cpu() - t) / float64(count)
}

func setFar(timer *time.Timer) {
	timer.Reset(100*time.Second + time.Duration(rand.Int63n(int64(100*time.Second))))
}

// The second time: memory is there.
func timers(count int) (add, cancel float64) {
	all := make([]*time.Timer, count)
	for i := range all {
		all[i] = time.AfterFunc(time.Hour, ends)
	}
	for _, timer := range all {
		timer.Stop()
	}
	runtime.Gosched()
	t := time.Now()
	for _, timer := range all {
		setFar(timer)
	}
	add = since(t, count)
	t = time.Now()
	for _, timer := range all {
		timer.Stop()
	}
	return add, since(t, count)
}

func timerFire(count int) float64 {
	t := cpu()
	ended = 0
	for i := 0; i < count; i++ {
		time.AfterFunc(time.Duration(rand.Int63n(int64(spread*count))), ends)
	}
	for ended < count {
		time.Sleep(time.Millisecond)
	}
	return (cpu() - t) / float64(count)
}
