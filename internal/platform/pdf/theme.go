package pdf

// The design of a school's documents: margins, colours and sizes.
const (
	FromX = 17 * MM // left margin
	ToX   = Width - FromX
	Inner = ToX - FromX
	FromY = 15 * MM
)

var (
	Ink    = Color{R: 24, G: 32, B: 44}
	Accent = Color{R: 28, G: 77, B: 122}
	Quiet  = Gray(112)
	Hair   = Gray(214)
	Alarm  = Color{R: 166, G: 38, B: 38}

	Label = Style{Size: 7, Color: Quiet}
	Value = Style{Size: 10, Color: Ink}
)
