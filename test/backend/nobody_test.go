package backend_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
)

// TestLoginOfNobody: with User, a login that an earlier version has sealed for no principal cannot be finished by a browser without a session.
func TestLoginOfNobody(t *testing.T) {
	auth := newAuthority(t)
	o := backendoauth.LoginOptions{Options: auth.options(), URL: "http://127.0.0.1:1/login", Key: make([]byte, 32)}
	begins, err := backendoauth.NewLogin(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = begins.Credential(t.Context(), backend.Ask{Backend: "tracker", Scheme: "token"})
	if err == nil {
		t.Fatal("there is a credential")
	}
	for _, user := range []string{"", "ann"} {
		o.User = func(*http.Request) string { return user }
		other, err2 := backendoauth.NewLogin(o)
		if err2 != nil {
			t.Fatal(err2)
		}
		w := httptest.NewRecorder()
		other.ServeHTTP(w, httptest.NewRequest("GET", pageOf(err, o.URL), nil))
		if w.Code != http.StatusForbidden {
			t.Errorf("%q: %d %s", user, w.Code, w.Body)
		}
	}
}
