package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// SameAnswers returns in which answers to m the contestants differ, or nil. Every answer is compared as JSON with the first one's,
// without the data of errors where a library has no way to send it.
func SameAnswers(ctx context.Context, all []Dispatcher, m *work.Message) error {
	var errs []error
	var want map[string]any
	for _, d := range all {
		if d.NoBatch && m.Batch > 0 {
			continue
		}
		answer := d.Dispatch(ctx, nil, m.Bytes)
		got, err := parse(answer, m)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w: %.300s", m.Name(), d.Name, err, answer))
			continue
		}
		if want == nil {
			want = got
		}
		expected := want
		if d.NoData || m.Words {
			got, expected = withoutData(got), withoutData(want)
		}
		if !reflect.DeepEqual(got, expected) {
			errs = append(errs, fmt.Errorf("%s: %s answers %.300s", m.Name(), d.Name, answer))
		}
	}
	return errors.Join(errs...)
}

// parse returns the answers by id, and an error when they are not what m asks for.
func parse(answer []byte, m *work.Message) (map[string]any, error) {
	var list []any
	if m.Batch == 0 {
		answer = append(append([]byte{'['}, answer...), ']')
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, err
	}
	if len(list) != max(m.Batch, 1) {
		return nil, fmt.Errorf("%d answers", len(list))
	}
	byID := map[string]any{}
	for _, a := range list {
		object, ok := a.(map[string]any)
		if !ok {
			return nil, errors.New("no object")
		}
		failed, isError := object["error"].(map[string]any)
		if isError != (m.Code != 0) || isError && failed["code"] != float64(m.Code) {
			return nil, errors.New("not what was asked for")
		}
		byID[fmt.Sprint(object["id"])] = a
	}
	return byID, nil
}

// withoutData returns the answers without the data of their errors.
func withoutData(answers map[string]any) map[string]any {
	out := map[string]any{}
	for id, a := range answers {
		object := map[string]any{}
		for name, value := range a.(map[string]any) {
			if failed, ok := value.(map[string]any); ok && name == "error" {
				value = map[string]any{"code": failed["code"], "message": failed["message"]}
			}
			object[name] = value
		}
		out[id] = object
	}
	return out
}

// SameCall returns how the results of a client differ from those of the service.
func SameCall(ctx context.Context, c *Caller) error {
	exact := true
	p := work.CurrentParams{City: "Oslo", Unit: "kelvin", Hours: 1, Exact: &exact}
	got, err := c.Call(ctx, &p)
	if err != nil || got != work.Current(&p) {
		return fmt.Errorf("%s: %+v, %w", c.Name, got, err)
	}
	p.Hours = 0
	if _, err := c.Call(ctx, &p); err == nil {
		return fmt.Errorf("%s: params that break a rule are sent", c.Name)
	}
	return nil
}
