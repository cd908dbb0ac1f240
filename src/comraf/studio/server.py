"""The server of the studio: one project, one page, at this machine's own address."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from comraf.errors import ComrafError, InputError, WriteError
from comraf.session import StaleError
from comraf.store import acquire, release
from comraf.studio.guard import FILE, Guard, is_local
from comraf.studio.routes import ROUTES
from comraf.studio.view import View
from comraf.studio.wording import on_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comraf.workflows.project import Project

__all__ = ["PORT", "Studio", "make_app"]

#: Where the studio is, if that is free.
PORT = 8470
_LOCK = "studio.lock"
_TRIES = 20
_MOST_WAITING = 128


def make_app(view: View, secret: Callable[[], str]) -> Starlette:
    """The app with its routes; errors are sentences, never tracebacks."""

    def endpoint(answer: Callable[[View, dict[str, Any]], Any]) -> Callable[..., Any]:
        async def called(request: Request) -> Response:
            given: dict[str, Any] = {**request.query_params, **request.path_params}
            if request.headers.get("content-type") == FILE:
                given["file"] = await request.body()
            elif request.method == "POST":
                try:
                    body = json.loads(await request.body() or b"{}")
                except (ValueError, RecursionError):
                    return JSONResponse({"error": "this is no JSON"}, 400)
                if not isinstance(body, dict):
                    return JSONResponse({"error": "give an object"}, 400)
                given |= body
            return await run_in_threadpool(_answered, view, answer, given)

        return called

    routes = [
        Route(path, endpoint(answer), methods=[method]) for (method, path), answer in ROUTES.items()
    ]
    here = Path(__file__).parent
    app = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=here / "static"))],
        exception_handlers={Exception: _fault},
    )
    view.secret = secret
    return app


def _answered(
    view: View, answer: Callable[[View, dict[str, Any]], Any], given: dict[str, Any]
) -> Response:
    """What a route says; one at a time, since the session is one file."""
    try:
        with view.lock:
            found = answer(view, given)
    except StaleError as error:
        since = [{"kind": e.kind, "who": e.who, "at": e.at} for e in error.since]
        return JSONResponse({"error": on_page(error), "stale": True, "since": since}, 409)
    except InputError as error:
        return JSONResponse({"error": on_page(error)}, 400)
    except (ComrafError, OSError) as error:
        return JSONResponse({"error": on_page(error)}, 500)
    return found if isinstance(found, Response) else JSONResponse(found)


async def _fault(request: Request, error: Exception) -> Response:
    """A fault of comraf's own: said, not shown."""
    return JSONResponse({"error": f"{on_page(error)}; nothing was changed"}, 500)


class Studio:
    """A studio, alone with its project within a ``with`` block.

    Parameters
    ----------
    project : Project
    host : str
        Another address than this machine's own needs a password.
    port : int, optional
        Without one, the first that is free from `PORT` on.
    password : str
    """

    def __init__(
        self,
        project: Project,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        password: str = "",
    ) -> None:
        if not is_local(host) and not password:
            raise InputError(
                "{given} lets other machines in; give a password with {p[password_file]}",
                "host",
                host,
            )
        self.project, self._open = project, ExitStack()
        self._socket = _listening(host, port)
        self.port = int(self._socket.getsockname()[1])
        self.view = View(project)
        self.guard = Guard(None, host, self.port, password)
        self.guard.app = make_app(self.view, lambda: self.guard.secret)

    @property
    def address(self) -> str:
        """What a browser has to open."""
        return self.guard.address

    def __enter__(self) -> Studio:
        self._open.enter_context(_alone(self.project.folder, self.address.partition("?")[0]))
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def run(self) -> None:
        """Serve until Ctrl-C, or until the process is told to end."""
        import uvicorn

        config = uvicorn.Config(
            self.guard,
            log_level="error",
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=_MOST_WAITING,
            timeout_graceful_shutdown=2,
        )
        threading.Thread(target=self._index, daemon=True).start()
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[self._socket])

    def _index(self) -> None:
        """Get ready what takes a while, the search above all; the page can be used already."""
        with suppress(OSError, ComrafError):
            self.view.warm()
        with suppress(OSError, ComrafError):  # without one there is no search, and the page says so
            if not self.view.index.is_ready():
                self.view.index.build()


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket at a port that is free."""
    ports = range(PORT, PORT + _TRIES) if port is None else [port]
    for number in ports:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(_MOST_WAITING)
        except OSError as error:
            listening.close()
            last = error
            continue
        return listening
    if port is None:
        raise WriteError(f"no port from {PORT} to {PORT + _TRIES - 1} is free; name one")
    raise WriteError(
        "{given} can't be used ({why}); name another one, or none to have one chosen",
        "port",
        port,
        why=last.strerror or last,
    )


@contextmanager
def _alone(folder: Path, address: str) -> Iterator[None]:
    """Be the only studio of a project; another one is told where the first is."""
    place = folder / _LOCK
    try:
        lock = acquire(place, make=True)
    except BlockingIOError:
        where = ""
        with suppress(OSError, UnicodeDecodeError):
            where = place.read_text(encoding="utf-8").strip()
        raise WriteError(
            f"{folder}: is open in another studio{f' at {where}' if where else ''}; use that one, "
            "or stop it with Ctrl-C"
        ) from None
    try:
        with suppress(OSError):
            place.write_text(address, encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            place.unlink()
        release(lock)
