-- Two letters are found through the index on SQLite too.
{{searchable "students"}}
{{searchable "library_books"}}
