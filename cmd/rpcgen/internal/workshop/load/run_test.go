package load

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// peer is a server that takes a time for each call.
type peer struct {
	began time.Time
	takes func(since time.Duration) time.Duration
	odd   func(c *Call, n int64) ([]byte, error) // the answer to call n, if it is not the right one
	calls atomic.Int64
}

func right(c *Call) []byte { return []byte(`{"structuredContent":{"got":` + string(c.Args) + `}}`) }

// Do takes a time of a bubble.
func (p *peer) Do(_ context.Context, c *Call) ([]byte, error) {
	n := p.calls.Add(1)
	time.Sleep(p.takes(time.Since(p.began)))
	if p.odd != nil {
		if answer, err := p.odd(c, n); answer != nil || err != nil {
			return answer, err
		}
	}
	return right(c), nil
}

func (p *peer) Close() error { return nil }

// mute answers nothing after its first calls.
type mute struct {
	peer
	after int64
}

// Do waits for the end of ctx.
func (m *mute) Do(ctx context.Context, c *Call) ([]byte, error) {
	if m.calls.Add(1) <= m.after {
		return right(c), nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestMute: a run against a server that answers nothing ends, and its calls have failed; before it, the first call has a time, too.
func TestMute(t *testing.T) {
	for _, rate := range []float64{0, 10} {
		synctest.Test(t, func(t *testing.T) {
			server := &mute{after: 100}
			p := &plan{workers: 4, duration: 30 * time.Second, grace: 5 * time.Second, rate: rate, calls: calls(3, &checker{}), answers: newAnswers(), peers: []Peer{server}}
			begin := time.Now()
			all, _ := p.run(t.Context())
			if took := time.Since(begin); took != 35*time.Second || all.errors["no answer"] < 4 {
				t.Errorf("it took %v, and %v failed", took, all.errors)
			}
			begin = time.Now()
			if _, _, _, err := prove(t.Context(), server, p.calls, p.answers, time.Second); err == nil || time.Since(begin) != time.Second {
				t.Errorf("%v after %v", err, time.Since(begin))
			}
		})
	}
}

func calls(n int, check *checker) (all []*Call) {
	for i := range n {
		all = append(all, &Call{Name: "echo", Args: fmt.Appendf(nil, `{"i":%d}`, i), target: check})
	}
	return all
}

// measure runs a plan against a peer, as the command does.
func measure(t *testing.T, p *plan, server *peer) *report {
	t.Helper()
	server.began = time.Now()
	p.peers = []Peer{server}
	p.grace = cmp.Or(p.grace, time.Hour)
	p.answers = newAnswers()
	p.answers.alone = p.workers == 1
	kept, _, _, err := prove(t.Context(), server, p.calls, p.answers, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	p.calls = kept
	server.began = time.Now()
	counted, took := p.run(t.Context())
	confirm(t.Context(), server, counted, p.answers, p.duration)
	return newReport("test", p, counted, took)
}

// TestStall: a server that stops for one second in ten shows at a constant rate, and does not in a closed loop.
func TestStall(t *testing.T) {
	stalls := func(since time.Duration) time.Duration {
		if into := since % (10 * time.Second); into > 5*time.Second && into < 6*time.Second {
			return 6*time.Second - into
		}
		return 2 * time.Millisecond
	}
	synctest.Test(t, func(t *testing.T) {
		p := &plan{workers: 12, duration: 10 * time.Second, rate: 200, calls: calls(10, &checker{})}
		r := measure(t, p, &peer{takes: stalls})
		if p99 := time.Duration(r.Response.P99); p99 < 850*time.Millisecond || p99 > time.Second {
			t.Errorf("at a constant rate the p99 is %v", p99)
		}
		if p99 := time.Duration(r.Service.P99); p99 > 10*time.Millisecond {
			t.Errorf("the p99 of the service time is %v", p99)
		}
		if r.Calls != 2_000 || r.Invalid != "" {
			t.Error(r.Calls, r.Invalid)
		}
		r = measure(t, &plan{workers: 1, duration: 10 * time.Second, calls: calls(10, &checker{})}, &peer{takes: stalls})
		if p99 := time.Duration(r.Response.P99); p99 > 3*time.Millisecond {
			t.Errorf("in a closed loop the p99 is %v", p99)
		}
	})
}

// TestLateStart: a run whose process stood still for all of its time counts one call.
func TestLateStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, rate := range []float64{0, 100} {
			server := &peer{takes: func(time.Duration) time.Duration { return time.Millisecond }}
			p := &plan{workers: 1, duration: 200 * time.Millisecond, rate: rate, calls: calls(1, &checker{}), answers: newAnswers(), peers: []Peer{server}}
			began := time.Now()
			time.Sleep(time.Second)
			w := worker{plan: p, tally: newTally(), peer: server, began: began, from: began, end: began.Add(p.duration), next: new(atomic.Int64), done: new(atomic.Uint64)}
			w.work(t.Context(), t.Context())
			if r := newReport("test", p, w.tally, time.Since(began)); r.Calls == 0 || r.Invalid != "" || r.Response.Max < int64(time.Second) {
				t.Errorf("rate %g: %d calls, %d ns, %s", rate, r.Calls, r.Response.Max, r.Invalid)
			}
		}
	})
}

// TestWrong: one answer in 2,000 that belongs to another call is found, and so are those that do not fit the output schema.
func TestWrong(t *testing.T) {
	const schema = `{"type":"object","properties":{"got":{"type":"object","properties":{"i":{"type":"integer"}}}},"required":["got"]}`
	quick := func(time.Duration) time.Duration { return time.Millisecond }
	for name, one := range map[string]struct {
		readOnly bool
		odd      func(c *Call, n int64) ([]byte, error)
		want     string
	}{
		"swapped": {true, func(c *Call, n int64) ([]byte, error) {
			switch { // which call this is depends on the workers
			case n <= 500 || n%2_000 != 0:
				return nil, nil
			case string(c.Args) == `{"i":0}`:
				return []byte(`{"structuredContent":{"got":{"i":1}}}`), nil
			}
			return []byte(`{"structuredContent":{"got":{"i":0}}}`), nil
		}, wrongMixed},
		"differs": {true, func(_ *Call, n int64) ([]byte, error) {
			if n > 500 && n%2_000 == 0 {
				return []byte(`{"structuredContent":{"got":{}}}`), nil
			}
			return nil, nil
		}, wrongDiffer},
		"without the member": {false, func(_ *Call, n int64) ([]byte, error) {
			if n%2_000 == 0 {
				return []byte(`{"structuredContent":{}}`), nil
			}
			return nil, nil
		}, wrongShape},
		"of the wrong kind": {false, func(*Call, int64) ([]byte, error) {
			return []byte(`{"structuredContent":{"got":{"i":"0"}}}`), nil
		}, wrongShape},
		"right": {true, nil, ""},
		"changes by itself": {true, func(_ *Call, n int64) ([]byte, error) {
			if n > 300 {
				return []byte(`{"structuredContent":{"got":{"i":-1}}}`), nil
			}
			return nil, nil
		}, ""},
		"changes into the answer to another": {true, func(_ *Call, n int64) ([]byte, error) {
			if n > 300 {
				return []byte(`{"structuredContent":{"got":{"i":0}}}`), nil
			}
			return nil, nil
		}, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &plan{workers: 16, duration: 150 * time.Millisecond, calls: calls(100, newChecker([]byte(schema), one.readOnly))}
			r := measure(t, p, &peer{takes: quick, odd: one.odd})
			if one.want == "" && len(r.Wrong) == 0 && r.good() {
				return
			}
			if len(r.Wrong) != 1 || r.Wrong[0].Name != one.want || r.good() {
				t.Errorf("%s: %+v", name, r.Wrong)
			}
		})
	}
}

// TestConfirmSlowly: wrong answers of a slow server are found, and count as wrong if there is no time to repeat each call.
func TestConfirmSlowly(t *testing.T) {
	for _, tt := range []struct {
		name     string
		duration time.Duration
		stops    bool // the server answers nothing after the load
		want     string
	}{{"each is repeated", 30 * time.Second, false, wrongMixed}, {"some are not", time.Second, false, unrepeated}, {"none is", time.Second, true, unrepeated}} {
		synctest.Test(t, func(t *testing.T) {
			server := &peer{takes: func(time.Duration) time.Duration { return 2200 * time.Millisecond }}
			counted, a := newTally(), newAnswers()
			counted.service.Add(2200 * time.Millisecond)
			for _, c := range calls(5, &checker{readOnly: true}) {
				a.learn(c, right(c), right(c))
				counted.differs[different{c, wrongMixed}] = 3
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.stops {
				stop()
				server.odd = func(*Call, int64) ([]byte, error) { return nil, context.Canceled }
			}
			confirm(ctx, server, counted, a, tt.duration)
			if counted.wrong[tt.want] == 0 || counted.wrong[wrongMixed]+counted.wrong[unrepeated] != 15 {
				t.Errorf("%s: %v are wrong", tt.name, counted.wrong)
			}
		})
	}
}

// TestNotCompared: the report says to how many calls answers are not compared with each other, and why.
func TestNotCompared(t *testing.T) {
	for _, tt := range []struct {
		readOnly bool
		takes    time.Duration
		odd      func(c *Call, n int64) ([]byte, error)
		want     string
	}{
		{true, time.Millisecond, nil, ""},
		{false, time.Millisecond, nil, `different calls whose answers are not compared: 5, such as echo {"i":0}: they may do more than read`},
		{true, 900 * time.Millisecond, nil, `different calls whose answers are not compared: 3, such as echo {"i":2}: the 2s before the load were over before they were made twice`},
		{true, time.Millisecond, func(c *Call, n int64) ([]byte, error) {
			if string(c.Args) != `{"i":1}` {
				return nil, nil
			}
			return fmt.Appendf(nil, `{"structuredContent":%d}`, n), nil
		}, `different calls whose answers are not compared: 5, such as echo {"i":0}: made twice before the load, equal calls of this tool did not have equal answers`},
		{true, time.Millisecond, func(_ *Call, n int64) ([]byte, error) {
			if n <= 10 {
				return nil, nil
			}
			return fmt.Appendf(nil, `{"structuredContent":%d}`, n), nil
		}, `different calls whose answers are not compared: 5, such as echo {"i":0}: repeated after the load, a call of this tool does not have the answer from before it`},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &plan{workers: 2, duration: 10 * time.Second, calls: calls(5, &checker{readOnly: tt.readOnly})}
			r := measure(t, p, &peer{takes: func(time.Duration) time.Duration { return tt.takes }, odd: tt.odd})
			var text strings.Builder
			if err := r.writeText(&text); err != nil || !r.good() {
				t.Fatal(err, r.Wrong)
			}
			_, got, _ := strings.Cut(text.String(), "not compared")
			if _, want, _ := strings.Cut(tt.want, "not compared"); strings.TrimSpace(got) != want {
				t.Errorf("%s\nwant %s", text.String(), tt.want)
			}
			if len(r.Apart) > 1 || tt.want == "" && len(r.Apart) > 0 {
				t.Error(r.Apart)
			}
		})
	}
}

// TestVaries: a tool whose answers come in an order of their own is not accused, with one worker and with several, even if the same answer came twice before
// the load; one worker is never told of the answer to another call.
func TestVaries(t *testing.T) {
	for _, workers := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			var mu sync.Mutex
			shuffled := func(_ *Call, n int64) ([]byte, error) {
				mu.Lock()
				defer mu.Unlock()
				if n <= 2 { // equal by chance
					return []byte(`{"structuredContent":[0,1,2]}`), nil
				}
				return fmt.Appendf(nil, `{"structuredContent":%v}`, strings.ReplaceAll(fmt.Sprint(random.Perm(3)), " ", ",")), nil
			}
			for _, n := range []int{1, 20} {
				p := &plan{workers: workers, duration: time.Second, calls: calls(n, &checker{readOnly: true})}
				r := measure(t, p, &peer{takes: func(time.Duration) time.Duration { return time.Millisecond }, odd: shuffled})
				if !r.good() || len(r.Apart) != 1 || r.Apart[0].Count != uint64(n) {
					t.Errorf("%d workers, %d calls: wrong %+v, not compared %+v", workers, n, r.Wrong, r.Apart)
				}
			}
			p := &plan{workers: workers, duration: time.Second, calls: calls(20, &checker{readOnly: true})}
			r := measure(t, p, &peer{takes: func(time.Duration) time.Duration { return time.Millisecond }, odd: func(_ *Call, n int64) ([]byte, error) {
				if n > 100 && n%50 == 0 && n < 900 {
					return right(&Call{Args: []byte(`{"i":0}`)}), nil
				}
				return nil, nil
			}})
			if want := map[bool]string{true: wrongDiffer, false: wrongMixed}[workers == 1]; len(r.Wrong) != 1 || r.Wrong[0].Name != want {
				t.Errorf("%d workers: %+v", workers, r.Wrong)
			}
		})
	}
}

// TestErrors: errors are counted by their code, and limits say when there are too many.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &peer{takes: func(time.Duration) time.Duration { return time.Millisecond }, odd: func(_ *Call, n int64) ([]byte, error) {
			switch {
			case n < 100:
			case n%10 == 0:
				return nil, &ServerError{"-32603", "internal"}
			case n%10 == 1:
				return nil, io.ErrUnexpectedEOF
			}
			return nil, nil
		}}
		r := measure(t, &plan{workers: 4, duration: time.Second, warm: 100 * time.Millisecond, calls: calls(3, &checker{})}, server)
		if len(r.Errors) != 2 || r.Errors[0].Name != "-32603" || r.Errors[1].Name != "no answer" || r.Errors[0].First != "-32603: internal" {
			t.Errorf("%+v", r.Errors)
		}
		if share := float64(r.failures()) / float64(r.Calls); share < 0.15 || share > 0.25 {
			t.Error(share)
		}
		r.limit(time.Second, 0.5)
		if !r.good() {
			t.Error(r.Over)
		}
		r.limit(time.Microsecond, 0.1)
		if len(r.Over) != 2 {
			t.Error(r.Over)
		}
		server.odd = func(*Call, int64) ([]byte, error) { return nil, &ServerError{"1001", "no such city"} }
		r = measure(t, &plan{workers: 4, duration: time.Second, calls: calls(3, &checker{})}, server)
		if r.limit(0, 1); !r.good() {
			t.Error(r.Over)
		}
		if r.limit(0, -1); len(r.Over) != 1 || r.good() {
			t.Error("every call failed, and nothing says so", r.Over)
		}
	})
}

// TestBehind: figures are invalid if the generator is slower than the rate; a server that is slower shows in them.
func TestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := measure(t, &plan{workers: 4, duration: time.Second, rate: 1000, calls: calls(3, &checker{})}, &peer{takes: func(time.Duration) time.Duration { return 20 * time.Millisecond }})
		if r.Invalid != "" || time.Duration(r.Response.P99) < time.Second {
			t.Error(r.Invalid, r.Response.P99)
		}
	})
	slow := newTally()
	slow.response.Add(time.Second)
	slow.tardy = 1
	if r := newReport("test", &plan{rate: 1000, duration: time.Second}, slow, time.Second); !strings.HasPrefix(r.Invalid, "could not send 1000/s") || r.good() {
		t.Error(r.Invalid)
	}
}

// TestInterrupted: the end of the context ends the run.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := &plan{workers: 3, duration: time.Hour, rate: 0.001, calls: calls(1, &checker{}), answers: newAnswers(), peers: []Peer{&peer{takes: func(time.Duration) time.Duration { return 0 }}}}
		var mu sync.Mutex
		lines := 0
		p.progress = func(uint64, time.Duration) { mu.Lock(); lines++; mu.Unlock() }
		began := time.Now()
		p.run(ctx)
		broken, end := context.WithTimeout(t.Context(), 9*time.Second) // pauses of a second have begun by then
		defer end()
		p.rate, p.peers = 0, []Peer{&peer{takes: func(time.Duration) time.Duration { return 0 }, odd: func(*Call, int64) ([]byte, error) { return nil, io.ErrUnexpectedEOF }}}
		p.run(broken)
		began = began.Add(9 * time.Second)
		if took := time.Since(began); took != time.Second {
			t.Error(took)
		}
	})
}

// TestFiles: the report is JSON with what the text has, and the chart is XML.
func TestFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := measure(t, &plan{workers: 4, duration: time.Second, calls: calls(3, &checker{})}, &peer{takes: func(time.Duration) time.Duration { return time.Millisecond }})
		var text, js, svg strings.Builder
		if err := errors.Join(r.writeText(&text), r.writeJSON(&js), r.writeSVG(&svg)); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text.String(), "4000 calls in 1.0 s, 4000/s") || !strings.Contains(text.String(), "response time        1 ms       1 ms") {
			t.Errorf("%s", text.String())
		}
		var back report
		if err := json.Unmarshal([]byte(js.String()), &back); err != nil || back.Calls != 4000 || len(back.Parts) != slots || len(back.Response.Buckets) != 1 {
			t.Error(back.Calls, err)
		}
		d := xml.NewDecoder(strings.NewReader(svg.String()))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(svg.String(), "NaN") || strings.Contains(svg.String(), "<script") {
			t.Error("the chart has NaN, or a script")
		}
	})
}
