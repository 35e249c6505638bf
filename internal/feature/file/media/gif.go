package media

// gif parses the blocks of a GIF and removes comments.
func (w *raw) gif() (Found, error) {
	f := Found{Type: GIF, orient: 1}
	b, err := w.bytes(0, 13)
	if err != nil {
		return f, err
	}
	f.Width, f.Height = int(b[6])|int(b[7])<<8, int(b[8])|int(b[9])<<8
	if f.Width == 0 || f.Height == 0 {
		return f, refuse("is a GIF without a picture in it")
	}
	f.decoded = int64(f.Width) * int64(f.Height)
	at := 13 + table(b[10])
	if err := w.keep(0, at); err != nil {
		return f, err
	}
	for {
		if b, err = w.bytes(at, 1); err != nil {
			return f, err
		}
		var next int64
		kept := true
		switch b[0] {
		case 0x3b:
			if err := w.keep(at, 1); err != nil {
				return f, err
			}
			return f, w.checkEnd(at + 1)
		case 0x2c:
			next, err = w.gifFrame(at)
		case 0x21:
			if b, err = w.bytes(at+1, 1); err != nil {
				return f, err
			}
			kept = b[0] == 0xf9 || b[0] == 0xff && w.isLoop(at)
			next, err = w.blocks(at + 2)
		default:
			err = refuse("is a GIF that is damaged: open it and save it again")
		}
		if err != nil {
			return f, err
		}
		if kept {
			if err := w.keep(at, next-at); err != nil {
				return f, err
			}
		}
		at = next
	}
}

// table is the size of the color table that the flags declare.
func table(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func (w *raw) gifFrame(at int64) (int64, error) {
	b, err := w.bytes(at, 10)
	if err != nil {
		return at, err
	}
	return w.blocks(at + 10 + table(b[9]) + 1)
}

// blocks returns the end of a chain of sub-blocks.
func (w *raw) blocks(at int64) (int64, error) {
	for {
		b, err := w.bytes(at, 1)
		if err != nil {
			return at, err
		}
		n := int64(b[0])
		if at += 1 + n; n == 0 {
			return at, nil
		}
	}
}

// isLoop reports whether the extension is NETSCAPE2.0, which loops an animation.
func (w *raw) isLoop(at int64) bool {
	b, err := w.bytes(at, 14)
	return err == nil && (string(b[3:14]) == "NETSCAPE2.0" || string(b[3:14]) == "ANIMEXTS1.0")
}
