"""How a loop is compiled, and kept.

The private names of Numba that csvor relies on are all here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, NullCache
from numba.core.cgutils import get_null_value
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.event import TimingListener, install_listener, trigger_event
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from csvor._utils.compile_events import announce
from csvor._utils.warn import warn

# Sums may be taken in any order, which vector instructions need; no value is assumed finite.
FAST = {"reassoc", "contract", "nsz", "arcp"}

_KEPT = "Preparing csvor for this computer, once: about 20 seconds, and what is compiled is kept."
_NOT_KEPT = (
    "Preparing csvor for this computer, which takes about 20 seconds each time: no folder for "
    "machine code can be written to."
)

# The event that machine code is read from disk.
_READING = "csvor:reading"

_has_warned = False


def compiled(*, keep: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile at the first call, and keep the result on disk where there is a place for it.

    ``keep=False`` is for generators that other loops iterate over: Numba compiles none into a
    caller that it has read from disk.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        options.update(nogil=True, error_model="numpy", no_cfunc_wrapper=True)
        loop = njit(pipeline_class=_Compiler, **options)(function)
        if not keep:
            return loop
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


class _KeptCode(FunctionCache):
    """Machine code that is stale as soon as any file of loops has changed.

    Numba looks at the file of the outer function alone, but compiles what it calls into it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _DIGEST)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with trigger_event(_READING):
            try:
                code = super().load_overload(sig, target_context)
            except Exception:  # of another version, whose types are no more, or cut off
                self.flush()
                code = None
        if code is None:
            announce(_KEPT)
        return code


class _NothingKept(NullCache):
    def load_overload(self, sig: Any, target_context: Any) -> None:
        global _has_warned
        announce(_NOT_KEPT)
        if not _has_warned:
            _has_warned = True
            warn(
                "Loops are compiled anew in each process, which takes about 20 seconds: neither "
                "csvor's folder nor the user's cache folder can be written to. Set the "
                "environment variable NUMBA_CACHE_DIR to a folder that can."
            )
