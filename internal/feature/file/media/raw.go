package media

import (
	"errors"
	"io"
	"sort"
)

// raw is a file as it came, and the pieces of it that are kept. Reading goes
// through a small window, so that a walk over many small parts is cheap.
type raw struct {
	r    io.ReaderAt
	size int64

	window   [4096]byte
	windowAt int64
	windowN  int

	pieces []piece
	length int64
}

// piece is a part of what is kept: of the file, or of our own making.
type piece struct {
	start int64 // in what is kept
	from  int64 // in the file
	n     int64
	own   []byte
}

// maxPieces bounds what a file with many small parts costs us.
const maxPieces = 50_000

var errPieces = Refusal("has more parts than any picture: it is not taken")

// keep keeps n bytes of the file.
func (w *raw) keep(from, n int64) error {
	if last := len(w.pieces) - 1; last >= 0 && w.pieces[last].own == nil && w.pieces[last].from+w.pieces[last].n == from {
		w.pieces[last].n += n
		w.length += n
		return nil
	}
	if len(w.pieces) == maxPieces {
		return errPieces
	}
	w.pieces = append(w.pieces, piece{start: w.length, from: from, n: n})
	w.length += n
	return nil
}

// add keeps bytes of our own.
func (w *raw) add(b []byte) {
	w.pieces = append(w.pieces, piece{start: w.length, n: int64(len(b)), own: b})
	w.length += int64(len(b))
}

// kept is what is kept, all of the file if nothing was said.
func (w *raw) kept() *io.SectionReader {
	if w.pieces == nil {
		return io.NewSectionReader(w.r, 0, w.size)
	}
	return io.NewSectionReader(w, 0, w.length)
}

// ReadAt implements io.ReaderAt over what is kept.
func (w *raw) ReadAt(p []byte, at int64) (n int, err error) {
	i := sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].start+w.pieces[i].n > at })
	for ; i < len(w.pieces) && n < len(p); i++ {
		c := w.pieces[i]
		skip := at - c.start
		want := p[n:min(len(p), n+int(min(c.n-skip, int64(len(p)))))]
		got := 0
		if c.own != nil {
			got = copy(want, c.own[skip:])
		} else if got, err = w.r.ReadAt(want, c.from+skip); err != nil && (got < len(want) || !errors.Is(err, io.EOF)) {
			return n + got, err
		}
		n, at = n+got, at+int64(got)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

var errCut = Refusal("ends too soon: it is broken, or did not arrive whole")

// bytes reads n of the file, 0 to 4096, or errCut.
func (w *raw) bytes(at int64, n int) ([]byte, error) {
	if at < 0 || at+int64(n) > w.size {
		return nil, errCut
	}
	if at < w.windowAt || at+int64(n) > w.windowAt+int64(w.windowN) {
		got, err := w.r.ReadAt(w.window[:min(int64(len(w.window)), w.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		w.windowAt, w.windowN = at, got
		if got < n {
			return nil, errCut
		}
	}
	return w.window[at-w.windowAt:][:n], nil
}

func (w *raw) be16(at int64) (int, error) {
	b, err := w.bytes(at, 2)
	if err != nil {
		return 0, err
	}
	return int(b[0])<<8 | int(b[1]), nil
}

// ends refuses what stands behind the end of a picture: a few bytes of padding are
// none, and anything else could be another file.
func (w *raw) ends(at int64) error {
	const padding = 4096
	if w.size-at > padding {
		return errBehind
	}
	for ; at < w.size; at++ {
		b, err := w.bytes(at, 1)
		if err != nil {
			return err
		}
		if b[0] != 0 && b[0] != '\n' && b[0] != '\r' {
			return errBehind
		}
	}
	return nil
}

var errBehind = Refusal("has something hidden behind the end of the picture: open it and save it again")
