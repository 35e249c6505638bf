"""Writes homeroom/operations.py: a TypedDict for every schema of the OpenAPI document and a method for every operation."""

import json
import keyword
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCUMENT = HERE / "../../internal/app/testdata/openapi.json"
OUT = HERE / "homeroom/operations.py"
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = dict[str, Any]


def snake(name: str) -> str:
    """listStudents → list_students, with an underscore behind words of Python."""
    name = re.sub(r"\W", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()
    return name + "_" if keyword.iskeyword(name) else name


def type_of(schema: Schema | bool) -> str:
    """The Python type of a schema, as an annotation."""
    if not isinstance(schema, dict):
        return "Any"
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(type_of(s) for s in schema[word]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(SCALARS.get(k, "Any") for k in kind)
    if kind == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        return "dict[str, Any]"
    if schema.get("format") == "binary":
        return "Upload"
    return SCALARS.get(kind, "Any")


def typed_dict(name: str, schema: Schema, schemas: dict[str, Schema]) -> str:
    """The declaration of a component. Types are strings, because they may name what is declared further down."""
    props, required = properties(schema, schemas)
    fields = (f"{key!r}: {repr(type_of(p)) if key in required else f'NotRequired[{type_of(p)!r}]'}" for key, p in props.items())
    return f"{name} = TypedDict({name!r}, {{" + ", ".join(fields) + "})"


def is_envelope(schema: Schema) -> bool:
    """Whether callers never see it: methods take and return what is in `data`."""
    return "allOf" in schema or set(schema.get("properties", {})) in ({"data"}, {"data", "message"})


def properties(schema: Schema, schemas: dict[str, Schema]) -> tuple[dict[str, Schema], set[str]]:
    """The properties of an object, also of one made of several, and which are required."""
    props, required = dict(schema.get("properties", {})), set(schema.get("required", []))
    for part in schema.get("allOf", []):
        if "$ref" in part:
            part = schemas[part["$ref"].rpartition("/")[2]]
        more, needed = properties(part, schemas)
        props |= more
        required |= needed
    return props, required


def unwrapped(schema: Schema, schemas: dict[str, Schema]) -> str:
    """The type of `data` in an envelope, or of the whole if it is none."""
    found = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
    props, _ = properties(found, schemas)
    return type_of(props["data"]) if "data" in props else type_of(schema)


def reply_of(op: Schema, schemas: dict[str, Schema]) -> str:
    for status in ("200", "201", "202"):
        content = op["responses"].get(status, {}).get("content", {})
        if "application/json" in content:
            return unwrapped(content["application/json"]["schema"], schemas)
        if content:
            return "Download"
    return "None"


def method(verb: str, path: str, op: Schema, schemas: dict[str, Schema]) -> str:
    """The method of one operation: path parameters, the body, then filters by name."""
    args, query, calls = ["self"], [], [repr(verb.upper())]
    params = [p for p in op.get("parameters", []) if p["in"] in ("path", "query")]
    for p in (p for p in params if p["in"] == "path"):
        args.append(f"{snake(p['name'])}: {type_of(p['schema'])}")
        path = path.replace("{" + p["name"] + "}", "{segment(" + snake(p["name"]) + ")}")
    calls.append(("f" if "{" in path else "") + json.dumps(path))
    content = op.get("requestBody", {}).get("content", {})
    optional = "" if op.get("requestBody", {}).get("required") else " | None = None"
    if "multipart/form-data" in content:
        args.append(f"form: {type_of(content['multipart/form-data']['schema'])}")
        calls.append("form=dict(form)")
    elif "application/json" in content:
        args.append(f"body: {unwrapped(content['application/json']['schema'], schemas)}{optional}")
        calls.append("body=body")
    if verb in ("post", "put") and not path.startswith("/auth/"):
        query.append("key: str | None = None")
        calls.append("key=key")
    filters = [p for p in params if p["in"] == "query"]
    for p in filters:
        query.append(f"{snake(p['name'])}: {type_of(p['schema'])}" + ("" if p["required"] else " | None = None"))
    if filters:
        calls.append("query={" + ", ".join(f"{p['name']!r}: {snake(p['name'])}" for p in filters) + "}")
    args += ["*", *query] if query else []
    reply = reply_of(op, schemas)
    call = "self._download" if reply == "Download" else "self._call"
    return (
        f"    def {snake(op['operationId'])}({', '.join(args)}) -> {reply}:\n"
        f"        {op['summary']!r}\n"
        f"        return {call}({', '.join(calls)})\n"
    )


def main() -> None:
    document = json.loads(DOCUMENT.read_text())
    schemas = document["components"]["schemas"]
    lines = [
        f'"""{document["info"]["title"]}: generated by generate.py from the OpenAPI document."""',
        "from __future__ import annotations\n",
        "from typing import Any, Literal, NotRequired, TypedDict\n",
        "from .transport import Download, Transport, Upload, segment\n",
        *(typed_dict(name, schema, schemas) for name, schema in schemas.items() if not is_envelope(schema)),
        "\n\nclass Operations(Transport):",
        *(method(verb, path, op, schemas) for path, verbs in document["paths"].items() for verb, op in verbs.items()),
    ]
    OUT.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
