package backend_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// TestPages follows lists in each of the ways.
func TestPages(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		switch page := r.URL.Query().Get("page"); page {
		case "3":
			_, _ = io.WriteString(w, `[{"number":3,"title":"c"}]`)
		default:
			next := map[string]string{"": "2", "2": "3"}[page]
			w.Header().Set("Link", `<`+"http://"+r.Host+r.URL.Path+`?page=1>; rel="prev first", <http://`+r.Host+r.URL.EscapedPath()+`?per_page=1&api_key=secret&page=`+next+`>; rel="next"`)
			_, _ = io.WriteString(w, `[{"number":`+map[string]string{"": "1", "2": "2"}[page]+`,"title":"a"}]`)
		}
	})
	c := a.client(t)
	in := rpc.IssuesListInput{Owner: "o/x", Repo: "r", PerPage: runtime.Some(int32(1))}
	var numbers []int64
	for range 5 {
		out, err := c.IssuesList(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, out.Issues[0].Number)
		if in.Cursor = out.Next; !out.Next.IsSet() {
			break
		}
	}
	if fmt.Sprint(numbers) != "[1 2 3]" || a.last() != "GET /repos/o%2Fx/r/issues?per_page=1&page=3" {
		t.Error(numbers, a.last())
	}
	in.Cursor = runtime.Some("cGFnZT0y.AAAA")
	if _, err := c.IssuesList(t.Context(), in); err == nil || !strings.Contains(err.Error(), "/cursor") {
		t.Error("a cursor that was not given is taken", err)
	}
	first, err := c.IssuesList(principal.With(t.Context(), "ann"), rpc.IssuesListInput{Owner: "o", Repo: "r"})
	if err != nil {
		t.Fatal(err)
	}
	in.Cursor = first.Next
	if _, err := c.IssuesList(principal.With(t.Context(), "bob"), in); err == nil {
		t.Error("a cursor of another principal is taken")
	}

	a = newAPI(t, says(200, `{"data":[{"id":"a"},{"id":"b"}],"has_more":true}`))
	charges, err := a.client(t).ChargesList(t.Context(), rpc.ChargesListInput{Cursor: runtime.Some("x&y")})
	if err != nil || charges.Next.Or("") != "b" || a.last() != "GET /v1/charges?starting_after=x%26y" {
		t.Error(charges, err, a.last())
	}
	a = newAPI(t, says(200, `{"data":[{"id":"a"}],"has_more":false}`))
	if charges, err = a.client(t).ChargesList(t.Context(), rpc.ChargesListInput{}); err != nil || charges.Next.IsSet() {
		t.Error(charges, err)
	}
	a = newAPI(t, says(200, `{"items":[{"number":1,"title":"a"},{"number":2,"title":"b"}]}`))
	found, err := a.client(t).IssueSearch(t.Context(), rpc.IssueSearchInput{Q: "q", Cursor: runtime.Some("4"), Limit: runtime.Some(int32(2))})
	if err != nil || found.Next.Or("") != "5" || a.last() != "GET /search?q=q&limit=2&page=4" {
		t.Error(found, err, a.last())
	}
	if found, err = a.client(t).IssueSearch(t.Context(), rpc.IssueSearchInput{Q: "q", Limit: runtime.Some(int32(3))}); err != nil || found.Next.IsSet() {
		t.Error(found, err)
	}
	if _, err = a.client(t).IssueSearch(t.Context(), rpc.IssueSearchInput{Q: "q", Cursor: runtime.Some("1&x=2")}); err == nil {
		t.Error("a cursor that is not a number is taken")
	}
}

// TestForeignLinks gives no cursor for links that lead elsewhere.
func TestForeignLinks(t *testing.T) {
	for _, link := range []string{"https://evil.example/repos/o/r/issues?page=2", "/repos/x/r/issues?page=2", "//evil.example/repos/o/r/issues?page=2", "http://user@HOST/repos/o/r/issues?page=2", "::"} {
		a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "<"+strings.ReplaceAll(link, "HOST", r.Host)+`>; rel=next`)
			_, _ = io.WriteString(w, `[]`)
		})
		if out, err := a.client(t).IssuesList(t.Context(), rpc.IssuesListInput{Owner: "o", Repo: "r"}); err != nil || out.Next.IsSet() {
			t.Error(link, out, err)
		}
	}
}
