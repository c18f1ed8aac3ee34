"""`fas profile`: list the built-in profiles, or print one."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.profile import Profile, load_profile, profile_names, profile_text


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "profile", help="list or print run configurations", epilog="example: fas profile mini > my.toml"
    )
    parser.add_argument("name", nargs="?", metavar="NAME|FILE", help="print this profile (a file is checked first)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print names or one profile's TOML; returns the exit code."""
    if options.name is None:
        for name in profile_names():
            print(name)
        return 0
    profile = load_profile(options.name)
    if options.name in profile_names():
        print(profile_text(options.name), end="")
    else:
        _check_parts(profile)
        print(Path(options.name).read_text(encoding="utf-8"), end="")
    return 0


def _check_parts(profile: Profile) -> None:
    """Refuse parts that do not exist and options that they do not take, as a run would."""
    from fas.parts import detectors, extractors, verifiers

    extractors.check(profile.claims.name, profile.claims.options)
    verifiers.check(profile.verify.name, profile.verify.options)
    if profile.detect is not None:
        detectors.check(profile.detect.name, profile.detect.options)
    if profile.evidence is not None:
        _check_evidence(profile)


def _check_evidence(profile: Profile) -> None:
    from fas.parts import retrievers
    from fas.records.evidence_source import EvidenceSource

    asked = {"search", "ask"}  # read by the pipeline, whatever the source
    retrievers.check(EvidenceSource(profile.evidence or "").name, profile.evidence_options.keys() - asked)
