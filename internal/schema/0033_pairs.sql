-- Two letters are found through the index on PostgreSQL too.
{{if pg}}
{{searchable "students"}}
{{searchable "library_books"}}
{{end}}
