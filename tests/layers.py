"""The layer check: tests/layers.py RULES [BUILD] - which room includes and calls which (RULES: tests/layers.txt).

Includes are read from the sources. Calls are read from the object files of BUILD, where there are any: a symbol that one room's
object leaves undefined and another's defines. Rows stand in layering order and may name only rooms of rows above, so what
passes has no circle between rooms. Prints one line per violation; the exit status is 1 if there is any.
"""
import collections
import os
import re
import subprocess
import sys

SOURCES = (".c", ".h", ".def", ".inc", ".cu", ".cuh")
PLUGINS = ("runtime/cpu", "runtime/cuda", "runtime/ranks")  # linked on their own: each sees its own symbols first


def read_rules(path):
    """{room: set of rooms and headers}, in order; complains about rows that name rooms of later rows."""
    rules, sets, errors = {}, {}, []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            room, *may = words
            allowed = set()
            for word in may:
                allowed |= sets[word] if word.startswith("$") else {word}
            if room.startswith("$"):
                sets[room] = allowed
                continue
            for word in sorted(allowed - set(rules)):
                if not word.endswith(".h") and not word.startswith("->"):
                    errors.append(f"{path}:{number}: {room} is above {word}, which has no row before")
            rules[room] = allowed
    return rules, errors


def source_files(rules):
    tops = sorted({room.split("/")[0] for room in rules})
    for top in tops:
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                if name.endswith(SOURCES):
                    yield os.path.join(folder, name)


def check_includes(rules, files):
    for path in files:
        room = os.path.dirname(path)
        if room not in rules:
            yield f"{path}: {room} has no row"
            continue
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if not include:
                    continue
                header = include[1]
                owner = os.path.dirname(header)
                declares = re.sub(r"\.def$", ".h", header)
                if owner not in rules[room] | {room} and declares not in rules[room]:
                    yield f"{path}:{number}: {room} may not include {header}"


def symbols(objects):
    """The symbols that each object defines and those that it leaves undefined."""
    output = subprocess.run(["nm", "-A", "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    defined, undefined = collections.defaultdict(list), collections.defaultdict(set)
    for line in output.splitlines():
        path, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        if kind in "TDBRCVW":
            defined[name].append(path)
    output = subprocess.run(["nm", "-A", "--undefined-only", *objects], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        path, _, rest = line.partition(":")
        undefined[path].add(rest.split()[-1])
    return defined, undefined


def unit_of(path):
    return next((plugin for plugin in PLUGINS if path.startswith(plugin)), "core")


def check_calls(rules, build, files):
    sources = {os.path.join(build, os.path.splitext(path)[0] + ".o"): path for path in files if path.endswith((".c", ".cu"))}
    objects = sorted(path for path in sources if os.path.exists(path))
    if not objects:
        return
    defined, undefined = symbols(objects)
    text_of = {}

    def declares(header, name):
        if header not in text_of:
            with open(header, encoding="utf-8") as f:
                text_of[header] = set(re.findall(r"\w+", f.read()))
        return name in text_of[header]

    for user in objects:
        room = os.path.dirname(sources[user])
        for name in sorted(undefined[user]):
            owners = [sources[path] for path in defined.get(name, [])]
            owners = [path for path in owners if unit_of(path) == unit_of(sources[user])] or \
                     [path for path in owners if unit_of(path) == "core"]
            for owner in owners[:1]:
                folder = os.path.dirname(owner)
                if folder == room or folder in rules.get(room, ()):
                    continue
                if "->" + name in rules.get(room, ()):
                    continue
                if not any(declares(header, name) for header in rules.get(room, ()) if header.endswith(".h")):
                    yield f"{sources[user]}: {room} may not call {name} of {owner}"


def main():
    path, *build = sys.argv[1:]
    rules, errors = read_rules(path)
    files = list(source_files(rules))
    errors += check_includes(rules, files)
    if build:
        errors += check_calls(rules, os.path.normpath(build[0]), files)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
