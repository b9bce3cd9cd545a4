"""Each setting works, or stops the start with a sentence that names it and shows no secret."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from settings import PREFIX, Settings, WrongSetting, read_settings, unknown_names

HOME = Path("/nowhere")
SECRET = "Hq7zWk2rVb9x"
NUMBERS = {name: one for name, one in Settings.__annotations__.items() if one in (int, int | None)}
NONSENSE = {  # of every setting that is no free text
    "blanks": "   ",
    "a control character": "a\x07b",
    "a line end": "on\noff",
    "bytes that are no UTF-8": "\udcff",
    "a NUL": "a\0b",
    "another type": "{'a': 1}",
    "a list": "on,off",
    "a secret": SECRET,
}
FREE_TEXT = {  # what takes nearly every text -> what of the above it takes
    "instance_path": {"another type", "a list", "a secret"},
    "database": {"another type", "a list", "a secret"},
    "keyring_file": {"another type", "a list", "a secret"},
    "keyring_command": {"another type", "a list", "a secret"},
    "keyring": {"another type", "a list", "a secret", "a control character", "a line end"},
    "brand_name": {"another type", "a list", "a secret"},
    "oidc_name": {"another type", "a list", "a secret"},
    "oidc_client_id": {"another type", "a list", "a secret"},
    "oidc_client_secret": {"another type", "a list", "a secret"},
}
IN_FILES = {  # the settings that are secrets, which may lie in a file, with a value
    "database": "postgresql://docs@localhost/docs",
    "smtp_url": "smtp://localhost?from=docs@example.org",
    "oidc_client_secret": SECRET,
}
BESIDE_FILES = {  # what these settings need
    "smtp_url": {"BASE_URL": "https://docs.example.org"},
    "oidc_client_secret": {
        "BASE_URL": "https://docs.example.org",
        "OIDC_ISSUER": "https://login.example.org",
        "OIDC_CLIENT_ID": "documents",
    },
}
SLIPS = [  # of the pen, in an address that holds a secret
    f"docs:{SECRET}@db.example.org/docs",
    f"docs:{SECRET}@smtp.example.org:587",
    f"docs:{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"postgresql:/docs:{SECRET}@db.example.org/docs",
    f"postgresql//docs:{SECRET}@db.example.org/docs",
    f"postgresql://docs:{SECRET}db.example.org/docs",
    f"postgresql://docs:{SECRET}/db.example.org/docs",
    f"postgresql://docs:{SECRET}@@db.example.org/docs",
    f"postgresql://docs:p@{SECRET}@db.example.org/docs",
    f"postgresql://docs:/{SECRET}@db.example.org/docs",
    f"postgresql://docs:?{SECRET}@db.example.org/docs",
    f"postgresql://docs:#{SECRET}@db.example.org/docs",
    f"postgresql://docs:100%{SECRET}@db.example.org/docs",
    f"postgresql://docs:{SECRET} @db.example.org/docs",
    f"postgresql://docs:{SECRET}@db.example.org:port/docs",
    f"postgresql://db.example.org/docs?password={SECRET}=",
    f"host=db.example.org user=docs password={SECRET} dbname=docs",
    f"mysql://docs:{SECRET}@db.example.org/docs",
    f"smtp:/docs:{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"smtp//docs:{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"stmp://docs:{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"smtp://docs:{SECRET}@smtp.example.org:587",
    f"smtp://docs:{SECRET}@smtp.example.org:587000?from=docs@example.org",
    f"smtp://docs:/{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"smtp://docs:?{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"smtp://docs:#{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"smtp://docs:{SECRET}smtp.example.org:587?from=docs@example.org",
    f"smtp://docs:{SECRET}@smtp.example.org:587?form=docs@example.org",
    f"smtp://docs:{SECRET}@smtp.example.org:465?from=docs@example.org",
    f"smtps://docs:{SECRET}@smtp.example.org:587?from=docs@example.org",
    f"smtp://docs:{SECRET}@smtp.example.org?from=docs@example.org&tls=off",
    f"smtp://smtp.example.org?from=docs@example.org&password={SECRET}",
    f"https://docs:{SECRET}@docs.example.org",
    f"s3://key:{SECRET}@bucket",
    f"docroot_{SECRET}{'a' * 37}",
]


def read(**given):
    return read_settings({}, given, HOME)


def refusal(**given):
    """The sentence by which settings are refused; None if they are taken."""
    try:
        read(**given)
    except WrongSetting as error:
        return error.message
    return None


EVERY = pytest.mark.parametrize("setting", fields(Settings), ids=lambda one: one.name)


@EVERY
def test_nonsense_stops_the_start_and_names_the_setting(setting):
    name = setting.name.upper()
    for kind in NONSENSE.keys() - FREE_TEXT.get(setting.name, set()):
        said = refusal(**{name: NONSENSE[kind]})
        assert said is not None, kind
        assert f"{PREFIX}{name} " in said, kind
        assert SECRET not in said, kind


@EVERY
@pytest.mark.parametrize("value", [{"a": 1}, ["on"], True, 1.5, b"on", object], ids=repr)
def test_a_value_of_another_type_stops_the_start_and_names_the_setting(setting, value):
    name = setting.name.upper()
    assert f"{PREFIX}{name} takes a text, a whole number or a path" in refusal(**{name: value})


@EVERY
@pytest.mark.parametrize("by", ["the environment", "the program"])
def test_the_form_with_file_works_or_stops_the_start_and_names_the_setting(setting, by, tmp_path):
    name = setting.name.upper()
    (path := tmp_path / "value").write_text(f"{IN_FILES.get(setting.name, 'on')}\n")
    beside = BESIDE_FILES.get(setting.name, {})
    given = {f"{name}_FILE": str(path), **beside}

    def settings():
        if by == "the program":
            return read(**given)
        return read_settings({PREFIX + one: given[one] for one in given}, {}, HOME)

    if setting.name in IN_FILES:
        assert getattr(settings(), setting.name) != setting.default
        return
    if f"{setting.name}_file" in Settings.__annotations__:  # a setting of its own
        assert getattr(settings(), f"{setting.name}_file") == path
        return
    with pytest.raises(WrongSetting, match=f"{PREFIX}{name}_FILE is no setting"):
        settings()


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_a_whole_one_in_digits(name):
    for given in ("-1", "1.5", "1e3", "0x10", " 1", "1 ", "99999999999999", "½", "١"):
        assert f"{PREFIX}{name.upper()} " in refusal(**{name.upper(): given}), given


@EVERY
def test_an_empty_value_is_as_none(setting):
    empty = read(**{setting.name.upper(): ""})
    assert getattr(empty, setting.name) == getattr(read(), setting.name)


@EVERY
def test_a_slip_of_the_pen_shows_no_secret(setting):
    paths = {"database", "instance_path", "keyring_file"}
    takes_any_text = setting.name in FREE_TEXT.keys() - paths
    for slip in SLIPS:
        said = refusal(**{"BASE_URL": "https://docs.example.org", setting.name.upper(): slip})
        assert said is not None or takes_any_text, slip
        assert SECRET not in (said or ""), slip


def test_the_settings_themselves_show_no_secret():
    address = f"postgresql://docs:{SECRET}@db.example.org/docs"
    assert SECRET not in repr(read(DATABASE=address, KEYRING=SECRET))


ADDRESSES_OF_SERVERS = [
    "postgresql://docs@localhost/docs",
    "postgres://docs:secret@db.example.org:5432/docs?sslmode=require",
    "postgresql://docs:p%40ss%2Fw%25rd@db.example.org/docs",
    "postgresql:///docs?host=/run/postgresql",
    "postgresql://docs@%2Frun%2Fpostgresql/docs",
    "postgresql://docs@[::1]:5432/docs",
    "postgresql://docs@one.example.org:5432,two.example.org/docs?target_session_attrs=primary",
    "postgresql://docs@database/docs?passfile=/run/secrets/pgpass",
]


@pytest.mark.parametrize("address", ADDRESSES_OF_SERVERS)
def test_an_address_of_a_database_server_is_taken_as_libpq_has_it(address):
    assert read(DATABASE=address).database == address


@pytest.mark.parametrize("path", ["a.sqlite", "@data/a.sqlite", "/srv/a b/c.sqlite", "postgres.db"])
def test_a_path_of_a_database_is_taken(path):
    assert read(DATABASE=path).database == str(HOME / "instance" / path)
    assert read(DATABASE=f"sqlite:///{path}").database == read(DATABASE=path).database


PROXIES = {
    "127.0.0.1": ["127.0.0.1/32"],
    "10.0.0.0/8": ["10.0.0.0/8"],
    "10.1.0.2, 172.18.0.0/16,::1": ["10.1.0.2/32", "172.18.0.0/16", "::1/128"],
    "::ffff:127.0.0.1": ["127.0.0.1/32"],
    "::ffff:10.0.0.0/104": ["10.0.0.0/8"],
    "2001:db8::/32": ["2001:db8::/32"],
}
NO_PROXIES = [
    "localhost",
    "proxy.example.org",
    "300.1.1.1",
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0.1-10.0.0.9",
    "10.0.0.1 10.0.0.2",
    "10.0.0.1;10.0.0.2",
    "10.0.0.1,",
    ",",
    "10.0.0.1,localhost",
    "10.0.0.1:80",
    "[::1]",
    "2130706433",
    "*",
    "*,10.0.0.1",
    "0.0.0.0",
    "::",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.1,0.0.0.0/0",
    "0.0.0.0/1,128.0.0.0/1",
    "::ffff:0:0/96",
    "::ffff:0.0.0.0/96",
    "224.0.0.1",
    "fe80::1%eth0",
    "true",
    "on",
]


@pytest.mark.parametrize(("given", "networks"), PROXIES.items())
def test_trusted_proxies_are_addresses_networks_and_lists_of_them(given, networks):
    assert [str(one) for one in read(TRUSTED_PROXY=given).trusted_proxy.given] == networks


@pytest.mark.parametrize("given", NO_PROXIES)
@pytest.mark.parametrize("more", [{}, {"AUTH_HEADER": "Remote-Email"}], ids=["", "with a header"])
def test_what_is_no_proxy_or_everybody_stops_the_start(given, more):
    assert f"{PREFIX}TRUSTED_PROXY " in refusal(TRUSTED_PROXY=given, **more)


def test_of_a_unix_socket_all_are_trusted_and_no_address_is():
    socket = {"LISTEN": "unix:/run/docs.socket"}
    assert read(TRUSTED_PROXY="*", **socket).trusted_proxy.all
    assert read(TRUSTED_PROXY="*,10.0.0.0/8", **socket).trusted_proxy.all
    assert "takes * where" in refusal(TRUSTED_PROXY="127.0.0.1", **socket)


@pytest.mark.parametrize(
    "network", ["203.0.113.0/24", "8.8.0.0/16", "100.64.0.0/10", "10.0.0.0/7", "2001:db8::/32"]
)
def test_a_network_that_is_not_private_may_not_name_people(network):
    sentence = f"Whoever connects from {network} can log in as anybody: give the proxy a network"
    assert sentence in refusal(TRUSTED_PROXY=f"127.0.0.1,{network}", AUTH_HEADER="Remote-Email")
    assert read(TRUSTED_PROXY=network).trusted_proxy


def test_a_private_network_that_names_people_is_told_of_and_an_address_is_not():
    given = {"TRUSTED_PROXY": "172.18.0.0/16,127.0.0.1,203.0.113.7", "AUTH_HEADER": "Remote-Email"}
    assert list(read(**given).notes()) == [
        "Whoever connects from 172.18.0.0/16 can log in as anybody: give the proxy a network of "
        "its own."
    ]
    assert list(read(TRUSTED_PROXY="172.18.0.0/16").notes()) == []


HEADERS_OF_OTHERS = """
Cookie Host Authorization X-API-Key Forwarded X-Forwarded-For X-Forwarded-Proto X-Forwarded-Host
X-Forwarded-Port X-Forwarded-Prefix Content-Length Content-Type Content-Anything cookie HOST
x-forwarded-for Remote_Email Remote-Email,X-Email Remote-Email: -Email
"""


@pytest.mark.parametrize("name", HEADERS_OF_OTHERS.split())
def test_a_header_that_means_something_else_names_nobody(name):
    assert f"{PREFIX}AUTH_HEADER " in refusal(AUTH_HEADER=name, TRUSTED_PROXY="127.0.0.1")


@pytest.mark.parametrize(
    "name",
    ["Remote-Email", "X-Forwarded-Email", "X-Forwarded-User", "Tailscale-User-Login", "X-Email"],
)
def test_a_header_of_the_proxys_own_names_people(name):
    assert read(AUTH_HEADER=name, TRUSTED_PROXY="127.0.0.1").auth_header == name


@pytest.mark.parametrize("path", ["/docs", "/docs/", "//", "/a/b"])
def test_a_path_in_the_public_address_stops_the_start(path):
    said = refusal(BASE_URL=f"https://example.org{path}")
    assert said.endswith(
        "Other applications of this host could act for your users. Give the service a host name of "
        "its own."
    )


NO_ADDRESSES = """
https:// https:///x docs.example.org ftp://docs.example.org https://a.example,https://b.example
https://a.example,b.example https://a_b:c@example.org https://example.org?a=b https://example.org#a
https://example.org:0 https://example.org:70000 https://example.org:port https://[::1 https://[x]
https://1.2.3.400 https://[fe80::1%25eth0] https://[fe80::1%eth0]
"""


@pytest.mark.parametrize("address", NO_ADDRESSES.split())
def test_a_public_address_is_one_host_by_http_or_https(address):
    assert f"{PREFIX}BASE_URL " in refusal(BASE_URL=address)


@pytest.mark.parametrize("address", ["https://docs.example.org", "http://[::1]:8000", "http://x"])
def test_a_slash_behind_the_public_address_is_dropped(address):
    assert read(BASE_URL=f"{address}/").base_url == read(BASE_URL=address).base_url == address


def test_the_public_address_is_in_the_form_in_which_browsers_name_an_origin():
    assert read(BASE_URL="HTTPS://Docs.Example.ORG:443/").base_url == "https://docs.example.org"
    assert read(BASE_URL="http://x:80").base_url == "http://x"
    assert read(BASE_URL="http://x:443").base_url == "http://x:443"
    assert read(BASE_URL="https://docs.example.org:").base_url == "https://docs.example.org"
    assert read(BASE_URL="https://docs.example.org:0443").base_url == "https://docs.example.org"
    assert read(BASE_URL="https://[2001:DB8::0:1]:8443").base_url == "https://[2001:db8::1]:8443"


@pytest.mark.parametrize(
    "place",
    ["127.0.0.1", "127.0.0.1:a", "127.0.0.1:70000", "a:1,b:2", "a b:1", "unix:", "unix:/", ":80"]
    + [f"docs:{SECRET}@smtp.example.org:587"],
)
def test_a_place_to_listen_at_is_a_host_with_a_port_or_a_socket(place):
    assert f"{PREFIX}LISTEN " in refusal(LISTEN=place)


@pytest.mark.parametrize("place", ["*:80", "localhost:1", "[::1]:0", "::1:8000", "unix:/run/a b"])
def test_each_form_of_a_place_to_listen_at_is_taken(place):
    assert read(LISTEN=place).listen == place


PUBLIC = {"BASE_URL": "https://docs.example.org"}


@pytest.mark.parametrize(
    ("given", "is_open"),
    [
        (PUBLIC, True),
        ({"LISTEN": "0.0.0.0:8000"}, True),
        ({"LISTEN": "*:8000"}, True),
        ({"BASE_URL": "http://203.0.113.9"}, True),
        ({}, False),
        ({"BASE_URL": "http://localhost:8000"}, False),
        ({"BASE_URL": "http://192.168.1.5:8000", "LISTEN": "0.0.0.0:8000"}, False),
        ({"BASE_URL": "http://nas.local"}, False),
        ({"BASE_URL": "http://nas"}, False),
        ({"LISTEN": "unix:/run/docs"}, False),
        (PUBLIC | {"REGISTRATION": "first"}, False),
        (PUBLIC | {"REGISTRATION": "closed"}, False),
        (PUBLIC | {"QUOTA_BYTES": "1000"}, False),
        (PUBLIC | {"QUOTA_DOCUMENTS": "1000"}, False),
    ],
)
def test_a_public_service_where_anybody_may_store_without_a_limit_is_known(given, is_open):
    assert read(**given).is_open_to_the_public is is_open


def test_a_name_that_is_no_setting_is_told():
    given = {"DOCSERVICE_BASEURL": "x", "DOCSERVICE_BASE_URL": "x", "DOCSERVICE_DATABASE_FILE": "x"}
    assert list(unknown_names(given)) == ["DOCSERVICE_BASEURL is no setting, and does nothing."]


def test_every_refusal_is_one_sentence_without_the_value():
    said = refusal(TRUSTED_PROXY="proxy.example.org")
    assert re.fullmatch(r"DOCSERVICE_TRUSTED_PROXY cannot be used as it is; it takes .*\.", said)


def test_what_comes_in_pieces_may_be_as_large_as_what_comes_at_once():
    config = {"MAX_DOCUMENT_BYTES": 1000, "MAX_UPLOAD_BYTES": 999}
    with pytest.raises(WrongSetting, match="MAX_UPLOAD_BYTES is 999, below .*MAX_DOCUMENT_BYTES"):
        read_settings({}, config, HOME)
    same = read_settings({}, config | {"MAX_UPLOAD_BYTES": 1000}, HOME)
    assert same.max_upload_bytes == 1000
    with pytest.raises(WrongSetting, match="MAX_UPLOAD_BYTES"):
        read_settings({}, {"MAX_UPLOAD_BYTES": 10**12 + 1}, HOME)
    with pytest.raises(WrongSetting, match="UPLOAD_SECONDS"):
        read_settings({}, {"UPLOAD_SECONDS": 59}, HOME)


def test_rows_of_a_server_take_no_larger_files_in_pieces_unless_somebody_says_so():
    server = {"DATABASE": "postgresql://docs@localhost/docs"}
    settings = read_settings({}, server, HOME)
    assert settings.max_upload_bytes == settings.max_document_bytes
    assert read_settings({}, server | {"PAYLOADS": "s3://docs"}, HOME).max_upload_bytes == 16 << 30
    given = read_settings({}, server | {"MAX_UPLOAD_BYTES": 10**9}, HOME)
    assert given.max_upload_bytes == 10**9
    assert read_settings({}, {}, HOME).max_upload_bytes == 16 << 30
