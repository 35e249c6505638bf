package web

import (
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// Either is a reply that is JSON or, where the caller would rather have one, a
// file. Its handler is declared with OrFile.
type Either[T any] struct {
	JSON T
	File *File // in place of it
}

// SchemaOf tells the documentation what the JSON looks like.
func (Either[T]) SchemaOf() reflect.Type { return reflect.TypeFor[T]() }

func (e Either[T]) either() (any, *File) { return e.JSON, e.File }

type eitherReply interface{ either() (any, *File) }

// orFile is the file that a route has beside its JSON.
type orFile struct {
	Type   string // its media type
	format string // by which name the parameter format asks for it
}

// OrFile says that a handler which returns an Either also has a file. Its input
// has a field "format", which is set to format where the caller's Accept prefers
// the file and the query says nothing.
func OrFile(mediaType, format string) Option {
	return func(r *Route) { r.OrFile = &orFile{mediaType, format} }
}

// ask sets the format that the request's Accept prefers.
func (o *orFile) ask(r *http.Request, obj map[string]any) {
	if _, said := obj["format"]; !said && o.preferred(r.Header.Get("Accept")) {
		obj["format"] = o.format
	}
}

// preferred holds where the header puts the file before JSON.
func (o *orFile) preferred(accept string) bool {
	var file, other float64
	for part := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			q = 1
		}
		switch media {
		case o.Type:
			file = max(file, q)
		case "application/json":
			other = max(other, q)
		}
	}
	return file > other
}
