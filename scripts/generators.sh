#!/usr/bin/env bash
# Runs the usual client generators on the OpenAPI document. Each client is compiled, signs in to a demo and lists students; what comes of
# it is written into docs/clients.md. scripts/generators.sh [NAME...], default: all. GENERATORS_DIR keeps what was made, and is used again.
# Generators come from npm, PyPI, Maven Central and the Go module proxy: it takes Node, Python, a JDK with Maven, and Go.
set -euo pipefail
if [ -z "${HOMEROOM_URL:-}" ]; then exec "$(dirname "$0")/with-demo.sh" "$0" "$@"; fi
cd "$(dirname "$0")/.."
document=$PWD/internal/app/testdata/openapi.json page=$PWD/docs/clients.md
work=${GENERATORS_DIR:-$(mktemp -d)}
release=7.15.0 # of openapi-generator
[ $# -gt 0 ] || set -- openapi-typescript openapi-python-client java dart oapi-codegen

# made VERSION PATH: what ran, and how much it wrote.
made() { echo "$1 | $(find "$2" -type f | wc -l) files, $(find "$2" -type f -exec cat {} + | wc -l) lines" >made; }

openapi-typescript() {
  npm install --silent --no-audit --no-fund openapi-typescript@7 openapi-fetch@0.14 esbuild@0.25 typescript@5
  npx openapi-typescript "$document" -o schema.ts --default-non-nullable=false
  made "$(node -p 'require("./node_modules/openapi-typescript/package.json").version')" schema.ts
  cat >call.ts <<'TS'
import createClient from "openapi-fetch"
import type { paths } from "./schema"
declare const process: { env: Record<string, string> }
const c = createClient<paths>({ baseUrl: process.env.HOMEROOM_URL! })
const signed = await c.POST("/auth/login", { body: { email: "admin@greenfield.test", password: "homeroom-demo" } })
const headers = { Authorization: `Bearer ${signed.data!.data.accessToken}` }
const listed = await c.GET("/school-admin/student/list", { headers, params: { query: { limit: 3 } } })
console.log(`listed ${listed.data!.data.items.length} students`)
TS
  npx tsc --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 call.ts
  npx esbuild call.ts --bundle --format=esm --platform=node --outfile=call.mjs --log-level=error
  node call.mjs
}

openapi-python-client() {
  [ -d .venv ] || { python3 -m venv .venv && .venv/bin/pip install --quiet openapi-python-client; }
  .venv/bin/openapi-python-client generate --path "$document" --meta none --output-path made_client --overwrite
  made "$(.venv/bin/openapi-python-client --version | grep -o '[0-9.]*$')" made_client
  cat >call.py <<'PY'
import os
from made_client import AuthenticatedClient, Client
from made_client.api.sign_in import login
from made_client.api.student import list_students
from made_client.models import LoginInput

url = os.environ["HOMEROOM_URL"]
signed = login.sync(client=Client(url), body=LoginInput("admin@greenfield.test", "homeroom-demo"))
listed = list_students.sync(client=AuthenticatedClient(url, signed.data.access_token), limit=3)
print(f"listed {len(listed.data.items)} students")
PY
  .venv/bin/python call.py
}

# openapi_generator NAME OPTION...
openapi_generator() {
  mvn -q -B dependency:copy -Dartifact="org.openapitools:openapi-generator-cli:$release" -DoutputDirectory=..
  command java -jar "../openapi-generator-cli-$release.jar" generate -i "$document" -g "$1" -o client "${@:2}" \
    --global-property apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false,skipFormModel=false
}
java() {
  openapi_generator java --library native --additional-properties=apiPackage=made.api,modelPackage=made.model,invokerPackage=made
  made "openapi-generator $release" client/src/main
  cat >client/src/main/java/Call.java <<'JAVA'
import made.ApiClient;
import made.api.*;
import made.model.*;

public class Call {
  public static void main(String[] args) throws Exception {
    ApiClient c = new ApiClient();
    c.updateBaseUri(System.getenv("HOMEROOM_URL"));
    var in = new LoginInput().email("admin@greenfield.test").password("homeroom-demo");
    String token = new SignInApi(c).login(in, null).getData().getAccessToken();
    c.setRequestInterceptor(r -> r.header("Authorization", "Bearer " + token));
    var listed = new StudentApi(c).listStudents(null, 3, null, null, null, null, null, null, null);
    System.out.println("listed " + listed.getData().getItems().size() + " students");
  }
}
JAVA
  (cd client && mvn -q -B compile org.codehaus.mojo:exec-maven-plugin:3.5.0:java -Dexec.mainClass=Call)
}
dart() {
  openapi_generator dart
  made "openapi-generator $release" client/lib
  type -P dart >/dev/null || { echo "generated; not called, for want of a Dart SDK"; return; }
  (cd client && command dart pub get && command dart analyze lib)
}

# go_module TOOL: a module that has the generator.
go_module() {
  [ -f go.mod ] || go mod init call
  go get -tool "$1"
}
oapi-codegen() {
  go_module github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
  mkdir -p api
  go tool oapi-codegen -package api -generate types,client -o api/api.go "$document"
  made "$(go list -m -f '{{.Version}}' github.com/oapi-codegen/oapi-codegen/v2)" api
  cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"call/api"
)

func main() {
	ctx, limit := context.Background(), 3
	c, err := api.NewClientWithResponses(os.Getenv("HOMEROOM_URL"))
	if err != nil {
		panic(err)
	}
	in, err := c.LoginWithResponse(ctx, nil, api.LoginJSONRequestBody{Email: "admin@greenfield.test", Password: "homeroom-demo"})
	if err != nil {
		panic(err)
	}
	sign := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+*in.JSON200.Data.AccessToken)
		return nil
	}
	listed, err := c.ListStudentsWithResponse(ctx, &api.ListStudentsParams{Limit: &limit}, sign)
	if err != nil {
		panic(err)
	}
	fmt.Println("listed", len(listed.JSON200.Data.Items), "students")
}
GO
  go mod tidy && go run .
}
for name in "$@"; do
  mkdir -p "$work/$name"
  set +e
  (set -e; cd "$work/$name"; rm -f made; "$name") >"$work/$name.log" 2>&1
  status=$?
  set -e
  result=$(sed 's/\x1b\[[0-9;]*m//g; /^$/d' "$work/$name.log" | tail -1) # without Maven's colours
  [ $status = 0 ] || result="fails: $(grep -m 1 -iE 'error|invalid|unsupported|not implemented' "$work/$name.log" | tr -d '|`' | cut -c 1-160)"
  row="| $name | $(cat "$work/$name/made" 2>/dev/null || echo "- | -") | $result |"
  echo "$row"
  sed -i -e "/^| $name |/d" -e "/^<!-- end -->/i $(printf '%s' "$row" | sed 's/[\\&]/\\&/g')" "$page"
done
