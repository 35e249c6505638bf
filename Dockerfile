FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /homeroom ./cmd/homeroom

# Debian 13 for pg_dump and pg_restore 17, which backups of PostgreSQL need.
FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates postgresql-client && rm -rf /var/lib/apt/lists/* && \
    install -d -o 65532 -g 65532 -m 0700 /data
COPY --from=build /homeroom /usr/bin/homeroom
USER 65532:65532
ENV HOMEROOM_DATA=/data HOMEROOM_LOG_FORMAT=json TMPDIR=/data
VOLUME /data
EXPOSE 3001
ENTRYPOINT ["homeroom"]
CMD ["serve"]
