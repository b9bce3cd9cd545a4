"""Real proxies in front of a service, by the lines of the documentation and of deploy/."""

import grp
import os
import pwd
import re
import shutil
import subprocess
from contextlib import contextmanager
from urllib.request import urlopen

from tests.requirements import skip_unless_required
from tests.service import ROOT, free_port
from tests.waiting import until

NGINX_FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@contextmanager
def running(port, *words, output=subprocess.DEVNULL, **options):
    """Run a program until it listens, and end it after the block."""
    process = subprocess.Popen(words, stdout=output, stderr=output, **options)

    def answers():
        assert process.poll() is None, words
        try:
            urlopen(f"http://127.0.0.1:{port}/").close()
        except OSError as error:
            return hasattr(error, "code")
        return True

    try:
        until(answers)
        yield
    finally:
        process.terminate()
        process.wait(20)


def documented(language, title):
    """The first block of a language below a heading of the page for operators."""
    section = (ROOT / "docs" / "operating.md").read_text().partition(f"### {title}\n")[2]
    return re.search(rf"```{language}\n(.*?)```", section, re.S)[1]


@contextmanager
def caddy(text, folder):
    """Run Caddy with a Caddyfile for one host; yields its port. It logs to `caddy.log`."""
    program = shutil.which("caddy") or skip_unless_required(
        "caddy", "no Caddy here: apt-get install caddy"
    )
    port = free_port()
    here = f"http://127.0.0.1:{port} "
    site, count = re.subn(r"^(docs\.example\.org|\{\$DOMAIN\}) ", here, text, flags=re.M)
    assert count == 1
    options = "{\n\tadmin off\n\tauto_https off\n"
    site = re.sub(r"^\{\n", options, site, count=1, flags=re.M)
    (folder / "Caddyfile").write_text(site)
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    words = program, "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"
    with (folder / "caddy.log").open("wb") as log, running(port, *words, output=log, env=home):
        yield port


def user():
    """The user and the group of this process, to whom the folder belongs."""
    return f"{pwd.getpwuid(os.getuid()).pw_name} {grp.getgrgid(os.getgid()).gr_name}"


@contextmanager
def nginx(text, folder):
    """Run nginx with lines of its block `http`; yields its port. It logs into the folder."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin") or skip_unless_required(
        "nginx", "no nginx here: apt-get install nginx-light"
    )
    port = free_port()
    text = re.sub(r"^ *ssl_certificate.*\n", "", text, flags=re.M)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = text.replace("/var/log/nginx", str(folder))
    folders = "\n".join(f"{name}_temp_path {folder}/{name};" for name in NGINX_FOLDERS)
    (folder / "nginx.conf").write_text(f"""
        user {user()}; daemon off; pid {folder}/pid; error_log {folder}/error.log;
        events {{}}
        http {{
            {folders}
            {text}
        }}""")
    words = program, "-c", folder / "nginx.conf", "-e", folder / "error.log"
    with (folder / "nginx.out").open("wb") as log, running(port, *words, output=log):
        yield port
