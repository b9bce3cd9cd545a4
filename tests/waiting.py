"""Wait for events, and run functions in threads."""

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
