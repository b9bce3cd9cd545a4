"""Every answer that a test gets is checked against the description, and every log for faults."""

import copy
from types import SimpleNamespace

import pytest

from tests.openapi import Description
from tests.people import Person
from tests.service import Service


@pytest.fixture
def person_with_description(service):
    """A function that returns a person whose service has this change in its description."""

    def person(change=lambda _: None):
        document = copy.deepcopy(service.description.document)
        change(document["paths"]["/healthz"]["get"]["responses"])
        return Person(SimpleNamespace(port=service.port, description=Description(document)))

    return person


def schema_of(responses):
    return responses["200"]["content"]["application/json"]


def test_a_described_answer_passes(person_with_description):
    assert person_with_description().get("/healthz").status == 200


def test_a_status_that_is_not_described_fails_the_test(person_with_description):
    with pytest.raises(AssertionError, match="status is not described"):
        person_with_description(lambda responses: responses.pop("200")).get("/healthz")


def test_a_media_type_that_is_not_described_fails_the_test(person_with_description):
    with pytest.raises(AssertionError, match="media type is not described"):
        person_with_description(lambda responses: responses["200"].pop("content")).get("/healthz")


def test_a_body_of_another_form_fails_the_test(person_with_description):
    with pytest.raises(AssertionError, match="not of type 'array'"):
        person_with_description(lambda one: schema_of(one).update(schema={"type": "array"})).get(
            "/healthz"
        )


def test_a_success_where_no_operation_is_described_fails_the_test(service):
    undescribed = SimpleNamespace(port=service.port, description=Description({"paths": {}}))
    with pytest.raises(AssertionError, match="is not described"):
        Person(undescribed).get("/healthz")


def test_an_internal_error_fails_the_test_that_does_not_expect_it(service):
    person = Person(service)
    person.exchange = lambda *_: SimpleNamespace(status=500)
    with pytest.raises(AssertionError):
        person.get("/healthz")


@pytest.mark.slow
def test_a_traceback_in_the_log_of_any_service_fails_the_test(tmp_path):
    class Failing(Service):
        program = ("-c", "import sys, app; sys.stderr.write('Traceback (most'); app.main()")

    service = Failing(tmp_path)
    assert service in Service.running
    with pytest.raises(AssertionError, match="Traceback"):
        service.check_log()
    service.close()
