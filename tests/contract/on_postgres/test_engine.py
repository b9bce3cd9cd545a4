"""The services of this folder store where its name says."""


def test_people_here_talk_to_a_service_on_postgresql(alice, start_service):
    assert alice.service.settings["DATABASE"].startswith("postgresql://")
    assert start_service().settings["DATABASE"].startswith("postgresql://")
