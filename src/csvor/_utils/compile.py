"""How a loop is compiled, and kept.

The private names of Numba that csvor relies on are all here.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.cgutils import get_null_value
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.event import TimingListener, install_listener, trigger_event
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from csvor._utils.compile_events import announce
from csvor._utils.warn import warn

# Sums may be taken in any order, which vector instructions need; no value is assumed finite.
FAST = {"reassoc", "contract", "nsz", "arcp"}

_KEPT = "Preparing csvor for this computer, once for each kind of work (10 to 20 seconds)."
_NOT_KEPT = (
    "Preparing csvor for this computer, so that each audit takes 10 to 20 seconds (two cores): no "
    "folder for machine code can be written to."
)

_NO_FOLDER = (
    "Loops are compiled anew in each process: neither csvor's folder nor the user's cache folder "
    "can be written to. Set the environment variable NUMBA_CACHE_DIR to a folder that can."
)
_DAMAGED = (
    "Compiled code in {} is damaged (a full disk or a copy that was cut off may leave it so): it "
    "is compiled again. Results are not affected."
)
_NOT_WRITTEN = (
    "Compiled code can't be kept in {} ({}): it is used now, and compiled again in the next "
    "process. Free some space, or set the environment variable NUMBA_CACHE_DIR to another folder."
)

# The event that machine code is read from disk.
_READING = "csvor:reading"

# What this process has warned of; each is said once.
_warned: set[str] = set()


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile at the first call, and keep the result on disk where there is a place for it."""

    def decorate(function: Callable[..., Any]) -> Any:
        options.update(nopython=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
        loop = _Loop(function, options)
        try:
            loop._cache = _KeptCode(function)
        except RuntimeError:  # neither the package's folder nor the user's can be written to
            loop._cache = _NothingKept()
        return loop

    return decorate


class _Library(JITCodeLibrary):
    """Machine code that calls its own copies of the loops linked into it.

    Numba links callees under public names and optimises them once more; whichever copy came into
    the process first answers to the name, so the order of calls, and whether code was compiled or
    read from disk, decided on the last digits (N71).
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        super()._optimize_final_module()


class _Compiler(Compiler):
    """Numba's compiler, which puts what it makes into a `_Library`."""

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class _Part(_Library):
    """Code that is linked into callers, and of which no machine code is made."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _PartCompiler(Compiler):
    """Numba's compiler, which stops before there is machine code."""

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        return super().define_pipelines()


class _Called(CPUDispatcher):
    """A loop as it is called by other loops.

    Numba would make machine code of it for each of them, and a way to call it from Python, and
    write both to disk.
    """

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        # A function of its own: a generator is known by its function, and is compiled as a loop
        # that is called from Python as well.
        copy = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__,
            function.__closure__,
        )  # fmt: skip
        super().__init__(copy, {}, targetoptions, _PartCompiler)

    def add_overload(self, result: Any) -> None:
        # What stands for the machine code that it has not.
        result = result._replace(entry_point=object())
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result


class _Loop(CPUDispatcher):
    """A loop that Python calls; other loops call another version of it."""

    _cache: FunctionCache | NullCache

    def __init__(self, function: Callable[..., Any], *options: Any) -> None:
        # Numba puts locals before the options of a loop that code read from disk refers to.
        super().__init__(function, {}, options[-1], _Compiler)
        self._called = _Called(function, options[-1])

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self._called.get_call_template(args, kws)

    def get_overload(self, signature: Any) -> Any:
        return self._called.get_overload(signature)


@intrinsic
def without_refcount(typing_context, array):
    """The same array, for a compiled generator inside compiled code.

    Numba counts a reference to each array that such a generator is given, and never takes it back:
    the arrays would stay in memory for good. The caller has to hold on to them.
    """

    def generate(context, builder, signature, arguments):
        view = make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = get_null_value(view.meminfo.type)
        view.parent = get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


@contextmanager
def timing_compilation() -> Iterator[Callable[[], float]]:
    """Yield what tells the seconds that loops took inside to be compiled or read from disk.

    Whichever thread did it: the others wait.
    """
    timer = TimingListener()
    with install_listener("numba:compile", timer), install_listener(_READING, timer):
        yield lambda: timer.duration if timer.done else 0.0


def _compiling_files() -> dict[Path, bytes]:
    """This file and those of loops, which stand in files and folders that begin with "_"."""
    package = Path(__file__).parents[1]
    private = (*package.glob("_*.py"), *package.glob("_*/*.py"))
    texts = ((path, path.read_bytes()) for path in sorted(private))
    return {path: text for path, text in texts if b"@compiled(" in text}


# Taken now, when loops are imported: they may change on disk before the first is compiled.
_DIGEST = sha256(b"\0".join(_compiling_files().values())).hexdigest()


def _warn_once(message: str, *details: object) -> None:
    if message not in _warned:
        _warned.add(message)
        warn(message.format(*details))


class _CheckedCode(CompileResultCacheImpl):
    """Machine code with a checksum: damaged code would end the process (N82)."""

    def reduce(self, result: Any) -> tuple[bytes, bytes]:
        code = dumps(super().reduce(result))
        return sha256(code).digest(), code

    def rebuild(self, target_context: Any, checked: tuple[bytes, bytes]) -> Any:
        digest, code = checked
        if sha256(code).digest() != digest:
            raise ValueError("machine code does not match its checksum")
        return super().rebuild(target_context, pickle.loads(code))


class _KeptCode(FunctionCache):
    """Machine code that is stale as soon as any file of loops has changed.

    Numba looks at the file of the outer function alone, but compiles what it calls into it.
    """

    _impl_class = _CheckedCode

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _DIGEST)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with trigger_event(_READING):
            try:
                code = super().load_overload(sig, target_context)
            except Exception:  # whatever bytes raise that are not what was written (N82)
                code = None
                _warn_once(_DAMAGED, self.cache_path)
                self._write(self.flush)
        if code is None:
            announce(_KEPT)
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        self._write(super().save_overload, sig, data)

    def _write(self, write: Callable[..., None], *values: Any) -> None:
        """Keep code where that is possible; what can't be kept is used all the same."""
        try:
            write(*values)
        except OSError as error:
            _warn_once(_NOT_WRITTEN, self.cache_path, error.strerror or error)


class _NothingKept(NullCache):
    def load_overload(self, sig: Any, target_context: Any) -> None:
        announce(_NOT_KEPT)
        _warn_once(_NO_FOLDER)
