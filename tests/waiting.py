"""Wait for events, run functions in threads, and compare how long two take."""

import math
import threading
import time


def until(condition, seconds=60):
    """Wait until the condition holds, and return its value; fail after so many seconds.

    The longer it takes, the more seldom it looks: asking a browser costs what the page needs.
    """
    began = time.monotonic()
    while not (value := condition()):
        waited = time.monotonic() - began
        assert waited < seconds, f"this did not happen within {seconds} s"
        time.sleep(min(0.005 + waited / 10, 0.1))
    return value


def start_threads(*functions):
    """Start a thread for each function, and return the threads."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    return threads


def join_threads(threads):
    for thread in threads:
        thread.join()


def run_in_threads(*functions):
    """Run each function in a thread of its own, and wait for all of them."""
    join_threads(start_threads(*functions))


def take_as_long(*actions, most=36):
    """Assert that two functions, which get the number of the round, take the same time.

    Load only adds to the shortest time of each: it comes down to what they need, round by round.
    """
    shortest = [math.inf, math.inf]
    for number in range(most):
        for which in (0, 1) if number % 2 else (1, 0):  # each follows itself at times
            began = time.perf_counter()
            actions[which](number)
            shortest[which] = min(shortest[which], (time.perf_counter() - began) * 1000)
        if number > 10 and abs(shortest[0] - shortest[1]) < max(5, 0.5 * shortest[0]):
            return
    raise AssertionError(f"The shortest of {most} times in milliseconds: {shortest}")
