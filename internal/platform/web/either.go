package web

import (
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// Either is a response that is JSON or, if the client prefers that, a file. Its
// route needs the option OrFile.
type Either[T any] struct {
	JSON T
	File *File // if set, sent in place of JSON
}

// SchemaOf returns the type that the API documentation shows.
func (Either[T]) SchemaOf() reflect.Type { return reflect.TypeFor[T]() }

func (e Either[T]) either() (any, *File) { return e.JSON, e.File }

type eitherReply interface{ either() (any, *File) }

// orFile is the file format of a route with an Either.
type orFile struct {
	Type   string // media type
	format string // value of the parameter "format" that requests the file
}

// OrFile declares the file of a handler that returns an Either. The input needs a
// field "format". It is set to format if the request has none and its Accept header
// prefers the file (content negotiation).
func OrFile(mediaType, format string) Option {
	return func(r *Route) { r.OrFile = &orFile{mediaType, format} }
}

// negotiate sets the format if the Accept header prefers the file.
func (o *orFile) negotiate(r *http.Request, obj map[string]any) {
	if _, said := obj["format"]; !said && o.preferred(r.Header.Get("Accept")) {
		obj["format"] = o.format
	}
}

// preferred reports whether the Accept header ranks the file above JSON.
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
