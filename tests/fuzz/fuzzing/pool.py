# SPDX-License-Identifier: Apache-2.0
"""Cases side by side."""

import concurrent.futures


def results(one, numbers, jobs, expired):
    """Yields one(number) for all numbers, or for those begun until `expired()`, in the order in which they end."""
    numbers = iter(numbers)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = set()
        while True:
            while len(waiting) < 2 * jobs and not expired():
                number = next(numbers, None)
                if number is None:
                    break
                waiting.add(pool.submit(one, number))
            if not waiting:
                return
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                yield future.result()
