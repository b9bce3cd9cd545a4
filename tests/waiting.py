"""Wait for events, and run functions in threads."""

import threading
import time


def until(condition, seconds=60):
    """Wait until the condition holds, and return its value; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"this did not happen within {seconds} s"
        time.sleep(0.01)
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
