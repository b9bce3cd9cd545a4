"""viewer/sandbox/conversion_slots.py"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from viewer.sandbox import conversion_slots
from viewer.sandbox.conversion_slots import ConversionSlots, ConverterBusyError, available_memory


@pytest.mark.parametrize(("available", "most"), [(0, 1), (19, 1), (20, 2), (35, 3), (99, 4)])
def test_one_conversion_runs_always_and_more_where_memory_allows(available, most):
    slots = ConversionSlots(10, lambda: available)
    with ExitStack() as held:
        for _ in range(most):
            held.enter_context(slots.slot(0))
        with pytest.raises(ConverterBusyError), slots.slot(0):
            pass
    with slots.slot(0):
        pass


def test_who_waits_gets_the_place_of_one_that_ended():
    slots = ConversionSlots(10, lambda: 0)

    def convert():
        with slots.slot(60):
            return "converted"

    with ThreadPoolExecutor() as threads:
        with slots.slot(0):
            waiting = threads.submit(convert)
        assert waiting.result(60) == "converted"


def test_memory_is_that_of_the_machine_or_what_the_nearest_limit_of_a_cgroup_leaves(
    tmp_path, monkeypatch
):
    info = tmp_path / "meminfo"
    own = tmp_path / "cgroup"
    service = tmp_path / "system/service"
    for name, path in (("MEMORY_INFO", info), ("OWN_CGROUP", own), ("CGROUPS", tmp_path)):
        monkeypatch.setattr(conversion_slots, name, path)
    assert available_memory() > 0  # where the machine tells nothing of it

    info.write_text("MemTotal: 9 kB\nMemAvailable: 5 kB\n")
    own.write_text("4:memory:/old\n0::/system/service\n")
    assert available_memory() == 5 << 10

    service.mkdir(parents=True)
    for folder, limit in ((service, "max"), (service.parent, "4000")):
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text("3000\n")
        (folder / "memory.stat").write_text("anon 2900\ninactive_file 100\n")
    assert available_memory() == 1100
