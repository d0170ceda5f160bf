// Package work is what every contestant is given to do: the types as one writes them by hand, their rules, the service itself, and the messages.
package work

import "github.com/rpcgen-go/rpcgen/runtime/gen/rule"

// The types of bench.rpc.yaml, written by hand for contestants that read them by reflection. A pointer tells an absent member where
// no rule refuses the zero value.
type (
	// Unit is one of units.
	Unit string

	// Detail is one of details.
	Detail string

	// CurrentParams are the params of the small call.
	CurrentParams struct {
		City  string `json:"city"`
		Unit  Unit   `json:"unit"`
		Hours int32  `json:"hours"`
		Exact *bool  `json:"exact"`
	}

	// Report is the result of the small call.
	Report struct {
		City     string  `json:"city"`
		Degrees  float64 `json:"degrees"`
		Unit     Unit    `json:"unit"`
		Humidity int32   `json:"humidity"`
		Summary  string  `json:"summary"`
	}

	// ForecastParams are the params of the typical call.
	ForecastParams struct {
		City    string   `json:"city"`
		Days    int32    `json:"days"`
		Unit    Unit     `json:"unit"`
		Details []Detail `json:"details"`
	}

	// Day is one object of a Forecast.
	Day struct {
		Date    string  `json:"date"`
		High    float64 `json:"high"`
		Low     float64 `json:"low"`
		Rain    float64 `json:"rain"`
		Summary string  `json:"summary"`
	}

	// Forecast is the result of the typical call.
	Forecast struct {
		City string `json:"city"`
		Unit Unit   `json:"unit"`
		Days []Day  `json:"days"`
	}

	// ListParams are the params of the list.
	ListParams struct {
		After *string `json:"after,omitempty"`
		Limit int32   `json:"limit"`
	}

	// Item is one object of a List.
	Item struct {
		ID          string   `json:"id"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Price       float64  `json:"price"`
		Stock       int32    `json:"stock"`
		Active      bool     `json:"active"`
		Tags        []string `json:"tags"`
	}

	// List is the list of 15 KB.
	List struct {
		Items []Item  `json:"items"`
		Next  *string `json:"next,omitempty"`
	}

	// EchoParams are the params of the long text.
	EchoParams struct {
		Text *string `json:"text"`
	}

	// Text is the result of the long text.
	Text struct {
		Text string `json:"text"`
	}
)

// Check reports the rules that v breaks.
func (v *CurrentParams) Check(vs *rule.Violations) {
	rule.Length(vs, "/city", v.City, 1, 80)
	v.Unit.check(vs, "/unit")
	rule.Min(vs, "/hours", v.Hours, 1)
	rule.Max(vs, "/hours", v.Hours, 48)
	if v.Exact == nil {
		rule.Missing(vs, "/exact")
	}
}

// Check reports the rules that v breaks.
func (v *Report) Check(vs *rule.Violations) {
	v.Unit.check(vs, "/unit")
	rule.Min(vs, "/humidity", v.Humidity, 0)
	rule.Max(vs, "/humidity", v.Humidity, 100)
	rule.Length(vs, "/summary", v.Summary, 0, 200)
}

// Check reports the rules that v breaks.
func (v *ForecastParams) Check(vs *rule.Violations) {
	rule.Length(vs, "/city", v.City, 1, 80)
	rule.Min(vs, "/days", v.Days, 1)
	rule.Max(vs, "/days", v.Days, 14)
	v.Unit.check(vs, "/unit")
	rule.Items(vs, "/details", len(v.Details), 1, 6)
	rule.EachValue(vs, "/details", v.Details, func(vs *rule.Violations, d Detail) { d.check(vs, "") })
}

// Check reports the rules that v breaks.
func (v *Forecast) Check(vs *rule.Violations) {
	v.Unit.check(vs, "/unit")
	rule.Each(vs, "/days", v.Days, (*Day).Check)
}

// Check reports the rules that v breaks.
func (v *Day) Check(vs *rule.Violations) { rule.Length(vs, "/date", v.Date, 10, 10) }

// Check reports the rules that v breaks.
func (v *ListParams) Check(vs *rule.Violations) {
	rule.Min(vs, "/limit", v.Limit, 1)
	rule.Max(vs, "/limit", v.Limit, 100)
}

// Check reports the rules that v breaks.
func (v *List) Check(vs *rule.Violations) { rule.Each(vs, "/items", v.Items, (*Item).Check) }

// Check reports the rules that v breaks.
func (v *Item) Check(vs *rule.Violations) {
	rule.Length(vs, "/id", v.ID, 1, -1)
	rule.Min(vs, "/stock", v.Stock, 0)
}

// Check reports the rules that v breaks.
func (v *EchoParams) Check(vs *rule.Violations) {
	if v.Text == nil {
		rule.Missing(vs, "/text")
	}
}

// Check finds nothing: there is no rule.
func (*Text) Check(*rule.Violations) {}

func (u Unit) check(vs *rule.Violations, at string) {
	switch u {
	case "celsius", "fahrenheit", "kelvin":
	default:
		rule.Enum(vs, at, string(u), "celsius\nfahrenheit\nkelvin")
	}
}

func (d Detail) check(vs *rule.Violations, at string) {
	switch d {
	case "wind", "rain", "humidity", "sunrise", "pressure", "pollen":
	default:
		rule.Enum(vs, at, string(d), "wind\nrain\nhumidity\nsunrise\npressure\npollen")
	}
}
