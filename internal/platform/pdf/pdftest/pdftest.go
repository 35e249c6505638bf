// Package pdftest parses documents of package pdf for tests: the number of pages, and
// the text that search and copy would find.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
)

var (
	page   = regexp.MustCompile(`/Type /Page\b[^s]`)
	stream = regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`)
	shown  = regexp.MustCompile(`(?s)/ActualText <([0-9A-Fa-f]+)>|\(((?:[^\\()]|\\.)*)\) ?Tj|\bEMC\b`)
)

// Read returns the number of pages and all text, one piece per line.
func Read(raw []byte) (pages int, text string, err error) {
	if !bytes.HasPrefix(raw, []byte("%PDF-")) || !bytes.Contains(raw, []byte("%%EOF")) {
		return 0, "", errors.New("not a complete PDF")
	}
	pages = len(page.FindAll(raw, -1))
	var lines []string
	for _, m := range stream.FindAllSubmatch(raw, -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue // not compressed: not page content
		}
		content, err := io.ReadAll(z)
		if err != nil {
			return 0, "", fmt.Errorf("unpack: %w", err)
		}
		if !bytes.Contains(content, []byte("BT ")) {
			continue // a font
		}
		found, err := texts(content)
		if err != nil {
			return 0, "", err
		}
		lines = append(lines, found...)
	}
	return pages, strings.Join(lines, "\n"), nil
}

// texts returns the pieces of text in a page's content. An ActualText replaces its
// placeholder.
func texts(content []byte) ([]string, error) {
	var out []string
	within := false
	for _, m := range shown.FindAllSubmatch(content, -1) {
		switch {
		case len(m[1]) > 0:
			raw, err := hex.DecodeString(string(m[1]))
			if err != nil {
				return nil, fmt.Errorf("text: %w", err)
			}
			out, within = append(out, decode(raw[2:])), true
		case string(m[0]) == "EMC":
			within = false
		case !within:
			out = append(out, decode(unescape(m[2])))
		}
	}
	return out, nil
}

// unescape removes backslashes.
func unescape(s []byte) []byte {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == 'r' {
				out = append(out, '\r')
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

func decode(raw []byte) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}
