"""Counts the failures of a Schemathesis report by check, status and what the service said: fuzz_report.py FILE.ndjson."""

import base64
import collections
import json
import sys


def said(response: dict) -> str:
    """What the service found wrong, for an invalid case that it took: nothing."""
    try:
        body = json.loads(base64.b64decode(response["content"]["$base64"]))
        return "; ".join(f"{d['field']} {d['message']}" for d in body.get("details", [])) or body["message"]
    except (KeyError, TypeError, ValueError):
        return ""


cases, found = 0, collections.defaultdict(collections.Counter)
for line in open(sys.argv[1]):
    recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
    for case, checks in recorder.get("checks", {}).items():
        cases += 1
        response = recorder["interactions"].get(case, {}).get("response") or {}
        for check in checks:
            if check["status"] == "failure":
                found[check["name"], response.get("status_code"), said(response)][recorder["label"]] += 1
print(f"{cases} cases")
for (check, status, why), operations in sorted(found.items(), key=lambda f: -f[1].total()):
    print(f"{operations.total():6} {check} {status} {why[:120]}\n         {', '.join(sorted(operations))[:300]}")
