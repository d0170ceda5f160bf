// Package backplanetest is the contract of backplanes as a test suite: [Run] tests one.
package backplanetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

const patience = 20 * time.Second // for events that take no time on an idle machine

// Run tests a backplane. The function connect returns the values that as many replicas use, which are connected to each other; the test closes
// what it needs for them at its end. Every test also checks that no goroutine is left.
func Run(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	for name, test := range map[string]func(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane){
		"records": records, "conflicts": conflicts, "expiry": expiry, "strange sessions": strangeSessions,
		"answers": answers, "many requests": manyRequests, "large parts": largeParts, "large requests": largeRequests, "no replica": noReplica,
		"the one that asks goes": askerGoes, "without a last part": testUnfinished, "leaving": testLeaving, "messages": messages, "ready": ready,
	} {
		leak.Run(t, name, func(t *testing.T) { test(t, connect) })
	}
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func receive[T any](t testing.TB, c <-chan T, complaint string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal(complaint)
	}
	return v
}

// save stores a record and fails the test if that fails.
func save(t testing.TB, b mcpcluster.Backplane, session, text string, revision uint64) uint64 {
	t.Helper()
	r, err := b.Save(within(t), session, []byte(text), revision, time.Minute)
	if err != nil || r == 0 {
		t.Fatalf("got the revision %d, %v", r, err)
	}
	return r
}

// holds checks what the record of a session is.
func holds(t testing.TB, b mcpcluster.Backplane, session, text string, revision uint64) {
	t.Helper()
	got, r, err := b.Load(within(t), session)
	if err != nil || string(got) != text || r != revision {
		t.Errorf("got %q of the revision %d, %v; want %q of %d", got, r, err, text, revision)
	}
}

// holdsNone checks that a session has no record.
func holdsNone(t testing.TB, b mcpcluster.Backplane, session string) {
	t.Helper()
	if _, _, err := b.Load(within(t), session); !errors.Is(err, mcpcluster.ErrNoRecord) {
		t.Errorf("got %v", err)
	}
}

func records(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 2)
	a, b, session, other := all[0], all[1], rand.Text(), rand.Text()
	holdsNone(t, a, session)
	first := save(t, a, session, "one", 0)
	holds(t, b, session, "one", first)
	second := save(t, b, session, "two", first)
	holds(t, a, session, "two", second)
	save(t, a, other, "three", 0)
	if err := b.Delete(within(t), session, first); !errors.Is(err, mcpcluster.ErrConflict) {
		t.Errorf("a record with another revision is deleted: %v", err)
	}
	holds(t, b, session, "two", second)
	if err := b.Delete(within(t), session, second); err != nil {
		t.Error(err)
	}
	holdsNone(t, a, session)
	holdsNone(t, b, session)
	if err := a.Delete(within(t), session, second); !errors.Is(err, mcpcluster.ErrConflict) {
		t.Errorf("a record that is not there: %v", err)
	}
	if _, _, err := a.Load(within(t), other); err != nil {
		t.Error(err)
	}
}

func conflicts(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 2)
	session := rand.Text()
	first := save(t, all[0], session, "one", 0)
	second := save(t, all[1], session, "two", first)
	for _, stale := range []uint64{0, first, second + 100} {
		if _, err := all[0].Save(within(t), session, []byte("stale"), stale, time.Minute); !errors.Is(err, mcpcluster.ErrConflict) {
			t.Errorf("the revision %d: %v", stale, err)
		}
	}
	holds(t, all[0], session, "two", second)
	if _, err := all[0].Save(within(t), rand.Text(), []byte("x"), second, time.Minute); !errors.Is(err, mcpcluster.ErrConflict) {
		t.Errorf("a record that is not there: %v", err)
	}
	var done sync.WaitGroup
	won := make(chan uint64, 20)
	for i := range 20 { // of which one is first
		done.Go(func() {
			r, err := all[i%2].Save(within(t), session, fmt.Append(nil, i), second, time.Minute)
			if err == nil {
				won <- r
			} else if !errors.Is(err, mcpcluster.ErrConflict) {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if len(won) != 1 {
		t.Fatalf("%d replicas have changed the same record", len(won))
	}
	if _, r, err := all[0].Load(within(t), session); err != nil || r != <-won {
		t.Error(r, err)
	}
}

func expiry(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	const life = 2 * time.Second
	b, kept, forgotten := connect(t, 1)[0], rand.Text(), rand.Text()
	var revision uint64
	var saved time.Time // when the last call began that saved it
	_, err := b.Save(within(t), forgotten, []byte("x"), 0, life)
	for times := 0; times < 5 && err == nil; times++ {
		time.Sleep(life / 2)
		began := time.Now()
		next, fault := b.Save(within(t), kept, []byte("x"), revision, life)
		if late := errors.Is(fault, mcpcluster.ErrConflict) && time.Since(saved) >= life; late { // it has expired, because this machine is slow
			next, fault, times = 0, nil, -1
		}
		revision, saved, err = next, began, fault
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, r, err := b.Load(within(t), kept); time.Since(saved) < life && (err != nil || string(got) != "x" || r != revision) {
		t.Errorf("got %q of the revision %d, %v", got, r, err)
	}
	holdsNone(t, b, forgotten)
	for range 100 {
		if _, _, err := b.Load(within(t), kept); errors.Is(err, mcpcluster.ErrNoRecord) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("a record that was saved again does not expire")
}

// strangeSessions: clients choose what they send as the id of a session.
func strangeSessions(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	b, session := connect(t, 1)[0], "c0ffee."+rand.Text()
	save(t, b, session, "x", 0)
	for _, strange := range []string{"", "*", ">", "a.b", "a b", "../x", "\x00", session[:4] + "*", strings.Repeat("x", 64), "é"} {
		holdsNone(t, b, strange)
	}
}

// replica is one whose functions do nothing unless they are set.
func replica(name string) mcpcluster.Replica {
	return mcpcluster.Replica{
		Name: name, Heard: func([]byte) {}, Missed: func() {},
		Answer: func(_ context.Context, _ []byte, send func([]byte, bool) error) { send(nil, true) },
	}
}

// join joins a replica until the end of the test.
func join(t testing.TB, b mcpcluster.Backplane, r mcpcluster.Replica) {
	t.Helper()
	leave, err := b.Join(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
}

func answers(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 2)
	r := replica("home")
	r.Answer = func(_ context.Context, request []byte, send func([]byte, bool) error) {
		for i := range 100 {
			if err := send(fmt.Append(nil, string(request), i), i == 99); err != nil {
				t.Error(err)
			}
		}
	}
	join(t, all[0], r)
	join(t, all[1], replica("other"))
	for _, b := range all {
		var got []string
		err := b.Ask(within(t), "home", []byte("part "), func(part []byte) error {
			got = append(got, string(part))
			return nil
		})
		if err != nil || len(got) != 100 || got[0] != "part 0" || got[99] != "part 99" {
			t.Errorf("got %d parts, %v", len(got), err)
		}
	}
}

// ask returns the parts of an answer together.
func ask(t testing.TB, b mcpcluster.Backplane, replica string, request []byte) (answer []byte, err error) {
	err = b.Ask(within(t), replica, request, func(part []byte) error {
		answer = append(answer, part...)
		return nil
	})
	return answer, err
}

func manyRequests(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 3)
	for i, b := range all {
		r := replica(fmt.Sprint("r", i))
		r.Answer = func(_ context.Context, request []byte, send func([]byte, bool) error) {
			send(append(request, fmt.Sprint(" at ", i)...), true)
		}
		join(t, b, r)
	}
	var done sync.WaitGroup
	for i := range 64 {
		done.Go(func() {
			for j := range 20 {
				to, text := (i+j)%3, fmt.Sprint(i, " ", j)
				got, err := ask(t, all[i%3], fmt.Sprint("r", to), []byte(text))
				if want := fmt.Sprint(text, " at ", to); err != nil || string(got) != want {
					t.Errorf("got %q, want %q, %v", got, want, err)
				}
			}
		})
	}
	done.Wait()
}

func largeParts(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	b := connect(t, 1)[0]
	text := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // 3 MiB
	r := replica("home")
	r.Answer = func(_ context.Context, _ []byte, send func([]byte, bool) error) { send(text, true) }
	join(t, b, r)
	got, err := ask(t, b, "home", nil)
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// largeRequests: a request arrives or is refused, whatever its size.
func largeRequests(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	b := connect(t, 1)[0]
	r := replica("home")
	r.Answer = func(_ context.Context, request []byte, send func([]byte, bool) error) {
		send(fmt.Append(nil, len(request)), true)
	}
	join(t, b, r)
	for _, size := range []int{0, 100 << 10, 900 << 10, 1 << 20, 11 << 20} {
		got, err := ask(t, b, "home", make([]byte, size))
		if _, large := errors.AsType[*frame.TooLargeError](err); large && size > 900<<10 {
			continue
		}
		if err != nil || string(got) != fmt.Sprint(size) {
			t.Errorf("%d bytes: got %q, %v", size, got, err)
		}
	}
}

func noReplica(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 2)
	join(t, all[0], replica("home"))
	err := all[1].Ask(within(t), "gone", nil, func([]byte) error {
		t.Error("there is an answer")
		return nil
	})
	if !errors.Is(err, mcpcluster.ErrNoReplica) {
		t.Errorf("got %v", err)
	}
}

func askerGoes(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 2)
	begun, ended := make(chan struct{}, 2), make(chan error, 2)
	r := replica("home")
	r.Answer = func(ctx context.Context, _ []byte, send func([]byte, bool) error) {
		send([]byte("one"), false)
		begun <- struct{}{}
		<-ctx.Done()
		ended <- send([]byte("two"), true)
	}
	join(t, all[0], r)
	ctx, cancel := context.WithCancel(within(t))
	go func() {
		<-begun
		cancel()
	}()
	if err := all[1].Ask(ctx, "home", nil, func([]byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := receive(t, ended, "the context of the answer does not end"); err == nil {
		t.Error("an answer that is not read can be sent")
	}
	enough := errors.New("enough")
	if err := all[1].Ask(within(t), "home", nil, func([]byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	receive(t, ended, "the context of the answer does not end")
}

// testUnfinished: an answer without a last part is lost, in bounded time.
func testUnfinished(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	b := connect(t, 1)[0]
	r := replica("home")
	r.Answer = func(_ context.Context, _ []byte, send func([]byte, bool) error) { send([]byte("one"), false) }
	join(t, b, r)
	if err := b.Ask(within(t), "home", nil, func([]byte) error { return nil }); !errors.Is(err, mcpcluster.ErrLost) {
		t.Errorf("got %v", err)
	}
}

func testLeaving(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	all := connect(t, 2)
	begun, ended := make(chan struct{}), make(chan struct{})
	r := replica("home")
	r.Answer = func(ctx context.Context, _ []byte, _ func([]byte, bool) error) {
		close(begun)
		<-ctx.Done()
		close(ended)
	}
	leave, err := all[0].Join(r)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() { asked <- all[1].Ask(within(t), "home", nil, func([]byte) error { return nil }) }()
	receive(t, begun, "the request did not arrive")
	leave()
	receive(t, ended, "the context of the answer does not end")
	if err := receive(t, asked, "the request does not end"); !errors.Is(err, mcpcluster.ErrLost) {
		t.Errorf("got %v", err)
	}
	if err := all[1].Ask(within(t), "home", nil, func([]byte) error { return nil }); !errors.Is(err, mcpcluster.ErrNoReplica) {
		t.Errorf("got %v", err)
	}
	join(t, all[0], replica("home")) // again
	if err := all[1].Ask(within(t), "home", nil, func([]byte) error { return nil }); err != nil {
		t.Error(err)
	}
}

func messages(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	const n = 200
	all := connect(t, 3)
	heard := make([]chan string, len(all))
	for i, b := range all {
		heard[i] = make(chan string, 2*n)
		r := replica(fmt.Sprint("r", i))
		r.Heard = func(message []byte) { heard[i] <- string(message) }
		join(t, b, r)
	}
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint("message ", i))
		text := []byte(want[i])
		all[0].Tell(text)
		clear(text) // which belongs to the sender again
	}
	for i := range all {
		var got []string
		for range n {
			got = append(got, receive(t, heard[i], "a message was lost"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("replica %d heard %q", i, got)
		}
	}
}

func ready(t *testing.T, connect func(t testing.TB, replicas int) []mcpcluster.Backplane) {
	if err := connect(t, 1)[0].Ready(); err != nil {
		t.Error(err)
	}
}
