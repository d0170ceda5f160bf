package work

import "fmt"

// The names of the methods.
const (
	MethodCurrent  = "weather/current"
	MethodLimited  = "weather/limited" // only rpcgen's, to measure what a declared timeout costs
	MethodForecast = "weather/forecast"
	MethodList     = "catalog/list"
	MethodEcho     = "text/echo"
)

// Methods are the names of all methods.
var Methods = []string{MethodCurrent, MethodForecast, MethodList, MethodEcho}

// Current answers the small call.
func Current(p *CurrentParams) Report {
	return Report{City: p.City, Degrees: 14.5, Unit: p.Unit, Humidity: 62, Summary: "Light rain, clearing up later"}
}

// Week is what every forecast says.
var Week = []Day{
	{"2026-03-02", 11.5, 3.2, 0.4, "Showers, then dry"}, {"2026-03-03", 12.25, 4.1, 0, "Sunny spells, mild"},
	{"2026-03-04", 9.8, 2, 5.6, "Heavy rain"}, {"2026-03-05", 10.1, 1.75, 0.2, "Overcast, calm"},
	{"2026-03-06", 13.4, 5.5, 0, "Sunny all day"}, {"2026-03-07", 14.2, 6.3, 0, "Sunny"},
	{"2026-03-08", 8.9, -0.6, 2.1, "Sleet at night only"},
}

// WeekForecast answers the typical call: at most a week.
func WeekForecast(p *ForecastParams) Forecast {
	days := make([]Day, min(int(p.Days), len(Week)))
	copy(days, Week)
	return Forecast{City: p.City, Unit: p.Unit, Days: days}
}

// Items are the goods of the list.
var Items = items()

func items() []Item {
	list := make([]Item, 45)
	for i := range list {
		list[i] = Item{
			ID: fmt.Sprintf("item-%04d", i), Title: fmt.Sprintf("Garden chair, model %d", i),
			Description: "Solid oak with a linen seat. Folds flat, weighs little, stands rain and sun for many years; " +
				"assembled in a minute without any tool. Comes with a spare seat and a cover for the winter.",
			Price: 19.9 + float64(i)*2.25, Stock: int32(i * 3), Active: i%4 != 0, Tags: []string{"garden", "oak", "folding"},
		}
	}
	return list
}

// AllItems answers the list.
func AllItems(p *ListParams) List { return List{Items: Items[:min(int(p.Limit), len(Items))]} }

// Echo answers the long text.
func Echo(p *EchoParams) Text { return Text{*p.Text} }
