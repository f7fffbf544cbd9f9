"""Runs one check on one file and compares what it says with the file's comments.

    check_file.py ... FILE CHECK [--option KEY=VALUE]... [-- CLANG-ARGS]

The stand-alone clang-tidy and the plugin in the stock clang-tidy both run, and
must agree. Expectations stand in the file, in clang-tidy's own manner:

    // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: ...   warnings, in order
    // CHECK-NOTES:    the same with every note
    // CHECK-FIXES:    a line of the file after --fix

A file without such comments must draw no report at all.
"""

import argparse
import json
import os
import re
import subprocess
import sys

EXPECTATION = re.compile(r"//\s*CHECK-(MESSAGES|NOTES|FIXES)\b.*")


def parse_arguments():
    own, clang = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, clang = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser()
    for name in ("tidy", "host", "plugin", "filecheck", "mock", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("file")
    parser.add_argument("check")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--header-filter", default="")
    result = parser.parse_args(own)
    result.clang = clang
    return result


class Failure(Exception):
    pass


def configuration(options):
    # One check runs: whichever profile it is of.
    pairs = [option.split("=", 1) for option in ["TorchProfiles=default;strict;perf", *options]]
    return json.dumps({"CheckOptions": [
        {"key": key, "value": value} for key, value in pairs]})


def run_tool(tool, args, copy, fix=False):
    command = tool + [
        "--checks=-*," + args.check, "--config=" + configuration(args.option),
        "--header-filter=" + args.header_filter, "--quiet"]
    command += ["--fix"] if fix else []
    # The copy lies elsewhere: what the file includes by a relative path stays
    # beside the original.
    command += [copy, "--", "-std=c++17", "-isystem", args.mock,
                "-I", os.path.dirname(args.file)] + args.clang
    done = subprocess.run(command, capture_output=True, text=True)
    if re.search(r": (fatal )?error: ", done.stdout):
        raise Failure("the input does not compile:\n" + done.stdout)
    if done.returncode not in (0, 1) or "PLEASE submit a bug report" in done.stderr:
        raise Failure(f"{command[0]} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def file_check(args, prefix, implicit_not, text):
    command = [args.filecheck, "--check-prefix=" + prefix, args.file]
    command += ["--implicit-check-not=" + implicit_not] if implicit_not else []
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{prefix} differ\n{done.stderr}\nthe tool said:\n{text}")


def check(args):
    with open(args.file) as source:
        text = source.read()
    expected = set(EXPECTATION.findall(text))
    if {"MESSAGES", "NOTES"} <= expected:
        raise Failure("use CHECK-MESSAGES or CHECK-NOTES, not both")

    os.makedirs(args.work, exist_ok=True)
    copy = os.path.join(args.work, os.path.basename(args.file))
    stripped = EXPECTATION.sub("//", text)

    def write():
        with open(copy, "w") as sink:
            sink.write(stripped)

    write()
    own = run_tool([args.tidy], args, copy)
    plugin = run_tool([args.host, "--load=" + args.plugin], args, copy)
    if own != plugin:
        raise Failure(f"stand-alone tool:\n{own}\nplugin:\n{plugin}\nThey differ.")

    said = own.replace(args.work + os.sep, "")
    if "NOTES" in expected:
        file_check(args, "CHECK-NOTES", "{{note|remark|warning|error}}:", said)
    elif "MESSAGES" in expected:
        file_check(args, "CHECK-MESSAGES", "{{remark|warning|error}}:", said)
    elif re.search(r": (remark|warning|error): ", said):
        raise Failure("this file must be silent:\n" + said)

    if "FIXES" in expected:
        run_tool([args.tidy], args, copy, fix=True)
        with open(copy) as fixed:
            file_check(args, "CHECK-FIXES", "", fixed.read())
        run_tool([args.tidy], args, copy)  # what was fixed compiles


def main():
    try:
        check(parse_arguments())
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
