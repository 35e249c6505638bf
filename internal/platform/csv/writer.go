package csv

import (
	"bufio"
	"io"
	"strings"
)

// Writer writes rows as UTF-8 with a byte order mark, by which spreadsheets detect it.
type Writer struct {
	out *bufio.Writer
}

// NewWriter writes the header.
func NewWriter(w io.Writer, columns []Column) (*Writer, error) {
	out := &Writer{bufio.NewWriterSize(w, 16<<10)}
	if _, err := out.out.WriteString("\ufeff"); err != nil {
		return nil, err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return out, out.Write(names)
}

// Write writes a row. Errors are sticky: checking Flush is enough.
func (w *Writer) Write(cells []string) error {
	for i, cell := range cells {
		if i > 0 {
			_ = w.out.WriteByte(',')
		}
		w.cell(Escape(cell))
	}
	_, err := w.out.WriteString("\r\n")
	return err
}

func (w *Writer) cell(s string) {
	if s == "" || !strings.ContainsAny(s, ",;\"\r\n\t") && s[0] != ' ' && s[len(s)-1] != ' ' {
		_, _ = w.out.WriteString(s)
		return
	}
	_ = w.out.WriteByte('"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		_, _ = w.out.WriteString(s[:i+1])
		_ = w.out.WriteByte('"')
		s = s[i+1:]
	}
	_, _ = w.out.WriteString(s)
	_ = w.out.WriteByte('"')
}

// Flush writes buffered data.
func (w *Writer) Flush() error { return w.out.Flush() }
