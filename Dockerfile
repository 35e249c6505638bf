FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /homeroom ./cmd/homeroom && mkdir -m 0700 /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /data /data
COPY --from=build /homeroom /homeroom
USER 65532:65532
ENV HOMEROOM_DATA=/data HOMEROOM_LOG_FORMAT=json TMPDIR=/data
VOLUME /data
EXPOSE 3001
ENTRYPOINT ["/homeroom"]
CMD ["serve"]
