# SPDX-License-Identifier: Apache-2.0
"""The smallest part of a failing configuration that still fails equally."""

MOST_CHECKS = 150


def minimized(case, outcome):
    """Drops keys one by one, as long as the failure stays of its kind; the outcome of what is left.

    Keys that keep runs short go last.
    """
    checks = 0
    shrunk = True
    while shrunk and checks < MOST_CHECKS:
        shrunk = False
        for name in sorted(outcome.settings, key=lambda key: case.machine.hint(key).always):
            without = {key: value for key, value in outcome.settings.items() if key != name}
            checks += 1
            tried = case.check(without, outcome.failure)
            if tried.failure is not None and tried.failure.kind == outcome.failure.kind:
                tried.attempts = outcome.attempts
                outcome, shrunk = tried, True
            if checks >= MOST_CHECKS:
                break
    return outcome
