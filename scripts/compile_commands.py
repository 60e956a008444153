#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compile_commands.py: collect the commands of the last build for editors and analysers."""
import json
import os
import re

entries = []
for where, dirs, names in os.walk("."):
    dirs[:] = [d for d in dirs if d != ".git"]
    for name in names:
        if not name.endswith(".o.cmd"):
            continue
        with open(os.path.join(where, name), encoding="utf-8") as file:
            command = file.readline().split(" := ", 1)[1].strip()
        command = command.replace("$(pound)", "#").replace("$$", "$")
        source = re.search(r" -c -o (\S+) (\S+)$", command)
        if source:
            entries.append({"directory": os.getcwd(), "file": source[2], "output": source[1],
                            "command": command})
entries.sort(key=lambda entry: entry["output"])
with open("compile_commands.json", "w", encoding="utf-8") as file:
    json.dump(entries, file, indent=1)
    file.write("\n")
print(f"  {len(entries)} commands in compile_commands.json")
