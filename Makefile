.DEFAULT_GOAL := help
.PHONY: help run build web screenshots test lint fmt golden chart bench release size

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## start the service with demo data on http://127.0.0.1:3001
	@echo 'Compiling. The first time this takes a minute or two.'
	@go run ./cmd/homeroom serve --demo

build: ## build the binary for this machine: ./homeroom
	@echo 'Compiling. The first time this takes a minute or two.'
	@CGO_ENABLED=0 go build -trimpath -o homeroom ./cmd/homeroom

web: ## build the web app into web/dist (needs Node)
	scripts/web.sh

screenshots: ## draw the pages that README.md shows into docs/screenshots
	mkdir -p docs/screenshots
	HOMEROOM_SCREENSHOTS=$(CURDIR)/docs/screenshots go test ./web -count=1 -run TestScreenshots

test: ## run every check and test, as CI does
	scripts/test.sh

lint: ## run the linters of .golangci.yml
	go tool -modfile=tools/go.mod golangci-lint run

fmt: ## format the Go code
	gofmt -w cmd internal bench deploy

golden: ## write the API contract, the permission matrix and the table map that the tests compare with
	go test ./internal/app -run Golden -update

chart: ## test the Helm chart and render it into deploy/kubernetes.yaml
	cd deploy/helm && go test -count=1 -vet=off ./... -update

bench: ## run benchmarks: make bench RUN="list pay" (bench/README.md lists them)
	go run ./bench $(RUN)

release: ## build binaries, packages, bills of materials and checksums into dist/
	scripts/release.sh

size: ## show what each part of the binary weighs
	scripts/size.sh
