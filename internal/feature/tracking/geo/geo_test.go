package geo

import (
	"math"
	"testing"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b Point
		want float64
	}{
		{Point{40, 9}, Point{40, 9}, 0},
		{Point{40, 9}, Point{41, 9}, 111_195},
		{Point{60, 9}, Point{60, 10}, 55_597},           // half of what it is at the equator
		{Point{10, 179.5}, Point{10, -179.5}, 109_505},  // across the date line
		{Point{90, 0}, Point{-90, 0}, math.Pi * radius}, // pole to pole
	} {
		if got := Distance(tt.a, tt.b); math.Abs(got-tt.want) > 5 || math.IsNaN(got) {
			t.Errorf("%v to %v: %f m, want %f", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	p := NewPath([]Point{{40, 9}, {40.01, 9}, {40.01, 9}, {40.01, 9.02}})
	for _, tt := range []struct {
		leg        int
		at         Point
		share, off float64
	}{
		{1, Point{40.005, 9}, 0.5, 0},
		{1, Point{39.99, 9}, 0, 1112},      // before its beginning
		{1, Point{40.02, 9}, 1, 1112},      // past its end
		{3, Point{40.02, 9.01}, 0.5, 1112}, // beside it
		{2, Point{40.02, 9}, 0, 1112},      // two stops at one place
	} {
		share, off := p.OnLeg(tt.leg, tt.at)
		if math.Abs(share-tt.share) > 0.001 || math.Abs(off-tt.off) > 2 {
			t.Errorf("leg %d, %v: %f, %f m off; want %f, %f", tt.leg, tt.at, share, off, tt.share, tt.off)
		}
	}
	if off := p.Off(Point{40.02, 9.01}); math.Abs(off-1112) > 2 {
		t.Errorf("distance from the line: %f m", off)
	}
	if off := (Path{}).Off(Point{1, 1}); off != 0 {
		t.Errorf("distance from an empty line: %f m", off)
	}
}
