package main

import "time"
import "fmt"
import "os"

func main() {
	s := settings{9, 10 * time.Millisecond}
	only := ""
	if len(os.Args) > 1 { only = os.Args[1] }
	rows := dispatches(s, only)
	rows = append(rows, codecs(s, only)...)
	rows = append(rows, trips(s, only)...)
	rows = append(rows, growth(s)...)
	for _, r := range rows {
		fmt.Println(r.Title)
		for _, f := range r.Figures {
			q, _ := r.over(f.Name, r.Figures[0].Name)
			fmt.Printf("   %-30s %10.1f ns %6.1f allocs %8.2fx [%.2f %.2f]\n", f.Name, f.median(), f.Allocs, q.Median, q.Low, q.High)
		}
	}
}
