#!/usr/bin/python3
"""A window with nothing but a WebKit view, started by WebKitWebDriver, for `webkit.py`.

It runs under the system's Python, which has Debian's python3-gi. By a socket, whose path is the first argument, it
takes commands and tells what WebDriver does not: one JSON object a line, each way. WebKit itself writes the console
to the standard output.
"""
# ruff: noqa: E501

import json
import os
import socket
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gdk, GLib, Gtk, WebKit2  # noqa: E402

SOCKET, FOLDER = sys.argv[1:3]
connection = socket.socket(socket.AF_UNIX)
connection.connect(SOCKET)


def tell(event, **facts):
    connection.sendall(json.dumps({"event": event, **facts}).encode() + b"\n")


store = os.path.join(FOLDER, "data")  # a private context writes nothing to the console
data = WebKit2.WebsiteDataManager(base_data_directory=store, base_cache_directory=store)
context = WebKit2.WebContext.new_with_website_data_manager(data)
context.set_automation_allowed(True)
settings = WebKit2.Settings()
settings.set_enable_write_console_messages_to_stdout(True)
settings.set_hardware_acceleration_policy(WebKit2.HardwareAccelerationPolicy.NEVER)


def on_resource(_view, resource, _request):
    address = resource.get_uri()

    def finished(resource):
        answer = resource.get_response()
        if answer and answer.get_status_code() >= 400:
            tell("failed", url=address, reason=f"status {answer.get_status_code()}")

    tell("request", url=address)
    resource.connect("failed", lambda _, error: tell("failed", url=address, reason=error.message))
    resource.connect("finished", finished)


def on_download(_context, download):
    def place(download, name):
        path = os.path.join(FOLDER, name.replace("/", "_"))
        download.set_allow_overwrite(True)
        download.set_destination(f"file://{path}")
        download.path = path
        return True

    download.connect("decide-destination", place)
    download.connect("finished", lambda download: tell("saved", path=download.path))
    download.connect("failed", lambda _, error: tell("failed", url="", reason=error.message))


def on_permission(_view, request):
    tell("permission", kind=type(request).__name__)
    request.deny()
    return True


windows = []


def new_view(opener=None):
    if opener:
        tell("opened")
        view = WebKit2.WebView(related_view=opener, settings=settings)
    else:
        view = WebKit2.WebView(
            web_context=context, settings=settings, is_controlled_by_automation=True
        )
    view.connect("resource-load-started", on_resource)
    view.connect("permission-request", on_permission)
    view.connect("web-process-terminated", lambda _, why: tell("gone", reason=why.value_nick))
    view.connect("create", lambda view, _: new_view(view))
    window = Gtk.Window(decorated=False)
    window.set_default_size(1280, 800)
    window.add(view)
    window.show_all()
    view.connect("close", lambda _: window.destroy())
    view.grab_focus()
    windows.append(view)
    return view


first = new_view()


def on_automation(_context, session):
    """Give WebDriver the view that is there, and a new one from the second time on."""
    information = WebKit2.ApplicationInfo.new()
    information.set_name("window")
    information.set_version(1, 0, 0)
    session.set_application_info(information)
    unused = [first]
    session.connect("create-web-view", lambda _: unused.pop() if unused else new_view())


context.connect("automation-started", on_automation)
context.connect("download-started", on_download)


# --- commands ---
printing = []  # kept until they are done


def print_to(path):
    """Print the page as a person's own command does: `window.print` does nothing under automation."""
    operation = WebKit2.PrintOperation.new(first)
    wanted = Gtk.PrintSettings()
    wanted.set(Gtk.PRINT_SETTINGS_PRINTER, "Print to File")
    wanted.set(Gtk.PRINT_SETTINGS_OUTPUT_URI, f"file://{path}")
    wanted.set(Gtk.PRINT_SETTINGS_OUTPUT_FILE_FORMAT, "pdf")
    operation.set_print_settings(wanted)
    operation.set_page_setup(Gtk.PageSetup())
    operation.connect("finished", lambda _: tell("printed", path=path))
    operation.connect("failed", lambda _, error: tell("not printed", reason=error.message))
    printing[:] = [operation]
    operation.print_()


def picture_to(path, *, whole=False):
    def drawn(view, result):
        view.get_snapshot_finish(result).write_to_png(path)
        tell("drawn", path=path)

    region = WebKit2.SnapshotRegion.FULL_DOCUMENT if whole else WebKit2.SnapshotRegion.VISIBLE
    first.get_snapshot(region, WebKit2.SnapshotOptions.NONE, None, drawn)


def set_dark(on):
    Gtk.Settings.get_default().set_property("gtk-application-prefer-dark-theme", on)
    tell("set")


def set_scripts(on):
    settings.set_enable_javascript_markup(on)
    tell("set")


def set_third_party_cookies(on):
    policy = WebKit2.CookieAcceptPolicy
    accepted = policy.ALWAYS if on else policy.NO_THIRD_PARTY
    context.get_cookie_manager().set_accept_policy(accepted)
    data.set_itp_enabled(not on)
    tell("set")


def find(text):
    """Find a text below what is selected or found, as the browser's own command does."""
    controller = first.get_find_controller()

    def answered(is_found):
        for one in handlers:
            controller.disconnect(one)
        tell("found", found=is_found)

    handlers = [
        controller.connect("found-text", lambda *_: answered(is_found=True)),
        controller.connect("failed-to-find-text", lambda _: answered(is_found=False)),
    ]
    controller.search(text, WebKit2.FindOptions.WRAP_AROUND, 1)


def tell_copied():
    clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
    clipboard.request_text(lambda _, text: tell("copied", text=text))


COMMANDS = {
    "clipboard": tell_copied,
    "find": find,
    "tell all": lambda: tell("told"),
    "print": print_to,
    "picture": picture_to,
    "dark": set_dark,
    "scripts": set_scripts,
    "third party cookies": set_third_party_cookies,
}
lines = connection.makefile("r", encoding="utf-8")


def on_command(*_):
    line = lines.readline()
    if not line:
        Gtk.main_quit()
        return False
    command = json.loads(line)
    COMMANDS[command.pop("do")](**command)
    return True


set_third_party_cookies(True)
GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, on_command)
Gtk.main()
