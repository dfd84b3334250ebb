"""Starting and stopping the local engine (ministack), for the local stack and for tests.

    with Engine() as engine:                       # storage only: empty, forgotten at the end
        os.environ.update(engine.environment)      # every botocore session now talks to it
        create_tables(engine.endpoint)             # infra.local.storage

SIGTERM makes the engine save everything it holds; a killed engine loses every write since it was started.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Final

from infra.project import ROOT

REGION: Final = "us-east-1"
HOST: Final = "127.0.0.1"
HIGHEST_PORT: Final = 65_535

_PYTHON: Final = ROOT / ".venv-engine" / "bin" / "python"
_TEMPORARY: Final = "tmp"
_PORTS_TRIED: Final = 100
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 60.0


class EngineFailed(Exception):
    """The engine did not start or stop; the message ends with the tail of its log."""


class PortRefused(Exception):
    """This machine does not give the port; the message says which and why."""


class Engine(AbstractContextManager["Engine"]):
    """One engine process.

    `home` is the folder for its state, which outlives it; None gives a scratch folder and no persistence. `port` 0
    takes any free port. `enforce_iam` makes it check the policies of function roles, which costs a little at each call.
    """

    def __init__(self, home: Path | None = None, port: int = 0, *, enforce_iam: bool = False) -> None:
        self._scratch = Path(tempfile.mkdtemp(prefix="zeitnot-engine-")) if home is None else None
        self.home = home or self._scratch or Path()
        self.port = port or free_port()
        self._persist = home is not None
        self._enforce_iam = enforce_iam
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead botocore, and so PynamoDB and boto3, to this engine as its root user."""
        return environment_for(self.endpoint)

    @property
    def pid(self) -> int:
        if self._process is None:
            raise EngineFailed("the engine is not running")
        return self._process.pid

    @property
    def log_path(self) -> Path:
        return self.home / "engine.log"

    @property
    def has_died(self) -> bool:
        """The process ended without being asked to."""
        return self._process is not None and self._process.poll() is not None

    def start(self) -> Engine:
        """Start the process and return at once; `wait_until_ready` says when it answers."""
        if not _PYTHON.exists():
            raise EngineFailed("the engine is not installed: run `make venv`")
        self.home.mkdir(parents=True, exist_ok=True)
        retire_orphan(self.home)
        for leftover in self.home.glob(f"{_TEMPORARY}*"):
            discard(leftover)
        self._temporary.mkdir()
        self._rewind_streams()
        with self.log_path.open("wb") as log:
            # A session of its own: Ctrl-C in the terminal reaches us, and we stop the engine when all else is done.
            self._process = subprocess.Popen(
                [_PYTHON, "-m", "ministack"],
                env=self._process_environment(),
                cwd=self._temporary,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._pid_path.write_text(json.dumps({"pid": self._process.pid, "port": self.port}))
        return self

    def wait_until_ready(self) -> None:
        """Raises EngineFailed if the engine ends, or does not answer in half a minute."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self.has_died or time.monotonic() > deadline:
                self.kill()
                raise EngineFailed(f"the engine did not start\n{self._log_tail()}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End the process in peace; with a home, everything is saved first. Harmless if it has ended already."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired as slow:
            self.kill()
            raise EngineFailed(f"the engine had to be killed, what it held is lost\n{self._log_tail()}") from slow
        self._ended()

    def kill(self) -> None:
        """End the process as a power cut would: nothing is saved."""
        if self._process is not None:
            _kill_session(self._process.pid)
            self._process.wait()
            self._ended()

    def _ended(self) -> None:
        # Lambda workers are in the engine's session and outlive it if it had no time to end them.
        if self._process is not None:
            _kill_session(self._process.pid)
        self._process = None
        self._pid_path.unlink(missing_ok=True)
        discard(self._temporary)

    def __enter__(self) -> Engine:
        self.start()
        self.wait_until_ready()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._scratch is not None:
            discard(self._scratch)

    def _rewind_streams(self) -> None:
        """Let consumers of streams start from the beginning of what the engine remembers, which is nothing.

        It saves how many records a consumer has read, but not the records: after a restart it would pass over as many
        new ones (seen with ministack 1.5.33).
        """
        path = self._saved / "lambda.json"
        if path.exists():
            saved = json.loads(path.read_text())
            saved["payload"].get("dynamodb_stream_positions", {}).get("data", {}).clear()
            path.write_text(json.dumps(saved))

    @property
    def _saved(self) -> Path:
        return self.home / "engine"

    @property
    def _temporary(self) -> Path:
        return self.home / _TEMPORARY

    @property
    def _pid_path(self) -> Path:
        return _pid_path(self.home)

    def _process_environment(self) -> dict[str, str]:
        """A clean environment: Lambda workers inherit it, and must find nothing that AWS would not give them."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._temporary),
            "TMPDIR": str(self._temporary),
            "LANG": "C.UTF-8",
            "BIND_HOST": HOST,
            "GATEWAY_PORT": str(self.port),
            "MINISTACK_HOST": HOST,
            "MINISTACK_REGION": REGION,
            "PERSIST_STATE": str(int(self._persist)),
            "STATE_DIR": str(self._saved),
            "S3_DATA_DIR": str(self._saved / "s3"),
            "S3_PERSIST": str(int(self._persist)),
            "AUTH": str(self._enforce_iam).lower(),
            "LOG_LEVEL": "WARNING",
            # Surplus workers stay warm between two evenings of play; a cold start takes half a second.
            "LAMBDA_WARM_TTL_SECONDS": "3600",
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "AWS_EC2_METADATA_DISABLED": "true",
            # botocore would put the account into the host name of DynamoDB, and 127.0.0.1 has no subdomains.
            "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
        }

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.endpoint}/_ministack/health", timeout=2) as answer:
                return bool(answer.status == 200)  # noqa: PLR2004
        except (urllib.error.URLError, OSError):
            return False

    def _log_tail(self) -> str:
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-20:])


def environment_for(endpoint: str) -> dict[str, str]:
    """Variables for a botocore client of the engine at `endpoint`."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
    }


def free_port(preferred: int = 0) -> int:
    """The port that `listening` finds; somebody else may take it before you do."""
    with listening(preferred) as probe:
        return int(probe.getsockname()[1])


def listening(preferred: int = 0) -> socket.socket:
    """A socket that listens on `preferred` of this machine, or else on the next free port; 0 for any port."""
    for port in range(preferred, min(preferred + _PORTS_TRIED, HIGHEST_PORT + 1)) if preferred else [0]:
        with contextlib.suppress(PortRefused):
            return listening_on(port)
    raise PortRefused(f"no free port in the {_PORTS_TRIED} from {preferred} on")


def listening_on(port: int) -> socket.socket:
    """A socket that listens on this very port of this machine. Raises PortRefused.

    It listens at once: two sockets that are only bound may share a port, and both believe to have it.
    """
    candidate = socket.socket()
    candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        candidate.bind((HOST, port))
        candidate.listen()
    except OSError as refused:
        candidate.close()
        reason = "it is taken" if refused.errno == errno.EADDRINUSE else os.strerror(refused.errno or 0).lower()
        raise PortRefused(f"port {port} cannot be had: {reason}") from refused
    return candidate


def retire_orphan(home: Path) -> None:
    """End the engine that a killed `run` left behind on `home`; it saves what it holds.

    A record whose process is gone, or is another program by now, is only removed.
    """
    try:
        pid = int(json.loads(_pid_path(home).read_text())["pid"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return
    deadline = time.monotonic() + _STOP_SECONDS
    if _is_engine(pid):
        os.kill(pid, signal.SIGTERM)
        while _is_engine(pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        _kill_session(pid)
    _pid_path(home).unlink(missing_ok=True)


def discard(folder: Path) -> None:
    """Remove `folder` without waiting: each Lambda worker leaves some 80 MB in thousands of files behind."""
    if folder.exists():
        doomed = folder.rename(folder.with_name(f"{folder.name}-{time.time_ns()}"))
        subprocess.Popen(["rm", "-rf", doomed], stdin=subprocess.DEVNULL, start_new_session=True)


def _pid_path(home: Path) -> Path:
    return home / "engine.json"


def _is_engine(pid: int) -> bool:
    question = ["ps", "-o", "command=", "-p", str(pid)]
    answer = subprocess.run(question, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return "ministack" in answer.stdout


def _kill_session(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
