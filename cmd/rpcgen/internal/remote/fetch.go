package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	urlpkg "net/url"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/file"
)

// Fetch gets a document of at most [file.Most] bytes. The headers are "Name: value".
func Fetch(ctx context.Context, url string, headers []string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, application/yaml, */*;q=0.5")
	for _, line := range headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("the header %q is not of the form Name: value", line)
		}
		req.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	resp, err := http.DefaultClient.Do(req)
	if failed, ok := errors.AsType[*urlpkg.Error](err); ok { // whose text repeats the URL
		return nil, failed.Err
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		return nil, fmt.Errorf("the server answers %s; if it is an MCP server, add --tools", resp.Status)
	default:
		return nil, fmt.Errorf("the server answers %s", resp.Status)
	}
	return file.ReadAll(resp.Body)
}
